import { Schema } from "effect"
import { Cents } from "./Money.ts"
import { Instant } from "./Timestamp.ts"

// The payloads of the families whose records are not written by this service's own operations alone. Each is the list form
// of its record without links and tokens that are credentials, plus what the contract adds. decisions, section 6.

const text = Schema.String
const nullableText = Schema.NullOr(Schema.String)
const instant = Instant
const nullableInstant = Schema.NullOr(Instant)
const nullableCents = Schema.NullOr(Cents)
const frequency = Schema.Literals(["WEEKLY", "FORTNIGHTLY", "MONTHLY", "QUARTERLY", "ANNUALLY"])
const visibility = Schema.Literals(["NONE", "OPTIONAL", "REQUIRED"])

/** service-spec, Donation form. */
export const donationForm = Schema.Struct({
  id: text,
  name: text,
  slug: text,
  hosted_page_url: text,
  status: Schema.Literals(["DRAFT", "ACTIVE", "PAUSED", "ARCHIVED"]),
  title: text,
  description: nullableText,
  thank_you_message: nullableText,
  disclaimer_text: nullableText,
  suggested_amounts_cents: Schema.Array(Cents),
  allow_custom_amount: Schema.Boolean,
  default_amount_cents: nullableCents,
  minimum_amount_cents: nullableCents,
  maximum_amount_cents: nullableCents,
  allow_recurring: Schema.Boolean,
  recurring_frequencies: Schema.Array(frequency),
  default_cadence: Schema.Literals(["ONE_TIME", "RECURRING"]),
  address_visibility: visibility,
  phone_visibility: visibility,
  revenue_code: nullableText,
  revenue_code_id: nullableText,
  created_at: instant,
  updated_at: instant,
  archived_at: nullableInstant
}).annotate({ identifier: "DonationFormEventData" })

/** service-spec, Checkout link. */
export const checkoutLink = Schema.Struct({
  id: text,
  donor_email: text,
  donor_first_name: nullableText,
  donor_last_name: nullableText,
  donor_phone: nullableText,
  amount_cents: Cents,
  currency: text,
  description: nullableText,
  status: Schema.Literals(["ACTIVE", "COMPLETED", "EXPIRED", "CANCELED"]),
  source: Schema.Literals(["ADMIN", "API"]),
  revenue_code: nullableText,
  revenue_code_id: nullableText,
  payment_methods: Schema.Array(text),
  processor_integration_id: nullableText,
  donor_id: nullableText,
  donation_id: nullableText,
  visit_count: Schema.Int,
  last_visited_at: nullableInstant,
  expires_at: nullableInstant,
  created_at: instant,
  updated_at: instant,
  archived_at: nullableInstant
}).annotate({ identifier: "CheckoutLinkEventData" })

/** decisions, section 11. */
export const disclosure = Schema.Struct({
  id: text,
  donor_id: text,
  jurisdiction: text,
  period: text,
  starts_on: text,
  ends_on: text,
  status: Schema.Literals(["PENDING", "REVIEW", "COMPLETED", "CANCELLED", "SUPERSEDED"]),
  threshold_cents: Cents,
  total_cents: Cents,
  in_kind_cents: Cents,
  crossed_at: instant,
  due_at: nullableInstant,
  donation_ids: Schema.Array(text),
  completed_at: nullableInstant,
  lodgement_reference: nullableText,
  created_at: instant,
  updated_at: instant
}).annotate({ identifier: "DisclosureEventData" })

/** service-spec, Recommendation set: the list form. */
export const recommendationSet = Schema.Struct({
  id: text,
  name: text,
  slug: text,
  is_active: Schema.Boolean,
  archived_at: nullableInstant,
  expires_at: nullableInstant,
  amount_mode: Schema.Literals(["FIXED", "SUGGESTED", "OPEN"]),
  min_total_cents: nullableCents,
  total_amount_cents: Cents,
  allocation_count: Schema.Int,
  created_at: instant
}).annotate({ identifier: "RecommendationSetEventData" })

