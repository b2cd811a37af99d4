import { Array as Arr, DateTime, Duration, Schema } from "effect"
import { Donation } from "../giving/DonationFields.ts"
import { CampaignId, DonorId, OrganisationId, PaymentId, RecommendationSetId } from "../kernel/Ids.ts"
import { addTime } from "../kernel/InstantRange.ts"
import { Limits } from "../kernel/Limits.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { type Births, birth, define, type MachineType } from "../kernel/Machine.ts"
import { Cents, Currency, centsOf } from "../kernel/Money.ts"
import * as Refusals from "../kernel/Refusals.ts"
import * as Rule from "../kernel/Rule.ts"
import { Instant } from "../kernel/Timestamp.ts"
import { split } from "../payments/Fees.ts"
import * as Transfer from "./Transfer.ts"

const meanings = {
  recommendation_set_id: "The set that was paid.",
  donor_id: "Who gave; null briefly, until the donor is known.",
  payment_status: "Whether the donor's money arrived.",
  distribution_status: "Whether the money reached the recipients; meaningful once `payment_status` is SUCCEEDED.",
  total_amount_cents: "What the donor gave in total, in minor units.",
  ask_total_cents: "What a personalised campaign link asked of the donor; null for the shared link.",
  payment_method_type: "How the donor paid, such as `card`.",
  allocations: "What goes to each recipient.",
  referred_count: "How many payments SUCCEEDED.",
  in_flight_count: "How many payments are PENDING or AWAITING_FUNDS."
}

/** Whether the donor's money arrived. service-spec, Recommendation set payment. */
export const Status = Schema.Literals(["PENDING", "SUCCEEDED", "FAILED", "AWAITING_FUNDS", "LAPSED"]).annotate({
  identifier: "PaymentStatus"
})
export type Status = typeof Status.Type

const nullableText = Schema.NullOr(Schema.String)
const nullableInstant = Schema.NullOr(Instant)

/** A donor's one payment to the recipients of a recommendation set. service-spec, Recommendation set payment. */
export class Payment extends Schema.Opaque<Payment>()(
  Schema.Struct({
    id: PaymentId,
    /** The recommending organisation. */
    organisation_id: OrganisationId,
    recommendation_set_id: Schema.NullOr(RecommendationSetId),
    donor_id: Schema.NullOr(DonorId),
    /** The donor of the personalised link that was paid through: whoever gives is nobody else. */
    link_donor_id: Schema.NullOr(DonorId),
    /** The details that were typed, by which the donor is found or made once the money is there. */
    submitted_donor: Donation.fields.submitted_donor,
    language: Donation.fields.language,
    consent_given: Donation.fields.consent_given,
    consent_responses: Donation.fields.consent_responses,
    /** The campaign that the payment is attributed to. */
    campaign_id: Schema.NullOr(CampaignId),
    payment_status: Status,
    currency: Currency,
    total_amount_cents: Cents,
    /** The ask of a personalised campaign link, when the donor arrived; null for the shared link. */
    ask_total_cents: Schema.NullOr(Cents),
    payment_method_type: Schema.String,
    platform_fee_cents: Cents,
    processor_fee_cents: Cents,
    allocations: Schema.Array(Transfer.Transfer),
    processor_reference: nullableText,
    failure_code: nullableText,
    succeeded_at: nullableInstant,
    failed_at: nullableInstant,
    /** When its transfers began: from then on its amounts stay. */
    transfers_begun_at: nullableInstant,
    created_at: Instant,
    updated_at: Instant
  }).annotate({ identifier: "StoredRecommendationSetPayment" })
) {}

/** A payment as the API shows it. service-spec, Recommendation set payment. */
export const RecommendationSetPaymentRecord = Schema.Struct({
  id: PaymentId,
  recommendation_set_id: Payment.fields.recommendation_set_id,
  donor_id: Payment.fields.donor_id,
  payment_status: Status,
  distribution_status: Transfer.DistributionStatus,
  total_amount_cents: Cents,
  ask_total_cents: Schema.NullOr(Cents),
  payment_method_type: Schema.String,
  created_at: Instant,
  allocations: Schema.Array(Transfer.PaymentAllocationRecord)
}).annotate({ identifier: "RecommendationSetPayment", meanings })

/**
 * Whether the money of a payment reached its recipients: derived from its transfers. An allocation to which nothing was
 * given counts for none. Meaningful once the payment has SUCCEEDED. decisions, section 5: Distribution.
 */
export const distributionStatusOf = (payment: Payment): Transfer.DistributionStatus =>
  Transfer.distributionOf(payment.allocations.filter(Transfer.isGiven).map((transfer) => transfer.transfer_status))

