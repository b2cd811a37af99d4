import { DateTime, Duration, Schema, Struct } from "effect"
import { CalendarDate } from "../kernel/CalendarDate.ts"
import { type Forms, type InForms, inForms } from "../kernel/Fields.ts"
import { DonationId, DonorId } from "../kernel/Ids.ts"
import { addTime } from "../kernel/InstantRange.ts"
import { Limits } from "../kernel/Limits.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { type Births, define, type Emission, type MachineType } from "../kernel/Machine.ts"
import { Cents, Currency, DonationCents } from "../kernel/Money.ts"
import * as Refusals from "../kernel/Refusals.ts"
import * as Rule from "../kernel/Rule.ts"
import { GivenId, TextUpTo } from "../kernel/Text.ts"
import { Instant } from "../kernel/Timestamp.ts"
import { ConsentResponse, Donation, meanings, Status } from "./DonationFields.ts"
import { DonationType, InKindCategory, ManualPaymentMethod, Source } from "./DonationKinds.ts"
import { CodeText } from "./RevenueCode.ts"

export { bare, ConsentResponse, Donation, meanings, Status } from "./DonationFields.ts"
export { DonationType, InKindCategory, ManualPaymentMethod, Source } from "./DonationKinds.ts"

const nullableText = Schema.NullOr(Schema.String)

const notInLists = [
  "organisation_id",
  "donation_day",
  "received_day",
  "consent_responses",
  "differs_from_record",
  "submitted_donor",
  "language",
  "failure_code",
  "charge_id",
  "credit_id",
  "checkout_link_id",
  "recipient_account_link_id"
] as const

/** Donations that are not deleted. Deleted ones are never shown. */
export const undeletedRule = Rule.rulesOf<Donation>().lacks("deleted_at")

/** Donations that count, or are about to: they neither failed nor were given back whole. */
export const liveRule = Rule.rulesOf<Donation>().is("status", "PENDING", "CONFIRMED")

/** A donation as lists and creation show it. service-spec, Donation. */
export const DonationRecord = Donation.mapFields(Struct.omit(notInLists)).annotate({ identifier: "Donation", meanings })

/** A donation as the single read shows it. service-spec, Donation: submitted_donor. */
export const DonationDetail = DonationRecord.mapFields((fields) => ({
  ...fields,
  submitted_donor: Donation.fields.submitted_donor
})).annotate({ identifier: "DonationDetail", meanings })

/** Money, or things: those are named and described. */
const forms = [
  { donation_type: ["MONETARY"] },
  { donation_type: ["IN_KIND"], in_kind_category: "given", in_kind_description: "given" }
] as const satisfies Forms

const newFields = Schema.Struct({
  donor_id: GivenId,
  donation_type: DonationType,
  amount_cents: DonationCents,
  donation_date: CalendarDate,
  payment_method: Schema.optionalKey(Schema.NullOr(ManualPaymentMethod)),
  in_kind_category: Schema.optionalKey(Schema.NullOr(InKindCategory)),
  in_kind_description: Schema.optionalKey(Schema.NullOr(TextUpTo(Limits.inKindDescriptionCharacters))),
  revenue_code: Schema.optionalKey(Schema.NullOr(CodeText)),
  revenue_code_id: Schema.optionalKey(Schema.NullOr(TextUpTo(Limits.revenueCodeIdCharacters)))
}).annotate({
  identifier: "NewDonation",
  meanings: {
    ...meanings,
    donation_date: "The day of the gift, `YYYY-MM-DD`, in the organisation's timezone.",
    revenue_code: "Text of a revenue code, which is made when there is none. Ignored when `revenue_code_id` is given.",
    revenue_code_id: "Revenue code of the organisation; wins over `revenue_code`."
  }
})

/** The body of POST /donations. service-spec, Create-donation body. */
export const NewDonation = inForms(newFields, forms)
export type NewDonation = InForms<typeof newFields.Type, typeof forms>