/** decisions, section 6: recommendation_set.payment_*. */
export const recommendationSetPayment = Schema.Struct({
  recommendation_set_payment_id: text,
  recommendation_set_id: nullableText,
  donor_id: nullableText,
  payment_status: Schema.Literals(["PENDING", "SUCCEEDED", "FAILED", "AWAITING_FUNDS", "LAPSED"]),
  distribution_status: Schema.Literals(["PENDING", "SUCCEEDED", "PARTIAL", "FAILED", "REVERSED"]),
  total_amount_cents: Cents,
  ask_total_cents: nullableCents,
  payment_method_type: text,
  failure_code: nullableText
}).annotate({ identifier: "RecommendationSetPaymentEventData" })

/** decisions, section 6: recommendation_set.distribution_*; `amount_cents` is net. */
export const distribution = Schema.Struct({
  recommendation_set_payment_id: text,
  recommendation_set_id: nullableText,
  allocation_id: text,
  recipient_org_account_link_id: text,
  amount_cents: Cents,
  gross_amount_cents: Cents,
  transfer_status: Schema.Literals(["pending", "succeeded", "failed", "reversed"]),
  donation_id: nullableText,
  failure_code: nullableText
}).annotate({ identifier: "DistributionEventData" })

/** service-spec, Recipient account. */
const recipientAccount = {
  id: text,
  label: text,
  recipient_org_name: text,
  recipient_org_slug: text,
  recipient_account_label: text,
  is_active: Schema.Boolean,
  created_at: instant
}

export const recipientOrgAccountLink = Schema.Struct(recipientAccount).annotate({
  identifier: "RecipientOrgAccountLinkEventData"
})

/** Carries the introduction that led to the link, null for a passphrase. service-spec, introduction.* and link events. */
export const recipientOrgAccountLinkCreated = Schema.Struct({
  ...recipientAccount,
  introduction_id: nullableText
}).annotate({ identifier: "RecipientOrgAccountLinkCreatedEventData" })

const subscriptionFields = {
  id: text,
  donor_id: text,
  status: Schema.Literals(["INCOMPLETE", "ACTIVE", "PAST_DUE", "CANCELLED"]),
  amount_cents: Cents,
  currency: text,
  frequency,
  donation_form_id: nullableText,
  campaign_id: nullableText,
  created_at: instant,
  updated_at: instant,
  cancel_reason: Schema.NullOr(Schema.Literals(["cancellation_requested", "payment_disputed", "payment_failed"])),
  donor_cancel_reason_code: Schema.NullOr(
    Schema.Literals(["cost", "giving_differently", "moving_on", "process", "prefer_not_to_say"])
  ),
  donor_cancel_reason: nullableText
}

/** service-spec, subscription.* data. */
export const subscription = Schema.Struct(subscriptionFields).annotate({ identifier: "SubscriptionEventData" })

/** Joins to the matching donation.failed by `donation_id`. service-spec, subscription.* data. */
export const subscriptionPaymentFailed = Schema.Struct({ ...subscriptionFields, donation_id: text }).annotate({
  identifier: "SubscriptionPaymentFailedEventData"
})

/** service-spec, Introduction, without the share link. */
export const introduction = Schema.Struct({
  id: text,
  status: Schema.Literals(["PENDING", "VIEWED", "ACCEPTED", "LINKED", "EXPIRED", "REVOKED"]),
  invitee_email: text,
  invitee_org_name_hint: nullableText,
  external_id: nullableText,
  expires_at: instant,
  viewed_at: nullableInstant,
  accepted_at: nullableInstant,
  linked_at: nullableInstant,
  revoked_at: nullableInstant,
  accepted_organisation_id: nullableText,
  accepted_recipient_org_account_link_id: nullableText,
  resend_count: Schema.Int,
  last_resent_at: nullableInstant,
  created_at: instant
}).annotate({ identifier: "IntroductionEventData" })
