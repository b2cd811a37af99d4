import { type DateTime, Result, Schema, Struct } from "effect"
import { ChargeId, DonationId, OrganisationId, PaymentAllocationId, RefundId } from "../kernel/Ids.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { type Births, birth, byField, decide, define, type MachineType, type Refusal } from "../kernel/Machine.ts"
import { centsOf, DonationCents } from "../kernel/Money.ts"
import * as Refusals from "../kernel/Refusals.ts"
import { InvalidInput } from "../kernel/Rejection.ts"
import * as Rule from "../kernel/Rule.ts"
import { GivenId, LongText, textOrNull } from "../kernel/Text.ts"
import { Instant } from "../kernel/Timestamp.ts"
import * as Donation from "./Donation.ts"

const meanings = {
  amount_cents: "How much of the gift is refunded, in minor units of its currency.",
  reason: "Why it was refunded.",
  status: "PENDING until the processor has paid it back, then SUCCEEDED, or FAILED when it could not.",
  refunded_at: "When the money went back; null until it did.",
  processor_reference: "The processor's own identifier of the refund; null when there is none."
}

/** The states of a refund. */
export const Status = Schema.Literals(["PENDING", "SUCCEEDED", "FAILED"]).annotate({ identifier: "RefundStatus" })
export type Status = typeof Status.Type

/**
 * One dated row of a donation's refund ledger. A lost chargeback is a row, too, which fails when the dispute is won after
 * all. decisions, section 4: Refunds; money, section 2.
 */
export class Refund extends Schema.Opaque<Refund>()(
  Schema.Struct({
    id: RefundId,
    organisation_id: OrganisationId,
    /** The gift that is given back; of a part of a payment to a set the recipient's. */
    donation_id: DonationId,
    /** The part of a payment that its recommender gives back; null for a gift's own ledger. */
    allocation_id: Schema.NullOr(PaymentAllocationId),
    /** The charge whose money goes back; null where the gift was taken elsewhere. */
    charge_id: Schema.NullOr(ChargeId),
    /** Whether the gift has nothing to do with it: the money came after it had failed, or is more than it had left. */
    is_beside_gift: Schema.Boolean,
    amount_cents: DonationCents,
    reason: Schema.NullOr(Schema.String),
    status: Status,
    refunded_at: Schema.NullOr(Instant),
    processor_reference: Schema.NullOr(Schema.String),
    created_at: Instant,
    updated_at: Instant
  }).annotate({ identifier: "StoredRefund" })
) {}

/** A refund as the API shows it. */
export const RefundRecord = Refund.mapFields(
  Struct.omit(["organisation_id", "allocation_id", "charge_id", "is_beside_gift"])
).annotate({ identifier: "Refund", meanings })

/** The answer of POST /donations/{id}/refund: the donation, with the new row of its ledger. decisions, section 4. */
export const RefundedDonation = Donation.DonationRecord.mapFields((fields) => ({
  ...fields,
  /** The refund that was made by this request. */
  refund: RefundRecord
})).annotate({ identifier: "RefundedDonation", meanings: Donation.meanings })

/** The body of POST /donations/{id}/refund; an omitted amount means all that is left. decisions, section 3. */
export const NewRefund = Schema.Struct({
  amount_cents: Schema.optionalKey(Schema.NullOr(DonationCents)),
  reason: Schema.optionalKey(Schema.NullOr(LongText))
}).annotate({
  identifier: "NewRefund",
  meanings: {
    ...meanings,
    amount_cents: "How much to refund, in minor units of the gift's currency; all that is left when not given."
  }
})
export type NewRefund = typeof NewRefund.Type

/** The input that settles a refund whose money went back. */
export const Settlement = Schema.Struct({
  processor_reference: Schema.optionalKey(Schema.NullOr(GivenId))
}).annotate({ identifier: "RefundSettlement" })
export type Settlement = typeof Settlement.Type

/** The list of a donation's refunds. It goes beyond the contract, which has no operation that shows refunds. */
export const listing = {
  filters: {
    status: { kind: "enum", values: Status.literals, description: "Status of the refund" },
    created_at: { kind: "timestamp", description: "When the refund was accepted" }
  }
} as const satisfies ListSpec

