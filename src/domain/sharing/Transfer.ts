import { Schema, Struct } from "effect"
import { DonationId, OrganisationId, PaymentAllocationId, PaymentId, RecipientAccountLinkId } from "../kernel/Ids.ts"
import { type Births, define, type MachineType } from "../kernel/Machine.ts"
import { Cents } from "../kernel/Money.ts"
import * as Refusals from "../kernel/Refusals.ts"
import { Instant } from "../kernel/Timestamp.ts"

const meanings = {
  gross_amount_cents: "What the donor gave toward this recipient, in minor units.",
  net_amount_cents: "What is transferred to the recipient after fees, in minor units.",
  transfer_status: "Whether the money reached this recipient.",
  donation_id: "The recipient's gift; null while there is none."
}

/** Whether the money reached a recipient; lower case on the wire. service-spec, Recommendation set payment. */
export const Status = Schema.Literals(["pending", "succeeded", "failed", "reversed"]).annotate({
  identifier: "TransferStatus"
})
export type Status = typeof Status.Type

const nullableText = Schema.NullOr(Schema.String)

/**
 * One recipient's part of a payment with its transfer: a snapshot, which later changes of the recommendation set do not
 * touch. service-spec, Recommendation set payment: allocations.
 */
export class Transfer extends Schema.Opaque<Transfer>()(
  Schema.Struct({
    /** The `allocation_id` of distribution events and of the recipient's donation. */
    id: PaymentAllocationId,
    recipient_org_account_link_id: RecipientAccountLinkId,
    recipient_organisation_id: OrganisationId,
    gross_amount_cents: Cents,
    /** The amount that is transferred, after fees, minor units. It never changes, not even when the transfer is reversed. */
    net_amount_cents: Cents,
    transfer_status: Status,
    donation_id: Schema.NullOr(DonationId),
    failure_code: nullableText,
    processor_reference: nullableText,
    /** How often it was begun: a series of attempts that was given up is followed by another one only by hand. */
    series: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
    /** Attempts of the series that the processor refused and after which another one was to follow. */
    retry_count: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
    succeeded_at: Schema.NullOr(Instant),
    /** When it was last given up; kept when it was begun anew. */
    failed_at: Schema.NullOr(Instant),
    reversed_at: Schema.NullOr(Instant)
  }).annotate({ identifier: "StoredPaymentAllocation" })
) {}

/** An allocation of a payment as the API shows it. service-spec, Recommendation set payment: allocations. */
export const PaymentAllocationRecord = Schema.Struct({
  id: PaymentAllocationId,
  recipient_org_account_link_id: RecipientAccountLinkId,
  gross_amount_cents: Cents,
  net_amount_cents: Cents,
  transfer_status: Status,
  donation_id: Schema.NullOr(DonationId)
}).annotate({ identifier: "PaymentAllocation", meanings })

/** An allocation as the API shows it. */
export const recordOf = (transfer: Transfer): typeof PaymentAllocationRecord.Type => ({
  id: transfer.id,
  recipient_org_account_link_id: transfer.recipient_org_account_link_id,
  gross_amount_cents: transfer.gross_amount_cents,
  net_amount_cents: transfer.net_amount_cents,
  transfer_status: transfer.transfer_status,
  donation_id: transfer.donation_id
})

/** Whether there is money to transfer. An allocation of 0 cents gets no transfer. decisions, section 5: Transfer. */
export const isDue = (transfer: Transfer): boolean => transfer.net_amount_cents > 0

/**
 * Whether the donor gave this recipient anything. An allocation of 0 cents is no part of the distribution. money,
 * section 6.
 */
export const isGiven = (transfer: Transfer): boolean => transfer.gross_amount_cents > 0

/**
 * The transfer with the recipient's donation set, which was written when the payment succeeded. decisions, section 5:
 * Transfer.
 */
export const withDonation = (transfer: Transfer, donation_id: DonationId): Transfer => ({ ...transfer, donation_id })

/** The commands of the machine of a transfer. */
export const Command = Schema.TaggedUnion({
  Retry: { at: Instant, failure_code: Schema.String },
  Succeed: { at: Instant, processor_reference: nullableText },
  Fail: { at: Instant, failure_code: Schema.String },
  Skip: { at: Instant },
  Restart: { at: Instant, donation_id: DonationId },
  Reverse: { at: Instant }
})
export type Command = typeof Command.Type

/** The data of every distribution event. service-spec, recommendation_set.payment_* and distribution_* data; decisions, section 6. */
export const eventData = Schema.Struct({
  recommendation_set_payment_id: PaymentId,
  recommendation_set_id: nullableText,
  allocation_id: PaymentAllocationId,
  recipient_org_account_link_id: RecipientAccountLinkId,
  amount_cents: Cents.annotate({ description: "Net: what is transferred after fees" }),
  gross_amount_cents: Cents.annotate({ description: "What the donor gave toward this recipient" }),
  transfer_status: Status,
  donation_id: nullableText.annotate({ description: "The recipient's donation: the `data.id` of its donation events" }),
  failure_code: nullableText
}).annotate({ identifier: "DistributionEventData" })

