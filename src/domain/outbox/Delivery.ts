import { type DateTime, Schema, Struct } from "effect"
import { DeliveryId, EventId, idDigits, idPrefixes, OrganisationId, WebhookEndpointId } from "../kernel/Ids.ts"
import { Limits } from "../kernel/Limits.ts"
import type { ListSpec } from "../kernel/Listing.ts"
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

const meanings = {
  event_type: "Type of the event that is delivered.",
  status: "Where the delivery stands.",
  attempt_count: "Attempts whose outcome is known, of six.",
  interruption_count:
    "Attempts that the service may have sent when it was stopped; they count apart. Beyond the contract.",
  next_attempt_at: "When the next attempt is due; null when none is.",
  replay_of: "The delivery that this one repeats by hand; null when it is none.",
  completed_at: "When the delivery came to its end; null while it is pending.",
  attempts: "Every attempt, the first one first.",
  number: "1 for the first attempt.",
  attempted_at: "When the attempt began.",
  response_status: "HTTP status of the receiver's answer; null when there was none.",
  response_excerpt: `The first ${Limits.attemptExcerptBytes.toLocaleString("en")} bytes of the receiver's answer.`,
  retry_after: "`Retry-After` of the receiver's answer. It is recorded and does not change the schedule.",
  error: "Why the attempt failed, if it was not the answer's status; null otherwise.",
  duration_ms: "How long the attempt took, in milliseconds."
}

/** The states of a webhook delivery. */
export const Status = Schema.Literals(["PENDING", "DELIVERED", "FAILED"]).annotate({
  identifier: "WebhookDeliveryStatus"
})
export type Status = typeof Status.Type

/** One event on its way to one endpoint. decisions, section 5: Webhook delivery. */
export class Delivery extends Schema.Opaque<Delivery>()(
  Schema.Struct({
    /** Also the `webhook-id` of every attempt. */
    id: DeliveryId,
    organisation_id: OrganisationId,
    endpoint_id: WebhookEndpointId,
    event_id: EventId,
    event_type: Schema.String,
    status: Status,
    attempt_count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Limits.deliveryAttempts })),
    interruption_count: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Limits.deliveryInterruptions })),
    next_attempt_at: Schema.NullOr(Instant),
    replay_of: Schema.NullOr(DeliveryId),
    created_at: Instant,
    updated_at: Instant,
    completed_at: Schema.NullOr(Instant)
  }).annotate({ identifier: "StoredDelivery" })
) {}

/** An attempt: one exchange with the receiver, and how it went. */
export class Attempt extends Schema.Opaque<Attempt>()(
  Schema.Struct({
    /** The attempt's place among all of its delivery, interrupted ones included, from 1. */
    number: Schema.Int,
    attempted_at: Instant,
    response_status: Schema.NullOr(Schema.Int),
    response_excerpt: Schema.NullOr(Schema.String),
    retry_after: Schema.NullOr(Schema.String),
    /** The reason why no answer came, e.g. `timeout`, `connection_failed`, `interruptionError`. */
    error: Schema.NullOr(Schema.String),
    duration_ms: Schema.NullOr(Schema.Int)
  }).annotate({ identifier: "DeliveryAttempt", meanings })
) {}

/** A delivery as lists show it. */
export const DeliveryRecord = Delivery.mapFields(Struct.omit(["organisation_id"])).annotate({
  identifier: "WebhookDelivery",
  meanings
})

/** A delivery as the single read shows it, with its attempts, oldest first. */
export const DeliveryDetail = DeliveryRecord.mapFields((fields) => ({
  ...fields,
  attempts: Schema.Array(Attempt)
})).annotate({ identifier: "WebhookDeliveryDetail", meanings })

/** A delivery whose record cannot be read: no worker gets it until an operator puts it back. */
export const SetAside = Schema.Struct({
  organisation_id: Schema.String,
  id: Schema.String,
  /** The part that cannot be read; none of its values. */
  reason: Schema.String
}).annotate({ identifier: "DeliverySetAside" })
export type SetAside = typeof SetAside.Type

/**
 * The list of deliveries, for a catalogue of event types. decisions, section 3.
 * @example Delivery.listing(["donor.created"]).filters.event_type.values // => ["donor.created"]
 */
export const listing = <T extends string>(eventTypes: ReadonlyArray<T>) =>
  ({
    filters: {
      endpoint_id: { kind: "text", description: "Receiving endpoint" },
      status: { kind: "enum", values: Status.literals, description: "How far the delivery is" },
      event_type: { kind: "enum", values: eventTypes, description: "Type of the event" }
    }
  }) as const satisfies ListSpec

/** The commands of the machine of a webhook delivery. */
export const Command = Schema.TaggedUnion({
  Deliver: { at: Instant },
  Retry: { at: Instant },
  Exhaust: { at: Instant },
  Interrupt: { at: Instant },
  GiveUp: { at: Instant },
  Abandon: { at: Instant }
})
export type Command = typeof Command.Type

const ended = (at: DateTime.Utc) => ({ next_attempt_at: null, updated_at: at, completed_at: at })

export { dueAfter, longestWaitSeconds } from "./Attempts.ts"

/**
 * The place that the next attempt will have among all of a delivery, interrupted ones included, from 1.
 * @example Delivery.nextNumber({ attempt_count: 2, interruption_count: 1 }) // => 4
 */