/** The commands of the machine of a refund. */
export const Command = Schema.TaggedUnion({
  Succeed: { at: Instant, processor_reference: Schema.NullOr(Schema.String) },
  Fail: { at: Instant }
})
export type Command = typeof Command.Type

const rule = "decisions, section 5: Refund"

/** How refunds come to be. */
export const births = {
  requested: { by: "a gift whose money is in the books is refunded", to: "PENDING", emits: [], rule },
  recorded: {
    by: "a gift taken elsewhere is refunded, or a gift is charged back",
    to: "SUCCEEDED",
    emits: [],
    rule: "decisions, section 4: Refunds"
  }
} as const satisfies Births<Status, never>

const defined = define({
  name: "Refund",
  state: Refund,
  command: Command,
  wording: Refusals.refund,
  ...byField(Status),
  rule,
  births,
  table: {
    Succeed: {
      from: ["PENDING"],
      to: "SUCCEEDED",
      patch: (_, { at, processor_reference }) => ({ refunded_at: at, processor_reference, updated_at: at })
    },
    Fail: {
      from: ["PENDING", "SUCCEEDED"],
      to: "FAILED",
      patch: (_, { at }) => ({ updated_at: at }),
      rule: "money, section 2: Refund"
    }
  },
  milestones: { refunded_at: ["SUCCEEDED"] }
})

export interface machine extends MachineType<typeof defined> {}
/** decisions, section 5: Refund. The events of a refund are those of its donation. */
export const machine: machine = defined

const { every, is } = Rule.rulesOf<Refund>()

/** Refunds of money that has not gone back yet: it is held. money, section 2: Ledger entry. */
export const pendingRule = is("status", "PENDING")

/** Refunds whose money went back. */
export const paidRule = is("status", "SUCCEEDED")

/**
 * Refunds whose money went back or will go back: they lower the amount that can still be refunded. decisions, section
 * 4: Refunds.
 */
export const countedRule = every(is("status", "PENDING", "SUCCEEDED"), is("is_beside_gift", false))

/**
 * The amount refunded by a donation's rows, minor units: the sum of the PENDING and SUCCEEDED ones. A donation's
 * `refunded_amount_cents` equals it after every function of this file. Throws a `RangeError` for a row of what is no
 * amount. decisions, section 4: Refunds.
 */
export const refundedCents = (rows: Iterable<Refund>): number => {
  let total = 0
  for (const row of rows)
    if (Rule.holds(countedRule, row)) total += centsOf("amount_cents of a refund", row.amount_cents)
  return total
}

/**
 * Whether the books have a gift's money: it was taken through a payment processor of this service, which then makes its
 * refunds, or booked from a bank account, from which people pay them. Refunds of all other gifts (manual entry, imports,
 * third-party systems) are only recorded. money, section 2: Refund.
 */
export const isInBooks = ({ charge_id, credit_id }: Pick<Donation.Donation, "charge_id" | "credit_id">): boolean =>
  charge_id !== null || credit_id !== null

const isDonationCents = Schema.is(DonationCents)

/** The result of a change of a refund: the donation, the row that is new or changed, and the donation's events. */
export interface Outcome {
  readonly donation: Donation.Donation
  readonly refund: Refund
  readonly events: ReadonlyArray<Donation.DonationEmission>
}

/** The id and the time of a new row, which come from outside the domain. */
export interface Occurrence {
  readonly id: RefundId
  readonly at: DateTime.Utc
}

const rowOf = (
  donation: Donation.Donation,
  { at, id }: Occurrence,
  born: (typeof births)[keyof typeof births],
  fields: Pick<Refund, "amount_cents" | "reason" | "processor_reference">
): Refund =>
  birth(machine, born, (status) => ({
    id,
    organisation_id: donation.organisation_id,
    donation_id: donation.id,
    allocation_id: null,
    charge_id: donation.charge_id,
    is_beside_gift: false,
    status,
    refunded_at: status === "SUCCEEDED" ? at : null,
    created_at: at,
    updated_at: at,
    ...fields
  })).state

