import { type DateTime, Schema } from "effect"
import { EventId, OrganisationId } from "../kernel/Ids.ts"
import { Limits } from "../kernel/Limits.ts"
import { type Births, birth, byField, define, type MachineType } from "../kernel/Machine.ts"
import * as Refusals from "../kernel/Refusals.ts"
import * as Rule from "../kernel/Rule.ts"
import { Instant } from "../kernel/Timestamp.ts"
import {
  attemptsLeft,
  countAttempt,
  interruptedOnce,
  interruptionsLeft,
  isLast,
  isLastInterruption,
  lastAttempt,
  lastInterruption,
  resumedLater,
  triedAgainLater
} from "./Attempts.ts"
import { ConsumerName } from "./EventConsumer.ts"

/** The states of an event of a consumer. */
export const Status = Schema.Literals(["PENDING", "PARKED", "HANDLED", "SKIPPED"]).annotate({
  identifier: "ConsumedEventStatus"
})
export type Status = typeof Status.Type

/** The reason of the last failed attempt, in the handler's words. */
export const FailureText = Schema.NullOr(Schema.String.check(Schema.isMaxCodePoints(Limits.consumerErrorCharacters)))

/** One event that a consumer has taken and that its handler has to handle. docs/decisions/0052. */
export class ConsumedEvent extends Schema.Opaque<ConsumedEvent>()(
  Schema.Struct({
    consumer: ConsumerName,
    /** The event's place in the log of committed events: the order within a subject. */
    position: Schema.Int,
    organisation_id: OrganisationId,
    event_id: EventId,
    event_type: Schema.String,
    /** The record that the event is about. A later event of it waits for this one. */
    subject_id: Schema.String,
    status: Status,
    /** Attempts whose outcome is known. */
    attempt_count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Limits.deliveryAttempts })),
    /** Attempts whose process died or stopped before their outcome was known. They do not count toward the six. */
    interruption_count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Limits.deliveryInterruptions })),
    /** When the next attempt is due; null where none is. */
    next_attempt_at: Schema.NullOr(Instant),
    error: FailureText,
    created_at: Instant,
    updated_at: Instant,
    /** When it was parked; null where it is not. */
    parked_at: Schema.NullOr(Instant)
  }).annotate({ identifier: "ConsumedEvent" })
) {}

/** The commands of the machine of an event of a consumer. */
export const Command = Schema.TaggedUnion({
  Handle: { at: Instant },
  Retry: { at: Instant, error: FailureText },
  Park: { at: Instant, error: FailureText },
  Interrupt: { at: Instant },
  GiveUp: { at: Instant },
  Resume: { at: Instant },
  Skip: { at: Instant }
})
export type Command = typeof Command.Type

const { is, isAtLeast, some } = Rule.rulesOf<ConsumedEvent>()

/** Events that are tried when their turn comes. */
export const waits = is("status", "PENDING")

/** Events that wait for an operator. */
export const isParked = is("status", "PARKED")

/** Events of which an attempt failed or was interrupted. */
export const hasFailed = some(isParked, isAtLeast("attempt_count", 1), isAtLeast("interruption_count", 1))

const rule = "docs/decisions/0052"

/** How events come to a consumer. */
export const births = {
  taken: { by: "a committed event of the consumer's types", to: "PENDING", emits: [], rule }
} as const satisfies Births<Status, never>

const ended = (at: DateTime.Utc) => ({ next_attempt_at: null, parked_at: null, updated_at: at })

const defined = define({
  name: "Consumed event",
  state: ConsumedEvent,
  command: Command,
  wording: Refusals.consumedEvent,
  ...byField(Status),
  rule,
  births,
  table: {
    Handle: {
      from: ["PENDING"],
      to: "HANDLED",
      patch: (self, { at }) => ({ ...countAttempt(self, at), ...ended(at), error: null })
    },
    Retry: {
      from: ["PENDING"],
      to: "PENDING",
      ...attemptsLeft,
      patch: (self, { at, error }) => ({ ...triedAgainLater(self, at), error })
    },
    Park: {
      from: ["PENDING"],
      to: "PARKED",
      ...lastAttempt,
      patch: (self, { at, error }) => ({ ...countAttempt(self, at), next_attempt_at: null, parked_at: at, error })
    },
    Interrupt: {
      from: ["PENDING"],
      to: "PENDING",
      ...interruptionsLeft,
      patch: (self, { at }) => resumedLater(self, at)
    },
    GiveUp: {
      from: ["PENDING"],
      to: "PARKED",
      ...lastInterruption,
      patch: (self, { at }) => ({ ...interruptedOnce(self, at), next_attempt_at: null, parked_at: at })
    },
    Resume: {
      from: ["PENDING", "PARKED"],
      to: "PENDING",
      patch: (_, { at }) => ({
        attempt_count: 0,
        interruption_count: 0,
        next_attempt_at: at,
        parked_at: null,
        updated_at: at
      })
    },
    Skip: { from: ["PENDING", "PARKED"], to: "SKIPPED", emits: [], patch: (_, { at }) => ended(at) }
  }
})

export interface machine extends MachineType<typeof defined> {}
/** docs/decisions/0052. */
export const machine: machine = defined

type Taken = Pick<ConsumedEvent, "consumer" | "position" | "organisation_id" | "event_id" | "event_type" | "subject_id">

/** An event that a consumer takes; it is due at once. */
export const newConsumedEvent = (given: Taken, at: DateTime.Utc): ConsumedEvent =>
  birth(machine, births.taken, (status) => ({
    ...given,
    status,
    attempt_count: 0,
    interruption_count: 0,
    next_attempt_at: at,
    error: null,
    created_at: at,
    updated_at: at,
    parked_at: null
  })).state

/** The command for a handler's failure. */
export const failure = (event: ConsumedEvent, error: string, at: DateTime.Utc): Command => {
  const told = Array.from(error).slice(0, Limits.consumerErrorCharacters).join("")
  return { _tag: isLast(event) ? "Park" : "Retry", at, error: told }
}

/** The command for an attempt whose process went away. */
export const interruption = (event: ConsumedEvent, at: DateTime.Utc): Command => ({
  _tag: isLastInterruption(event) ? "GiveUp" : "Interrupt",
  at
})

/** Whether nothing of it is left to do. */
export const isOver = ({ status }: ConsumedEvent): boolean => status === "HANDLED" || status === "SKIPPED"
