import { type DateTime, Duration, Schema, Struct } from "effect"
import {
  ChargeId,
  OrganisationId,
  PaymentAllocationId,
  PaymentId,
  RecipientAccountLinkId,
  ReversalId,
  TransferAttemptId
} from "../kernel/Ids.ts"
import { addTime } from "../kernel/InstantRange.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { type Births, birth, byField, define, type MachineType } from "../kernel/Machine.ts"
import { Cents, Currency } from "../kernel/Money.ts"
import * as Refusals from "../kernel/Refusals.ts"
import { GivenId } from "../kernel/Text.ts"
import { Instant } from "../kernel/Timestamp.ts"

/** The states of a transfer attempt. One whose outcome nobody knows is NEW. */
export const Status = Schema.Literals(["NEW", "SUCCEEDED", "FAILED"]).annotate({ identifier: "TransferAttemptStatus" })
export type Status = typeof Status.Type

/** The id of an attempt, by which its direction is known: that of a transfer, or of a reversal of one. */
export const Id = Schema.Union([TransferAttemptId, ReversalId]).annotate({ identifier: "TransferOrReversalId" })
export type Id = typeof Id.Type

/** The cause of a reversal; `processor` is one that was made there, and not asked for here. */
export const Cause = Schema.Literals(["refund", "chargeback", "processor"]).annotate({ identifier: "ReversalCause" })
export type Cause = typeof Cause.Type

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const nullableText = Schema.NullOr(Schema.String)
const nullableInstant = Schema.NullOr(Instant)

/**
 * One attempt to bring a recipient's part of a payment to its account, or to take it back whole from there. Its id is the
 * processor's idempotency key. money, sections 1, 2 and 6.
 */
export class TransferAttempt extends Schema.Opaque<TransferAttempt>()(
  Schema.Struct({
    id: Id,
    reversed_id: Schema.NullOr(TransferAttemptId),
    /** The cause of a reversal; null for a transfer. */
    cause: Schema.NullOr(Cause),
    /** The recommending organisation. */
    organisation_id: OrganisationId,
    payment_id: PaymentId,
    allocation_id: PaymentAllocationId,
    charge_id: ChargeId,
    recipient_org_account_link_id: RecipientAccountLinkId,
    /** The net amount, minor units. */
    amount_cents: Cents.check(Schema.isGreaterThan(0)),
    currency: Currency,
    series: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
    number: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
    status: Status,
    /** When it was first sent to the processor; null before. From then on it may have happened. */
    sent_at: nullableInstant,
    reference: nullableText,
    failure_code: nullableText,
    /** When a worker takes it up; null once it has ended. */
    look_at: nullableInstant,
    /** How often in a row it was looked at, and nothing came of that. */
    looks: count,
    ended_at: nullableInstant,
    created_at: Instant,
    updated_at: Instant
  }).annotate({
    identifier: "StoredTransferAttempt",
    meanings: {
      payment_id: "The payment that is shared out.",
      allocation_id: "The recipient's part of it.",
      charge_id: "The charge whose money it is.",
      reversed_id: "The transfer that this takes back; null where it brings money to a recipient.",
      cause:
        "What a reversal is for: a refund of the donor, a chargeback that was lost, or what somebody did at the processor; null for a transfer.",
      amount_cents: "What the recipient is to get after fees, or to give back, in minor units.",
      series: "Which series of attempts of its direction: another one begins with each retry by hand.",
      number: "Which attempt of its series.",
      status: "NEW until its outcome is known, then SUCCEEDED or FAILED.",
      sent_at: "When it was sent to the processor; null before.",
      reference: "The processor's or the bank's own identifier of the transfer; null where there is none.",
      failure_code: "Why the processor refused it, or why it ended here; null otherwise.",
      look_at: "When it is taken up next; null once it has ended.",
      ended_at: "When its outcome was known; null before."
    }
  })
) {}

/** An attempt as staff see it. */
export const TransferAttemptRecord = TransferAttempt.mapFields(Struct.omit(["organisation_id", "looks"])).annotate({
  identifier: "TransferAttempt"
})

/** The list of transfer attempts. */
export const listing = {
  filters: {
    status: { kind: "enum", values: Status.literals, description: "Whether its outcome is known, and which" },
    payment_id: { kind: "text", description: "The payment that is shared out" },
    allocation_id: { kind: "text", description: "The recipient's part of it" },
    created_at: { kind: "timestamp", description: "When it was planned" }
  }
} as const satisfies ListSpec

/** The input for an attempt that was made by hand. */
export const Settlement = Schema.Struct({
  /** The transfer's identifier at the bank. */
  processor_reference: Schema.optionalKey(Schema.NullOr(GivenId))
}).annotate({ identifier: "TransferSettlement" })
export type Settlement = typeof Settlement.Type

/** The commands of the machine of a transfer attempt. */
export const Command = Schema.TaggedUnion({
  Send: { at: Instant },
  Succeed: { at: Instant, reference: nullableText },
  Refuse: { at: Instant, failure_code: Schema.String }
})
export type Command = typeof Command.Type

const rule = "money, section 2: transfer attempt"

/** How transfer attempts come to be. */
export const births = {
  planned: { by: "money is to go to a recipient", to: "NEW", emits: [], rule }
} as const satisfies Births<Status, never>