/** The part of the event data that the transfer holds; its payment is known to whoever has the payment. */
const ownData = eventData.mapFields(Struct.omit(["recommendation_set_payment_id", "recommendation_set_id"]))

const ownDataOf = (transfer: Transfer): (typeof ownData)["Type"] => ({
  allocation_id: transfer.id,
  recipient_org_account_link_id: transfer.recipient_org_account_link_id,
  amount_cents: transfer.net_amount_cents,
  gross_amount_cents: transfer.gross_amount_cents,
  transfer_status: transfer.transfer_status,
  donation_id: transfer.donation_id,
  failure_code: transfer.failure_code
})

/** The data of a distribution event in the transfer's present state. */
export const eventDataOf = (
  payment: { readonly id: PaymentId; readonly recommendation_set_id: string | null },
  transfer: Transfer
): (typeof eventData)["Type"] => ({
  recommendation_set_payment_id: payment.id,
  recommendation_set_id: payment.recommendation_set_id,
  ...ownDataOf(transfer)
})

const told = { data: ownData, of: ownDataOf }
const events = { "recommendation_set.distribution_succeeded": told, "recommendation_set.distribution_failed": told }
/** The types of events of a transfer. */
export type TransferEvent = keyof typeof events

const rule = "decisions, section 5: Transfer"
const when = "there is money to transfer"
const distribution = "money, section 6"

/** How transfers come to be. */
export const births = {
  submitted: { by: "a payment to a recommendation set is submitted", to: "pending", emits: [], rule }
} as const satisfies Births<Status, TransferEvent>

const defined = define({
  name: "Transfer",
  state: Transfer,
  command: Command,
  events,
  wording: Refusals.transfer,
  statuses: Status.literals,
  rule,
  births,
  table: {
    Retry: {
      from: ["pending"],
      to: "pending",
      when,
      guard: isDue,
      patch: (self, { failure_code }) => ({ retry_count: self.retry_count + 1, failure_code })
    },
    Succeed: {
      from: ["pending"],
      to: "succeeded",
      emits: ["recommendation_set.distribution_succeeded"],
      when,
      guard: isDue,
      patch: (_, { at, processor_reference }) => ({ succeeded_at: at, processor_reference, failure_code: null })
    },
    Fail: {
      from: ["pending"],
      to: "failed",
      emits: ["recommendation_set.distribution_failed"],
      when,
      guard: isDue,
      patch: (_, { at, failure_code }) => ({ failed_at: at, failure_code })
    },
    Skip: {
      from: ["pending"],
      to: "succeeded",
      when: "there is no money to transfer",
      guard: (self) => !isDue(self),
      patch: (_, { at }) => ({ succeeded_at: at }),
      rule: distribution
    },
    Restart: {
      from: ["failed", "reversed"],
      to: "pending",
      patch: (self, { donation_id }) => ({ series: self.series + 1, retry_count: 0, donation_id, failure_code: null }),
      rule: distribution
    },
    Reverse: { from: ["succeeded"], to: "reversed", emits: [], patch: (_, { at }) => ({ reversed_at: at }) }
  },
  statusOf: (transfer) => transfer.transfer_status,
  enter: (transfer_status) => ({ transfer_status }),
  milestones: { succeeded_at: ["succeeded"], failed_at: ["failed"], reversed_at: ["reversed"] }
})

export interface machine extends MachineType<typeof defined> {}
/**
 * decisions, section 5: Transfer. `donation.failed` at the recipient, which goes with a failure, is emitted by the
 * machine of the recipient's donation.
 */
export const machine: machine = defined

/** Whether the money of a payment reached its recipients. service-spec, Recommendation set payment. */
export const DistributionStatus = Schema.Literals(["PENDING", "SUCCEEDED", "PARTIAL", "FAILED", "REVERSED"]).annotate({
  identifier: "DistributionStatus"
})
export type DistributionStatus = typeof DistributionStatus.Type

/**
 * The distribution status, derived from the statuses of a payment's transfers and never stored. The first match wins:
 * none, or any pending; all succeeded; none succeeded and some reversed; all failed; anything else is PARTIAL.
 * decisions, section 5: Distribution.
 * @example
 * Transfer.distributionOf(["succeeded", "failed"]) // => "PARTIAL"
 * Transfer.distributionOf([]) // => "PENDING"
 */
export const distributionOf = (statuses: ReadonlyArray<Status>): DistributionStatus => {
  if (statuses.length === 0 || statuses.includes("pending")) return "PENDING"
  if (statuses.every((status) => status === "succeeded")) return "SUCCEEDED"
  if (!statuses.includes("succeeded") && statuses.includes("reversed")) return "REVERSED"
  return statuses.every((status) => status === "failed") ? "FAILED" : "PARTIAL"
}