/**
 * Refunds a donation, in part or all that is left; `rows` are its ledger so far. The new row is PENDING where
 * money has to go back, and SUCCEEDED at once otherwise. Fails with {@link IllegalTransition} when the donation
 * is not CONFIRMED, and with {@link InvalidInput} of `amount_cents` for anything but a whole number from 1 to what is
 * left. decisions, section 4: Refunds.
 */
export const refund = (
  donation: Donation.Donation,
  rows: Iterable<Refund>,
  input: NewRefund,
  occurrence: Occurrence
): Result.Result<Outcome, Refusal | InvalidInput> => {
  const left = donation.amount_cents - refundedCents(rows)
  // Where nothing is left the gift was refunded already: the machine says so of any amount.
  const amount_cents = input.amount_cents ?? (left > 0 ? left : donation.amount_cents)
  if (donation.status === "CONFIRMED" && !(isDonationCents(amount_cents) && amount_cents <= left)) {
    const message = `amount_cents must be from 1 to ${left}, which is what is left to refund.`
    return Result.fail(new InvalidInput({ param: "amount_cents", message }))
  }
  const _tag = amount_cents === left ? "RefundRest" : "RefundPart"
  const decision = decide(Donation.machine, donation, { _tag, at: occurrence.at, amount_cents })
  return Result.map(decision, ({ events, state }) => ({
    donation: state,
    events,
    refund: rowOf(donation, occurrence, isInBooks(donation) ? births.requested : births.recorded, {
      amount_cents,
      reason: textOrNull(input.reason),
      processor_reference: null
    })
  }))
}

/** A chargeback: how much of the gift, and the processor's identifier of it. */
export interface Chargeback {
  readonly amount_cents: number
  readonly processor_reference: string | null
}

/**
 * Applies a lost chargeback of at most what is left of the gift: its row has SUCCEEDED, and a dispute that is won after all
 * is {@link failRefund} of the row. Fails with {@link IllegalTransition} when the donation is not CONFIRMED, and with
 * {@link GuardRefused} for more than is left. money, section 2: Dispute.
 */
export const loseChargeback = (
  donation: Donation.Donation,
  rows: Iterable<Refund>,
  { amount_cents, processor_reference }: Chargeback,
  occurrence: Occurrence
): Result.Result<Outcome, Refusal> => {
  const left = donation.amount_cents - refundedCents(rows)
  const _tag = amount_cents === left ? "LoseChargeback" : "LoseChargebackPart"
  const decision = decide(Donation.machine, donation, { _tag, at: occurrence.at, amount_cents })
  return Result.map(decision, ({ events, state }) => ({
    donation: state,
    events,
    refund: rowOf(donation, occurrence, births.recorded, { amount_cents, reason: "chargeback", processor_reference })
  }))
}

/**
 * A refund that leaves its gift as it is: of money that came after the gift had failed, or of more than the gift had left.
 * money, section 4: Late success.
 */
export const refundBeside = (
  donation: Donation.Donation,
  { amount_cents, reason = null }: { readonly amount_cents: number; readonly reason?: string | null },
  occurrence: Occurrence
): Refund => ({
  ...rowOf(donation, occurrence, births.requested, { amount_cents, reason, processor_reference: null }),
  is_beside_gift: true
})

/** Refunds of a charge's money that went back to its donor or will. */
export const live = is("status", "PENDING", "SUCCEEDED")

/**
 * Applies a failed refund or a won dispute: the row becomes FAILED and the donation CONFIRMED again, with a lower
 * refunded amount. Fails with {@link IllegalTransition} when the row has FAILED. decisions, section 5: Donation.
 */
export const failRefund = (
  donation: Donation.Donation,
  row: Refund,
  at: DateTime.Utc
): Result.Result<Outcome, Refusal> =>
  Result.flatMap(decide(machine, row, { _tag: "Fail", at }), ({ state: refund }) =>
    Result.map(
      decide(Donation.machine, donation, { _tag: "ReverseRefund", at, amount_cents: row.amount_cents }),
      ({ events, state }) => ({ donation: state, refund, events })
    )
  )
