import { Context, type DateTime, Effect, Layer } from "effect"
import type { AuditEntry } from "../../../domain/access/Audit.ts"
import type { Caller } from "../../../domain/access/Caller.ts"
import type { HostEventType } from "../../../domain/kernel/HostEventType.ts"
import type { EventId } from "../../../domain/kernel/Ids.ts"
import * as Event from "../../../domain/outbox/Event.ts"
import { AuditStore } from "../../../ports/access/AuditStore.ts"
import { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { Outbox } from "../../../ports/outbox/Outbox.ts"

/** A host's own event to be written, with its id. */
export interface HostEmission {
  readonly id: EventId
  readonly type: HostEventType
  readonly data: Event.HostEventData
}

/** An event to be written: its type with the data of that type. */
export type Emission =
  | {
      readonly [T in Event.EventType]: { readonly type: T; readonly data: Event.EventData<T> }
    }[Event.EventType]
  | HostEmission

/** The audit entry of a write, and its events. */
export interface Entry {
  /** The operation's name in the audit. */
  readonly operation: string
  /** The record that was written; also what repetitions of once-only events are recognised by. */
  readonly subject_id: string
  readonly at: DateTime.Utc
  readonly events: ReadonlyArray<Emission>
}

/** Writes the events and the audit entry of a change, in the transaction of the change. */
export class ChangeLog extends Context.Service<ChangeLog>()("almoner/app/ChangeLog", {
  make: Effect.gen(function* () {
    const outbox = yield* Outbox
    const audit = yield* AuditStore
    const tokens = yield* Tokens

    /** The events and the audit entry as they will be kept, for writers that store them by themselves. */
    const prepare = Effect.fnUntraced(function* (caller: Caller, entry: Entry) {
      const events: Array<Event.Event> = []
      for (const emission of entry.events) {
        const { data, type } = emission
        events.push(
          Event.make({
            id: "id" in emission ? emission.id : yield* tokens.id("event"),
            organisation_id: caller.organisation.id,
            type,
            occurred_at: entry.at,
            dedupe_key: entry.subject_id,
            data
          })
        )
      }
      const auditEntry: AuditEntry = {
        id: yield* tokens.id("auditEntry"),
        organisation_id: caller.organisation.id,
        actor_type: caller.actor.type,
        actor_id: caller.actor.id,
        operation: entry.operation,
        subject_id: entry.subject_id,
        request_id: caller.request_id,
        created_at: entry.at
      }
      return { events, audit: auditEntry }
    })

    const write = Effect.fnUntraced(function* (entry: Entry) {
      const prepared = yield* prepare(yield* CurrentCaller, entry)
      if (prepared.events.length > 0) yield* outbox.append(prepared.events)
      yield* audit.append(prepared.audit)
    })

    return { prepare, write } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