/** The list of donations. decisions, section 4: Donations. */
export const listing = {
  filters: {
    status: { kind: "enum", values: Status.literals, description: "Status; CONFIRMED when not given" },
    donor_id: { kind: "text", description: "Who gave" },
    source: { kind: "enum", values: Source.literals, description: "How the gift came in" },
    donation_type: { kind: "enum", values: DonationType.literals, description: "Money or in kind" },
    donation_date: {
      kind: "day",
      dayColumn: "donation_day",
      description: "When the gift was made; a bare date is a day in the organisation's timezone"
    },
    received_date: {
      kind: "day",
      dayColumn: "received_day",
      description: "When the money arrived; a bare date is a day in the organisation's timezone"
    },
    created_at: { kind: "timestamp", description: "When the gift was recorded" },
    amount_cents: { kind: "integer", description: "Amount in minor units" },
    currency: { kind: "text", description: "ISO 4217 code" },
    revenue_code_id: { kind: "text", description: "Revenue code" },
    donation_form_id: { kind: "text", description: "Form that the gift came through" },
    campaign_id: { kind: "text", description: "Campaign that the gift is attributed to" },
    recommendation_set_id: { kind: "text", description: "Recommendation set" },
    subscription_id: { kind: "text", description: "Subscription" },
    external_id: { kind: "text", description: "Identifier in the system that the gift came from" },
    is_recurring: { kind: "boolean", description: "Whether the gift belongs to a subscription" }
  },
  defaults: { status: "CONFIRMED" }
} as const satisfies ListSpec

/** The commands of the machine of a donation. */
export const Command = Schema.TaggedUnion({
  EnterNetwork: { at: Instant },
  Settle: { at: Instant, received_on: CalendarDate },
  SettleTransfer: { at: Instant, arrived_at: Instant, arrived_on: CalendarDate },
  Fail: { at: Instant, failure_code: Schema.String },
  Lapse: { at: Instant },
  RefundPart: { at: Instant, amount_cents: DonationCents },
  RefundRest: { at: Instant, amount_cents: DonationCents },
  ReverseRefund: { at: Instant, amount_cents: DonationCents },
  LoseChargeback: { at: Instant, amount_cents: DonationCents },
  LoseChargebackPart: { at: Instant, amount_cents: DonationCents }
})
export type Command = typeof Command.Type

/**
 * Gifts whose donor is owed a receipt: those of money that a page or a checkout took. What was recorded by hand, imported or
 * given in kind was receipted elsewhere, or is by staff. docs/decisions/0080.
 */
export const receiptedRule = Rule.rulesOf<Donation>().is(
  "source",
  "PAYMENT_PROCESSOR",
  "CHECKOUT_LINK",
  "RECOMMENDATION_SET"
)

/** Whether the donor is owed a receipt of a gift. */
export const isReceipted = (donation: Pick<Donation, "source">): boolean => Rule.holds(receiptedRule, donation)

/** A gift that failed, as another one that is not received yet. */
export const anewOf = (
  { status: _, ...failed }: Donation,
  id: DonationId,
  at: DateTime.Utc
): Omit<Donation, "status"> => ({
  ...failed,
  id,
  refunded_amount_cents: 0,
  failure_code: null,
  received_date: null,
  received_day: null,
  deleted_at: null,
  created_at: at,
  updated_at: at
})

/** Cents that can still be refunded. */
export const refundableCents = (donation: Pick<Donation, "amount_cents" | "refunded_amount_cents">): number =>
  donation.amount_cents - donation.refunded_amount_cents

const lapsesAt = (donation: Donation): DateTime.Utc =>
  addTime(donation.created_at, Duration.days(Limits.bankTransferLapseDays))

const isBankTransfer = (donation: Donation): boolean => donation.payment_method === "bank_transfer"

/** An amount that goes back, by a refund or a chargeback. */
interface GivenBack {
  readonly at: DateTime.Utc
  readonly amount_cents: number
}