const defined = define({
  name: "Transfer attempt",
  state: TransferAttempt,
  command: Command,
  wording: Refusals.transferAttempt,
  ...byField(Status),
  rule,
  births,
  table: {
    Send: {
      from: ["NEW"],
      to: "NEW",
      when: "it was not sent yet",
      guard: (self) => self.sent_at === null,
      patch: (_, { at }) => ({ sent_at: at, updated_at: at })
    },
    Succeed: {
      from: ["NEW"],
      to: "SUCCEEDED",
      patch: (_, { at, reference }) => ({ reference, look_at: null, ended_at: at, updated_at: at })
    },
    Refuse: {
      from: ["NEW"],
      to: "FAILED",
      patch: (_, { at, failure_code }) => ({ failure_code, look_at: null, ended_at: at, updated_at: at })
    }
  },
  milestones: { ended_at: ["SUCCEEDED", "FAILED"] }
})

export interface machine extends MachineType<typeof defined> {}
/** money, section 2: transfer attempt. What follows from its end is told by the transfer and the recipient's donation. */
export const machine: machine = defined

type Planned = Omit<
  TransferAttempt,
  "status" | "sent_at" | "reference" | "failure_code" | "looks" | "ended_at" | "created_at" | "updated_at"
>

/** An attempt that is to be sent at `look_at`. */
export const newAttempt = (what: Planned, at: DateTime.Utc): TransferAttempt =>
  birth(machine, births.planned, (status) => ({
    ...what,
    status,
    sent_at: null,
    reference: null,
    failure_code: null,
    looks: 0,
    ended_at: null,
    created_at: at,
    updated_at: at
  })).state

/**
 * Whether an attempt takes money back.
 * @example
 * TransferAttempt.isReversal({ reversed_id: null }) // => false
 * TransferAttempt.isReversal({ reversed_id: Ids.TransferAttemptId.make("trf_01jqz6x8h4e5vb9m2k7ncw3t5d") }) // => true
 */
export const isReversal = ({ reversed_id }: Pick<TransferAttempt, "reversed_id">): boolean => reversed_id !== null

/**
 * Why an attempt is needed no more that is not at the processor; null where it is. `isChargedBack`: whether the donor's bank
 * took the whole payment back. money, section 6: Chargeback.
 */
export const needlessBy = (
  attempt: Pick<TransferAttempt, "cause" | "reversed_id">,
  isChargedBack: boolean
): OwnCode | null => {
  if (!isReversal(attempt)) return isChargedBack ? "charged_back" : null
  return attempt.cause === "chargeback" && !isChargedBack ? "dispute_won" : null
}

/**
 * The codes with which an attempt is ended here, that was not made at the processor: the donor's bank took the whole payment
 * back before the money went on, the dispute was won before a reversal was made (money, section 6: Chargeback), or somebody
 * who moves such money by hand said that it cannot be moved.
 */
export const ownCodes = ["charged_back", "dispute_won", "failed_by_hand"] as const
/** One of {@link ownCodes}. */
export type OwnCode = (typeof ownCodes)[number]

/** How long after each refusal the next attempt is made. */
const delays = [
  Duration.minutes(1),
  Duration.minutes(10),
  Duration.hours(1),
  Duration.hours(6),
  Duration.hours(24),
  Duration.hours(72)
]

/**
 * The codes with which a processor says that an account will never take the money. Adapters map their own to them; any other
 * code is one of which the cause may go away. money, section 6.
 */
export const finalCodes = ["account_closed", "account_rejected", "account_unknown"] as const

const isFinal = (failure_code: string): boolean => [...finalCodes, ...ownCodes].some((code) => code === failure_code)

/**
 * How long after a refusal the next attempt is made; null where there is none: the account will never take the money, it was
 * ended here, or that was the seventh attempt. money, section 6.
 * @example
 * TransferAttempt.nextAfter({ number: 1 }, "account_disabled") // => Duration.minutes(1)
 * TransferAttempt.nextAfter({ number: 7 }, "account_disabled") // => null
 * TransferAttempt.nextAfter({ number: 1 }, "account_closed") // => null
 */
export const nextAfter = (
  { number }: Pick<TransferAttempt, "number">,
  failure_code: string
): Duration.Duration | null => (isFinal(failure_code) ? null : (delays[number - 1] ?? null))

const longestWait = Duration.hours(1)

/**
 * The attempt that is to be looked at again, since it could not be sent now or nobody knows what came of it: after a minute,
 * then twice as long each time, at most an hour. An attempt never fails by silence. money, section 1.
 */
export const postpone = (attempt: TransferAttempt, now: DateTime.Utc): TransferAttempt => ({
  ...attempt,
  looks: attempt.looks + 1,
  look_at: addTime(now, Duration.min(longestWait, Duration.minutes(2 ** attempt.looks)))
})

const peopleWait = Duration.days(1)

/**
 * The attempt that is to be looked at again since people move its money: after a day, only to see whether it still is needed.
 * They say themselves when it has moved.
 */
export const leftToPeople = (attempt: TransferAttempt, now: DateTime.Utc): TransferAttempt => ({
  ...attempt,
  looks: attempt.looks + 1,
  look_at: addTime(now, peopleWait)
})
