import type { Brand, DateTime } from "effect"
import type { EventRecord } from "../domain/outbox/Event.ts"
import type { Event } from "./generated/Records.ts"
import type { Id } from "./Types.ts"

/**
 * A value of the domain as JSON carries it: an instant is an ISO 8601 string in UTC, an id is a string that knows its
 * kind; names and optional fields stay as they are.
 */
export type Wire<T> = unknown extends T
  ? T
  : T extends DateTime.DateTime
    ? string
    : T extends string & Brand.Brand<infer Name extends string>
      ? Name extends `${string}Id`
        ? Id<Name>
        : string
      : T extends number & Brand.Brand<string>
        ? number
        : T extends EventRecord
          ? Event
          : T extends object
            ? { readonly [K in keyof T]: Wire<T[K]> }
            : T