const givingBackPart = {
  guard: (self: Donation, { amount_cents }: GivenBack) => amount_cents < refundableCents(self),
  patch: (self: Donation, { amount_cents, at }: GivenBack): Partial<Donation> => ({
    updated_at: at,
    refunded_amount_cents: self.refunded_amount_cents + amount_cents
  })
}

const givingBackRest = {
  guard: (self: Donation, { amount_cents }: GivenBack) => amount_cents === refundableCents(self),
  patch: (self: Donation, { at }: GivenBack): Partial<Donation> => ({
    updated_at: at,
    refunded_amount_cents: self.amount_cents
  })
}

const specTable = "service-spec, States and transitions: Donation"
const decisionsTable = "decisions, section 5: Donation"

/** The data of every donation event. service-spec, donation.* data; decisions, section 6. */
export const eventData = Schema.Struct({
  id: DonationId,
  donor_id: DonorId,
  amount_cents: Cents,
  currency: Currency,
  refunded_amount_cents: Cents,
  source: Source,
  status: Status,
  donation_date: Instant,
  failure_code: nullableText,
  revenue_code: nullableText,
  revenue_code_id: nullableText,
  tracking_code: nullableText.annotate({ deprecated: true, description: "Deprecated: the same as revenue_code" }),
  tracking_code_id: nullableText.annotate({ deprecated: true, description: "Deprecated: the same as revenue_code_id" }),
  subscription_id: nullableText,
  is_recurring: Schema.Boolean,
  donation_form_id: nullableText,
  campaign_id: nullableText,
  consent_given: Schema.NullOr(Schema.Boolean),
  consent_responses: Schema.Array(ConsentResponse),
  differs_from_record: Schema.NullOr(Schema.Boolean),
  recommendation_set_id: nullableText,
  allocation_id: nullableText,
  updated_at: Instant
}).annotate({ identifier: "DonationEventData" })

/** The data of a donation's event in the donation's present state. */
export const eventDataOf = (donation: Donation): (typeof eventData)["Type"] => ({
  id: donation.id,
  donor_id: donation.donor_id,
  amount_cents: donation.amount_cents,
  currency: donation.currency,
  refunded_amount_cents: donation.refunded_amount_cents,
  source: donation.source,
  status: donation.status,
  donation_date: donation.donation_date,
  failure_code: donation.failure_code,
  revenue_code: donation.revenue_code,
  revenue_code_id: donation.revenue_code_id,
  tracking_code: donation.revenue_code,
  tracking_code_id: donation.revenue_code_id,
  subscription_id: donation.subscription_id,
  is_recurring: donation.is_recurring,
  donation_form_id: donation.donation_form_id,
  campaign_id: donation.campaign_id,
  consent_given: donation.consent_given,
  consent_responses: donation.consent_responses,
  differs_from_record: donation.differs_from_record,
  recommendation_set_id: donation.recommendation_set_id,
  allocation_id: donation.allocation_id,
  updated_at: donation.updated_at
})

const told = { data: eventData, of: eventDataOf }
const events = {
  "donation.created": told,
  "donation.processing": told,
  "donation.succeeded": told,
  "donation.refunded": told,
  "donation.refund_reversed": told,
  "donation.failed": told
}
/** The types of events of a donation. */
export type DonationEvent = keyof typeof events
/** An event of a donation, with its data. */
export type DonationEmission = Emission<{ readonly [T in DonationEvent]: (typeof eventData)["Type"] }>

/** How donations come to be. */
export const births = {
  submitted: { by: "a gift is submitted", to: "PENDING", emits: ["donation.created"], rule: specTable },
  written: {
    by: "a row without an in-flight phase is written",
    to: "CONFIRMED",
    emits: ["donation.created", "donation.succeeded"],
    rule: specTable
  }
} as const satisfies Births<Status, DonationEvent>

