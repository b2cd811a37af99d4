import type { Brand, DateTime } from "effect"
import type { EventData, EventRecord, EventType } from "../domain/outbox/Event.ts"

/**
 * An event as the API shows it; `type` tells which data it has. A later version of the service may have other types,
 * too.
 */
export type ReadEvent = {
  readonly [T in EventType]: {
    readonly id: string
    readonly type: T
    readonly occurred_at: string
    readonly organisation_id: string
    readonly data: Wire<EventData<T>>
    readonly created_at: string
  }
}[EventType]

/**
 * A value of the domain as JSON carries it: an instant is an ISO 8601 string in UTC, an id is a plain string; names and
 * optional fields stay as they are.
 */
export type Wire<T> = unknown extends T
  ? T
  : T extends DateTime.DateTime
    ? string
    : T extends string & Brand.Brand<string>
      ? string
      : T extends number & Brand.Brand<string>
        ? number
        : T extends EventRecord
          ? ReadEvent
          : T extends object
            ? { readonly [K in keyof T]: Wire<T[K]> }
            : T
