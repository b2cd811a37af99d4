import { type DateTime, Schema, Struct } from "effect"
import { ConsentResponse } from "../giving/DonationFields.ts"
import { PaymentMethod } from "../giving/DonationKinds.ts"
import { CalendarDate } from "../kernel/CalendarDate.ts"
import {
  CampaignId,
  DonationFormId,
  DonationId,
  DonorId,
  IntegrationId,
  MandateId,
  OrganisationId,
  RevenueCodeId,
  SubscriptionId
} from "../kernel/Ids.ts"
import { Limits } from "../kernel/Limits.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { type Births, byField, define, type MachineType } from "../kernel/Machine.ts"
import { Currency, DonationCents } from "../kernel/Money.ts"
import * as Refusals from "../kernel/Refusals.ts"
import * as Rule from "../kernel/Rule.ts"
import { Frequency, nextDueDay } from "../kernel/Schedule.ts"
import { TextUpTo } from "../kernel/Text.ts"
import { Instant } from "../kernel/Timestamp.ts"

/** The states of a subscription. */
export const Status = Schema.Literals(["INCOMPLETE", "ACTIVE", "PAST_DUE", "CANCELLED"]).annotate({
  identifier: "SubscriptionStatus"
})
export type Status = typeof Status.Type

/**
 * The reasons for which a recurring gift ended; null stands for any other or a missing reason. service-spec,
 * subscription.* data.
 */
export const CancelReason = Schema.Literals(["cancellation_requested", "payment_disputed", "payment_failed"]).annotate({
  identifier: "SubscriptionCancelReason"
})
export type CancelReason = typeof CancelReason.Type

/** The reasons that a donor can choose on ending a gift in the portal. service-spec, subscription.* data. */
export const DonorCancelReasonCode = Schema.Literals([
  "cost",
  "giving_differently",
  "moving_on",
  "process",
  "prefer_not_to_say"
]).annotate({ identifier: "DonorCancelReasonCode" })

const nullableText = Schema.NullOr(Schema.String)

const shown = {
  id: SubscriptionId,
  donor_id: DonorId,
  status: Status,
  amount_cents: DonationCents,
  currency: Currency,
  frequency: Frequency,
  donation_form_id: Schema.NullOr(DonationFormId),
  campaign_id: Schema.NullOr(CampaignId),
  created_at: Instant,
  updated_at: Instant,
  cancel_reason: Schema.NullOr(CancelReason).annotate({ description: "Null is any other or a missing reason" }),
  donor_cancel_reason_code: Schema.NullOr(DonorCancelReasonCode).annotate({
    description: "Given exactly when the donor ended the gift in the portal and answered"
  }),
  donor_cancel_reason: nullableText.annotate({ description: "The donor's own words" })
}

/** A gift that is charged again and again. decisions, section 5: Subscription. */
export class Subscription extends Schema.Opaque<Subscription>()(
  Schema.Struct({
    ...shown,
    organisation_id: OrganisationId,
    integration_id: IntegrationId,
    mandate_id: MandateId,
    method: PaymentMethod,
    revenue_code: nullableText,
    revenue_code_id: Schema.NullOr(RevenueCodeId),
    /** The donor answers once, and every renewal repeats it. */
    consent_given: Schema.NullOr(Schema.Boolean),
    consent_responses: Schema.Array(ConsentResponse),
    /** The language of the page that it was set up on, in which the mails of each renewal are; null where none was said. */
    language: nullableText,
    /** The day on which it was set up, in the organisation's timezone: every later due day is counted from it. */
    anchor_day: CalendarDate,
    next_charge_on: Schema.NullOr(CalendarDate),
    /** The invoice that was last paid: a notice of its failure that arrives late changes nothing. */
    last_paid_invoice_id: nullableText,
    /** The day of the newest charge, in the organisation's timezone: there are never two on one. */
    last_charged_on: Schema.NullOr(CalendarDate),
    /** When the worker looks at it next; null where nothing more is to be done. */
    look_at: Schema.NullOr(Instant),
    cancelled_at: Schema.NullOr(Instant)
  }).annotate({ identifier: "StoredSubscription" })
) {}

