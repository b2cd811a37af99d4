import { Schema } from "effect"
import { Limits } from "../kernel/Limits.ts"
import { Instant } from "../kernel/Timestamp.ts"

/** The name of a consumer, which its handler goes by after every start: letters, digits, `.`, `_` and `-`. */
export const ConsumerName = Schema.String.check(
  Schema.isPattern(new RegExp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,${Limits.consumerNameCharacters - 1}}$`), {
    description: `letters, digits, ".", "_" and "-", at most ${Limits.consumerNameCharacters}, a letter or digit first`
  })
)

/**
 * A durable consumer of events in a host's own process. It has been handed every event of its types up to `position`, or
 * holds it among what waits. docs/decisions/0052.
 */
export class EventConsumer extends Schema.Opaque<EventConsumer>()(
  Schema.Struct({
    name: ConsumerName,
    /** Null for events of every type. */
    event_types: Schema.NullOr(Schema.Array(Schema.String)),
    /** Earlier events are left out; null where none is. */
    since: Schema.NullOr(Instant),
    /** The place in the log of events up to which it has taken what is for it. */
    position: Schema.Int,
    created_at: Instant,
    updated_at: Instant
  }).annotate({ identifier: "EventConsumer" })
) {}

/** Where a new consumer begins; one that is known goes on where it is. */
export const From = Schema.Union([Schema.Literals(["beginning", "now"]), Instant])
export type From = typeof From.Type

/** A consumer as operators see it. */
export const ConsumerRecord = Schema.Struct({
  name: ConsumerName,
  event_types: Schema.NullOr(Schema.Array(Schema.String)),
  /** Events of any type that were committed and that it has not looked at. */
  behind: Schema.Int,
  /** Events that it has taken and not handled, the parked ones not among them. */
  waiting: Schema.Int,
  parked: Schema.Int,
  created_at: Instant,
  updated_at: Instant
}).annotate({ identifier: "EventConsumerRecord" })
export type ConsumerRecord = typeof ConsumerRecord.Type

/** Fields that tell the record that an event is about, the first that its data has. */
export const subjectFields = ["id", "recommendation_set_payment_id"] as const

/**
 * The record that an event is about, by its data; the event itself where the data names none.
 * @example
 * EventConsumer.subjectOf("evt_01jqz6x8h4e5vb9m2k7ncw3t5d", { id: "dnr_01jqz6x8h4e5vb9m2k7ncw3t5d" })
 * // => "dnr_01jqz6x8h4e5vb9m2k7ncw3t5d"
 */
export const subjectOf = (event_id: string, data: Readonly<Record<string, unknown>>): string => {
  for (const field of subjectFields) {
    const value = data[field]
    if (typeof value === "string") return value
  }
  return event_id
}

/**
 * The types that a known consumer takes when a handler of it is registered again: those asked for, and those that the process
 * does not know, for they are of a newer version of the program, beside which an older one was started. Null stands for every type.
 * @example
 * EventConsumer.typesAfter(["donor.created", "pledge.made"], ["donor.updated"], ["donor.created", "donor.updated"])
 * // => ["donor.updated", "pledge.made"]
 */
export const typesAfter = (
  taken: ReadonlyArray<string> | null,
  asked: ReadonlyArray<string> | null,
  known: ReadonlyArray<string>
): ReadonlyArray<string> | null =>
  asked === null ? null : [...asked, ...(taken ?? []).filter((type) => !known.includes(type))]

/**
 * Whether a worker whose handler asked for some types may handle an event of a consumer, which may take more than them: while
 * a new version of a host is started beside the old one, its new types are the new one's. One that nobody asks for any more is
 * anybody's, and holds up nothing. Null stands for every type.
 * @example
 * EventConsumer.isForWorker("donor.updated", ["donor.created"], ["donor.created", "donor.updated"]) // => false
 * EventConsumer.isForWorker("donor.updated", ["donor.created"], ["donor.created"]) // => true
 */
export const isForWorker = (
  event_type: string,
  handled: ReadonlyArray<string> | null,
  taken: ReadonlyArray<string> | null
): boolean => handled === null || handled.includes(event_type) || (taken !== null && !taken.includes(event_type))