export const nextNumber = ({
  attempt_count,
  interruption_count
}: Pick<Delivery, "attempt_count" | "interruption_count">): number => attempt_count + interruption_count + 1

const { every, is, isAtLeast } = Rule.rulesOf<Delivery>()

/** Deliveries that are still to be made. */
export const inFlight = is("status", "PENDING")

/** Deliveries that their endpoint received. */
export const receivedRule = is("status", "DELIVERED")

/** Deliveries that used up all their attempts: neither abandoned nor given up after interruptions. */
export const exhaustedRule = every(is("status", "FAILED"), isAtLeast("attempt_count", Limits.deliveryAttempts))

const rule = "decisions, section 5: Webhook delivery"

/** How deliveries come to be. */
export const births = {
  addressed: { by: "an event that the endpoint subscribes to", to: "PENDING", emits: [], rule },
  replayed: { by: "a replay", to: "PENDING", emits: [], rule }
} as const satisfies Births<Status, never>

const defined = define({
  name: "Webhook delivery",
  state: Delivery,
  command: Command,
  wording: Refusals.delivery,
  ...byField(Status),
  rule,
  births,
  table: {
    Deliver: {
      from: ["PENDING"],
      to: "DELIVERED",
      patch: (self, { at }) => ({ ...countAttempt(self, at), ...ended(at) })
    },
    Retry: {
      from: ["PENDING"],
      to: "PENDING",
      ...attemptsLeft,
      patch: (self, { at }) => triedAgainLater(self, at)
    },
    Exhaust: {
      from: ["PENDING"],
      to: "FAILED",
      ...lastAttempt,
      patch: (self, { at }) => ({ ...countAttempt(self, at), ...ended(at) })
    },
    Interrupt: {
      from: ["PENDING"],
      to: "PENDING",
      ...interruptionsLeft,
      patch: (self, { at }) => resumedLater(self, at)
    },
    GiveUp: {
      from: ["PENDING"],
      to: "FAILED",
      ...lastInterruption,
      patch: (self, { at }) => ({ ...interruptedOnce(self, at), ...ended(at) })
    },
    Abandon: { from: ["PENDING"], to: "FAILED", emits: [], patch: (_, { at }) => ended(at) }
  },
  milestones: { completed_at: ["DELIVERED", "FAILED"] }
})

export interface machine extends MachineType<typeof defined> {}
/** decisions, section 5: Webhook delivery. */
export const machine: machine = defined

/** The fields of a new delivery that are not the same in all; it is due by the store's clock. */
type New = Pick<Delivery, "id" | "endpoint_id" | "event_id" | "event_type" | "organisation_id" | "created_at"> & {
  readonly due: DateTime.Utc
}

const born = (
  by: (typeof births)[keyof typeof births],
  { due, ...given }: New,
  replay_of: DeliveryId | null
): Delivery => {
  const untried = { attempt_count: 0, interruption_count: 0, next_attempt_at: due, completed_at: null }
  return birth(machine, by, (status) => ({ ...given, status, ...untried, replay_of, updated_at: given.created_at }))
    .state
}

/** A new delivery of an event to an endpoint that subscribes to it. */
export const newDelivery = (given: New): Delivery => born(births.addressed, given, null)

/** A new delivery of the same event to the same endpoint. */
export const replayOf = (
  { endpoint_id, event_id, event_type, id: replay_of, organisation_id }: Delivery,
  given: Pick<New, "id" | "created_at" | "due">
): Delivery => born(births.replayed, { ...given, endpoint_id, event_id, event_type, organisation_id }, replay_of)

/**
 * Whether an HTTP status counts as received. service-spec, Delivery shape: Receivers.
 * @example
 * Delivery.isReceived(204) // => true
 * Delivery.isReceived(302) // => false
 */
export const isReceived = (response_status: number | null): boolean =>
  response_status !== null && response_status >= 200 && response_status <= 299

/**
 * The command for an attempt's outcome. A 2xx counts even where its body could not be read. `interruptionError` is an attempt
 * whose lease ran out.
 */
export const settlement = (
  delivery: Delivery,
  attempt: Pick<Attempt, "response_status" | "error">,
  at: DateTime.Utc
): Command => {
  if (attempt.error === interruptionError) return { _tag: isLastInterruption(delivery) ? "GiveUp" : "Interrupt", at }
  if (isReceived(attempt.response_status)) return { _tag: "Deliver", at }
  return { _tag: isLast(delivery) ? "Exhaust" : "Retry", at }
}

/** The error of an attempt whose worker died. */
export const interruptionError = "interrupted"

/**
 * The id of an event's delivery to the `ordinal`-th endpoint that subscribes to it, counted from 1: the event's own id
 * with its last digit replaced, so that one statement can write the deliveries of many events without asking for ids.
 * @example Delivery.idFor(Ids.EventId.make("evt_01jqz6x8h4e5vb9m2k7ncw3t5d"), 1) // => "dlv_01jqz6x8h4e5vb9m2k7ncw3t51"
 */
export const idFor = (event_id: EventId, ordinal: number): DeliveryId =>
  DeliveryId.make(
    `${idPrefixes.delivery}_${event_id.slice(idPrefixes.event.length + 1, -1)}${idDigits.charAt(ordinal)}`
  )