const meanings = {
  donor_id: "Who gives.",
  status:
    "INCOMPLETE until its first invoice is paid, ACTIVE, PAST_DUE while an invoice could not be paid, CANCELLED once it ended.",
  amount_cents: "How much each gift is, in minor units of the currency.",
  frequency: "How often it is charged.",
  method: "How the donor pays.",
  donation_form_id: "The form that it came through, which every renewal repeats.",
  campaign_id: "Campaign that its gifts are attributed to.",
  revenue_code: "Text of the revenue code under which its gifts are booked.",
  revenue_code_id: "Revenue code under which its gifts are booked.",
  consent_given: "The donor's answer to the first consent prompt; null when none was shown.",
  anchor_day: "The day on which it was set up: every due day is counted from it.",
  next_charge_on: "The next due day, in the organisation's timezone; null once it ended.",
  cancel_reason: "Why it ended; null while it lasts, and for any other or a missing reason.",
  donor_cancel_reason_code: "The donor's reason, where the donor ended it in the portal and answered.",
  donor_cancel_reason: "The donor's own words.",
  cancelled_at: "When it ended; null while it lasts."
}

const notShown = [
  "organisation_id",
  "integration_id",
  "mandate_id",
  "consent_responses",
  "language",
  "last_paid_invoice_id",
  "last_charged_on",
  "look_at"
] as const

/** A recurring gift as callers see it. */
export const SubscriptionRecord = Subscription.mapFields(Struct.omit(notShown)).annotate({
  identifier: "Subscription",
  meanings
})

/** The subscription as callers see it. */
export const recordOf = (subscription: Subscription): typeof SubscriptionRecord.Type =>
  Struct.omit(subscription, notShown)

/** The data of the subscription events. service-spec, subscription.* data. */
export const eventData = {
  subscription: Schema.Struct(shown).annotate({ identifier: "SubscriptionEventData" }),
  /** The data of subscription.payment_failed, which is delivered once per invoice. */
  paymentFailed: Schema.Struct({
    ...shown,
    donation_id: DonationId.annotate({ description: "The `id` of the matching donation.failed" })
  }).annotate({ identifier: "SubscriptionPaymentFailedEventData" })
}

/** The data of a subscription's event in its present state. */
export const eventDataOf = (subscription: Subscription): (typeof eventData.subscription)["Type"] =>
  Struct.pick(subscription, Struct.keys(shown))

/** The data of subscription.payment_failed: with the donation that failed. */
export const paymentFailedDataOf = (
  subscription: Subscription,
  donation_id: DonationId
): (typeof eventData.paymentFailed)["Type"] => ({ ...eventDataOf(subscription), donation_id })

/** Event data of a recurring gift that was set up. */
export const createdEvent = (subscription: Subscription) =>
  ({ type: "subscription.created", data: eventDataOf(subscription) }) as const

/** Event data of a recurring gift that ended. */
export const cancelledEvent = (subscription: Subscription) =>
  ({ type: "subscription.cancelled", data: eventDataOf(subscription) }) as const

/** Event data of an invoice that failed, with the donation that did. */
export const paymentFailedEvent = (subscription: Subscription, donation_id: DonationId) =>
  ({ type: "subscription.payment_failed", data: paymentFailedDataOf(subscription, donation_id) }) as const

/** The list of subscriptions. */
export const listing = {
  filters: {
    status: { kind: "enum", values: Status.literals, description: "Status" },
    donor_id: { kind: "text", description: "Who gives" },
    donation_form_id: { kind: "text", description: "Form that the gift came through" },
    frequency: { kind: "enum", values: Frequency.literals, description: "How often it is charged" },
    created_at: { kind: "timestamp", description: "When the gift was set up" }
  }
} as const satisfies ListSpec

/** The due day that follows a charge made on a day. */
export const nextChargeOn = (subscription: Subscription, charged_on: CalendarDate): CalendarDate =>
  nextDueDay(subscription.anchor_day, subscription.frequency, charged_on)

const paidInvoice = { at: Instant, invoice_id: Schema.String }

/** The fields that each renewal repeats, as its first gift has them. money, section 7. */
const repeated = Schema.Struct(
  Struct.pick(Subscription.fields, [
    "donor_id",
    "campaign_id",
    "method",
    "revenue_code",
    "revenue_code_id",
    "consent_given",
    "consent_responses",
    "language"
  ])
)