const defined = define({
  name: "Donation",
  state: Donation,
  command: Command,
  events,
  wording: Refusals.donation,
  statuses: Status.literals,
  rule: specTable,
  births,
  table: {
    EnterNetwork: {
      from: ["PENDING"],
      to: "PENDING",
      emits: ["donation.processing"],
      when: "the gift is paid by direct debit or PayTo",
      guard: (self) => self.payment_method === "au_becs_debit" || self.payment_method === "payto",
      patch: (_, { at }) => ({ updated_at: at })
    },
    Settle: {
      from: ["PENDING"],
      to: "CONFIRMED",
      emits: ["donation.succeeded"],
      when: "the gift is not a bank transfer",
      guard: (self) => !isBankTransfer(self),
      patch: (_, { at, received_on }) => ({ updated_at: at, received_date: at, received_day: received_on })
    },
    SettleTransfer: {
      from: ["PENDING"],
      to: "CONFIRMED",
      emits: ["donation.succeeded"],
      when: "the gift is a bank transfer; its date becomes the day of arrival",
      guard: isBankTransfer,
      patch: (_, { arrived_at, arrived_on, at }) => ({
        updated_at: at,
        received_date: arrived_at,
        received_day: arrived_on,
        donation_date: arrived_at,
        donation_day: arrived_on
      })
    },
    Fail: {
      from: ["PENDING"],
      to: "FAILED",
      emits: ["donation.failed"],
      patch: (_, { at, failure_code }) => ({ updated_at: at, failure_code })
    },
    Lapse: {
      from: ["PENDING"],
      to: "FAILED",
      emits: ["donation.failed"],
      when: "the gift is a bank transfer and 14 days have passed since it was submitted",
      guard: (self, { at }) => isBankTransfer(self) && DateTime.isLessThanOrEqualTo(lapsesAt(self), at),
      patch: (_, { at }) => ({ updated_at: at, failure_code: "bank_transfer_lapsed" })
    },
    RefundPart: {
      from: ["CONFIRMED"],
      to: "CONFIRMED",
      emits: ["donation.refunded"],
      when: "less than what is left is refunded",
      ...givingBackPart,
      rule: decisionsTable
    },
    RefundRest: {
      from: ["CONFIRMED"],
      to: "REFUNDED",
      emits: ["donation.refunded"],
      when: "all that is left is refunded",
      ...givingBackRest,
      rule: decisionsTable
    },
    ReverseRefund: {
      from: ["CONFIRMED", "REFUNDED"],
      to: "CONFIRMED",
      emits: ["donation.refund_reversed"],
      when: "no more than what was refunded comes back",
      guard: (self, { amount_cents }) => amount_cents <= self.refunded_amount_cents,
      patch: (self, { amount_cents, at }) => ({
        updated_at: at,
        refunded_amount_cents: self.refunded_amount_cents - amount_cents
      }),
      rule: decisionsTable
    },
    LoseChargeback: {
      from: ["CONFIRMED"],
      to: "REFUNDED",
      emits: ["donation.refunded"],
      when: "all that is left is charged back",
      ...givingBackRest,
      rule: decisionsTable
    },
    LoseChargebackPart: {
      from: ["CONFIRMED"],
      to: "CONFIRMED",
      emits: ["donation.refunded"],
      when: "less than what is left is charged back",
      ...givingBackPart,
      rule: "money, section 2: Dispute"
    }
  },
  statusOf: (donation) => donation.status,
  enter: (status) => ({ status })
})

export interface machine extends MachineType<typeof defined> {}
/**
 * service-spec, States and transitions: Donation; decisions, section 5: Donation.
 *
 * FAILED is terminal, so money that arrives after it is not applied: `Settle` and `SettleTransfer` are refused with
 * `IllegalTransition`. The caller then records an exception for staff and has the processor refund the money. Refunds and
 * lost chargebacks also write a ledger row: call them through the functions of `Refund`.
 */
export const machine: machine = defined