/** The fields that a payment's record and its events share. */
const commonOf = (payment: Payment) => ({
  recommendation_set_id: payment.recommendation_set_id,
  donor_id: payment.donor_id,
  payment_status: payment.payment_status,
  distribution_status: distributionStatusOf(payment),
  total_amount_cents: payment.total_amount_cents,
  ask_total_cents: payment.ask_total_cents,
  payment_method_type: payment.payment_method_type
})

/** A payment as the API shows it. */
export const recordOf = (payment: Payment): typeof RecommendationSetPaymentRecord.Type => ({
  id: payment.id,
  ...commonOf(payment),
  created_at: payment.created_at,
  allocations: payment.allocations.map(Transfer.recordOf)
})

/** The payment with a new state of one of its transfers. */
export const withTransfer = (payment: Payment, transfer: Transfer.Transfer, at: DateTime.Utc): Payment => ({
  ...payment,
  allocations: payment.allocations.map((each) => (each.id === transfer.id ? transfer : each)),
  updated_at: at
})

/** The payment with its donor resolved. decisions, section 7: On SUCCEEDED: resolve the donor. */
export const withDonor = (payment: Payment, donor_id: DonorId, at: DateTime.Utc): Payment => ({
  ...payment,
  donor_id,
  updated_at: at
})

/** Fees as they are known once the processor has said its own. */
type KnownFees = Pick<Payment, "processor_fee_cents" | "platform_fee_cents">

/**
 * The payment with its true fees, and the net amounts that they leave, by largest remainder. A processor's fee above what
 * was paid leaves nothing; the organisation bears the rest. The same fees change nothing, and none do once the transfers have
 * begun. money, section 6.
 */
export const withFees = (payment: Payment, fees: KnownFees, at: DateTime.Utc): Payment => {
  const processor_fee_cents = Math.min(fees.processor_fee_cents, payment.total_amount_cents)
  const { platform_fee_cents } = fees
  const left = payment.total_amount_cents - processor_fee_cents - platform_fee_cents
  const net = split(
    left,
    payment.allocations.map(({ gross_amount_cents }) => gross_amount_cents)
  )
  const isKnown =
    payment.transfers_begun_at !== null ||
    (payment.processor_fee_cents === processor_fee_cents &&
      payment.platform_fee_cents === platform_fee_cents &&
      payment.allocations.every(({ net_amount_cents }, index) => net_amount_cents === net[index]))
  return isKnown
    ? payment
    : {
        ...payment,
        processor_fee_cents,
        platform_fee_cents,
        allocations: Arr.zipWith(payment.allocations, net, (each, net_amount_cents) => ({ ...each, net_amount_cents })),
        updated_at: at
      }
}

/** The list of a set's payments. */
export const listing = {
  filters: {
    payment_status: { kind: "enum", values: Status.literals, description: "Whether the donor's money arrived" },
    donor_id: { kind: "text", description: "Who gave" },
    payment_method_type: { kind: "text", description: "How the donor paid" },
    total_amount_cents: { kind: "integer", description: "Amount in minor units" },
    created_at: { kind: "timestamp", description: "When the payment was submitted" }
  }
} as const satisfies ListSpec

/** The commands of the machine of a payment. */
export const Command = Schema.TaggedUnion({
  AwaitFunds: { at: Instant },
  Succeed: { at: Instant },
  Fail: { at: Instant, failure_code: Schema.String },
  Lapse: { at: Instant }
})
export type Command = typeof Command.Type

/** When a payment whose funds are awaited lapses: 14 days after it was submitted. service-spec, Limits. */
export const lapsesAt = (payment: Payment): DateTime.Utc =>
  addTime(payment.created_at, Duration.days(Limits.bankTransferLapseDays))

/** The data of every payment event. decisions, section 6: recommendation_set.payment_*. */
export const eventData = Schema.Struct({
  recommendation_set_payment_id: PaymentId,
  recommendation_set_id: nullableText,
  donor_id: nullableText,
  payment_status: Status,
  distribution_status: Transfer.DistributionStatus.annotateKey({
    description: "Whether the money reached the recipients; meaningful once payment_status is SUCCEEDED"
  }),
  total_amount_cents: Cents,
  ask_total_cents: Schema.NullOr(Cents).annotate({
    description: "The ask of a personalised campaign link; null for the shared link"
  }),
  payment_method_type: Schema.String,
  failure_code: nullableText
}).annotate({ identifier: "RecommendationSetPaymentEventData" })

/** The donor of a payment: of the link that led to it, or who was found once its money was there; null where nobody is known. */
export const payerOf = ({ donor_id, link_donor_id }: Pick<Payment, "donor_id" | "link_donor_id">): DonorId | null =>
  link_donor_id ?? donor_id

/** The data of a payment's event in its present state. */
export const eventDataOf = (payment: Payment): (typeof eventData)["Type"] => ({
  recommendation_set_payment_id: payment.id,
  ...commonOf(payment),
  failure_code: payment.failure_code
})