/** The commands of the machine of a subscription. */
export const Command = Schema.TaggedUnion({
  Activate: paidInvoice,
  Renew: paidInvoice,
  MakeInvoice: { at: Instant, due_on: CalendarDate },
  FailInvoice: { at: Instant, invoice_id: Schema.String },
  Retry: { at: Instant, repeated },
  Cancel: {
    at: Instant,
    reason: Schema.NullOr(CancelReason),
    donor_cancel_reason_code: Schema.NullOr(DonorCancelReasonCode),
    donor_cancel_reason: Schema.NullOr(TextUpTo(Limits.donorCancelReasonCharacters))
  }
})
export type Command = typeof Command.Type

/** The command for a paid invoice: it activates a gift, or renews one that is active. */
export const paidCommand = (
  subscription: Subscription,
  invoice: { readonly at: DateTime.Utc; readonly invoice_id: string }
): Command => (subscription.status === "ACTIVE" ? { ...invoice, _tag: "Renew" } : { ...invoice, _tag: "Activate" })

const booked = (_: Subscription, { at, invoice_id }: Parameters<typeof paidCommand>[1]): Partial<Subscription> => ({
  last_paid_invoice_id: invoice_id,
  updated_at: at
})

/** Which donation failed is known to who charged it: {@link paymentFailedDataOf}. */
const told = { data: eventData.subscription, of: eventDataOf }
const events = { "subscription.created": told, "subscription.cancelled": told, "subscription.payment_failed": told }
/** The types of events of a subscription. */
export type SubscriptionEvent = keyof typeof events

const rule = "decisions, section 5: Subscription"
const live = ["INCOMPLETE", "ACTIVE", "PAST_DUE"] as const

/** Recurring gifts that have not ended. */
export const lastingRule = Rule.rulesOf<Subscription>().is("status", ...live)

/** How recurring gifts come to be. */
export const births = {
  setUp: { by: "a recurring gift is set up", to: "INCOMPLETE", emits: ["subscription.created"], rule }
} as const satisfies Births<Status, SubscriptionEvent>

const defined = define({
  name: "Subscription",
  state: Subscription,
  command: Command,
  events,
  wording: Refusals.subscription,
  ...byField(Status),
  rule,
  births,
  table: {
    Activate: { from: ["INCOMPLETE", "PAST_DUE"], to: "ACTIVE", emits: [], patch: booked },
    Renew: { from: ["ACTIVE"], to: "same", emits: [], patch: booked },
    MakeInvoice: {
      from: live,
      to: "same",
      when: "the day is the one that is due next",
      guard: (self, { due_on }) => due_on === self.next_charge_on,
      patch: (self, { at, due_on }) => ({ next_charge_on: nextChargeOn(self, due_on), updated_at: at }),
      rule: "money, section 7: the next due day advances when the invoice is made"
    },
    FailInvoice: {
      from: live,
      to: "PAST_DUE",
      emits: ["subscription.payment_failed"],
      when: "the invoice is not the one that was last paid",
      guard: (self, { invoice_id }) => invoice_id !== self.last_paid_invoice_id,
      patch: (_, { at }) => ({ updated_at: at })
    },
    Retry: {
      from: ["INCOMPLETE", "PAST_DUE"],
      to: "same",
      when: "it was never paid",
      guard: (self) => self.last_paid_invoice_id === null,
      patch: (_, command) => ({ ...command.repeated, updated_at: command.at }),
      rule: "money, section 7: a first charge that fails lets the donor try again on the page"
    },
    Cancel: {
      from: live,
      to: "CANCELLED",
      emits: ["subscription.cancelled"],
      when: "a donor's words come with a code",
      guard: (_, command) => command.donor_cancel_reason === null || command.donor_cancel_reason_code !== null,
      patch: (_, { at, donor_cancel_reason, donor_cancel_reason_code, reason }) => ({
        cancel_reason: reason,
        donor_cancel_reason_code,
        donor_cancel_reason,
        next_charge_on: null,
        cancelled_at: at,
        updated_at: at
      }),
      rule: "service-spec, subscription.* data"
    }
  },
  milestones: { cancelled_at: ["CANCELLED"] }
})

export interface machine extends MachineType<typeof defined> {}
/** decisions, section 5: Subscription. A processor's notices may come late, twice and in any order. */
export const machine: machine = defined