const told = { data: eventData, of: eventDataOf }
const events = { "recommendation_set.payment_succeeded": told, "recommendation_set.payment_failed": told }
/** The types of events of a payment. */
export type PaymentEvent = keyof typeof events

const rule = "decisions, section 5: Recommendation-set payment"

/** How payments come to be. */
export const births = {
  submitted: { by: "a donor submits a payment", to: "PENDING", emits: [], rule }
} as const satisfies Births<Status, PaymentEvent>

/** A payment that lapsed, as another one whose money is to come: its parts have not gone anywhere. */
export const anewOf = (
  lapsed: Payment,
  { allocations, at, id }: Pick<Payment, "allocations" | "id"> & { readonly at: DateTime.Utc }
): Payment =>
  birth(machine, births.submitted, (payment_status) => ({
    ...lapsed,
    id,
    allocations,
    payment_status,
    donor_id: null,
    failure_code: null,
    failed_at: null,
    created_at: at,
    updated_at: at
  })).state

const defined = define({
  name: "Recommendation set payment",
  state: Payment,
  command: Command,
  events,
  wording: Refusals.payment,
  statuses: Status.literals,
  rule,
  births,
  table: {
    AwaitFunds: {
      from: ["PENDING"],
      to: "AWAITING_FUNDS",
      when: "the donor pays by bank transfer",
      guard: (self) => self.payment_method_type === "bank_transfer",
      patch: (_, { at }) => ({ updated_at: at }),
      rule: "service-spec, Recommendation set payment: payment_status"
    },
    Succeed: {
      from: ["PENDING", "AWAITING_FUNDS"],
      to: "SUCCEEDED",
      emits: ["recommendation_set.payment_succeeded"],
      patch: (_, { at }) => ({ updated_at: at, succeeded_at: at })
    },
    Fail: {
      from: ["PENDING", "AWAITING_FUNDS"],
      to: "FAILED",
      emits: ["recommendation_set.payment_failed"],
      patch: (_, { at, failure_code }) => ({ updated_at: at, failed_at: at, failure_code })
    },
    Lapse: {
      from: ["AWAITING_FUNDS"],
      to: "LAPSED",
      emits: ["recommendation_set.payment_failed"],
      when: "14 days have passed since the payment was submitted",
      guard: (self, { at }) => DateTime.isLessThanOrEqualTo(lapsesAt(self), at),
      patch: (_, { at }) => ({ updated_at: at, failed_at: at, failure_code: "bank_transfer_lapsed" })
    }
  },
  statusOf: (payment) => payment.payment_status,
  enter: (payment_status) => ({ payment_status }),
  milestones: { succeeded_at: ["SUCCEEDED"], failed_at: ["FAILED", "LAPSED"] }
})

export interface machine extends MachineType<typeof defined> {}
/** decisions, section 5: Recommendation-set payment. Its events go to the recommending organisation. */
export const machine: machine = defined

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Standing totals over all payments of a set. service-spec, Recommendation set: payment_summary. */
export const PaymentSummary = Schema.Struct({
  referred_cents: Cents.annotate({ description: "Sum of the SUCCEEDED payments" }),
  referred_count: count,
  in_flight_cents: Cents.annotate({ description: "Sum of the PENDING and AWAITING_FUNDS payments" }),
  in_flight_count: count
}).annotate({ identifier: "PaymentSummary", meanings })
export type PaymentSummary = typeof PaymentSummary.Type

const { is } = Rule.rulesOf<Payment>()

/** Payments whose money arrived. service-spec, Recommendation set: payment_summary. */
export const settledRule = is("payment_status", "SUCCEEDED")

/** Payments whose money may still arrive. service-spec, Recommendation set: payment_summary. */
export const inFlight = is("payment_status", "PENDING", "AWAITING_FUNDS")

type Counted = Pick<Payment, "payment_status" | "total_amount_cents">

const bucketOf = (payment: Counted): "referred" | "in_flight" | null =>
  Rule.holds(settledRule, payment) ? "referred" : Rule.holds(inFlight, payment) ? "in_flight" : null

/**
 * The payment_summary of a set's payments; FAILED and LAPSED ones count in neither bucket. Throws a `RangeError` for what
 * is no amount.
 */
export const summaryOf = (payments: Iterable<Counted>): PaymentSummary => {
  const totals = { referred_cents: 0, referred_count: 0, in_flight_cents: 0, in_flight_count: 0 }
  for (const payment of payments) {
    const bucket = bucketOf(payment)
    if (bucket === null) continue
    totals[`${bucket}_cents`] += centsOf("total_amount_cents", payment.total_amount_cents)
    totals[`${bucket}_count`] += 1
  }
  return totals
}
