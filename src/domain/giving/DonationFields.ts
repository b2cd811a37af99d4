import { Schema } from "effect"
import { CalendarDate } from "../kernel/CalendarDate.ts"
import {
  ChargeId,
  CheckoutLinkId,
  CreditId,
  DonationId,
  DonorId,
  OrganisationId,
  RecipientAccountLinkId,
  RevenueCodeId
} from "../kernel/Ids.ts"
import { Cents, Currency, DonationCents } from "../kernel/Money.ts"
import { Instant } from "../kernel/Timestamp.ts"
import { DonationType, InKindCategory, Source } from "./DonationKinds.ts"
import { SubmittedDonor } from "./Donor.ts"

/** The meanings of a gift's fields. */
export const meanings = {
  external_id: "The gift's identifier in the system that it came from.",
  source: "How the gift came in.",
  status: "Where the gift stands.",
  amount_cents: "The gift in minor units of its currency. An in-kind gift has its fair market value.",
  refunded_amount_cents: "How much of the gift was refunded, in minor units of its currency.",
  donation_type: "Money, or goods and services.",
  in_kind_category: "What was given; needed for an in-kind gift, null for a monetary one.",
  in_kind_description: "What was given, in words; needed for an in-kind gift, null for a monetary one.",
  donation_date:
    "When the gift was made. A gift that was recorded by its day: midnight in the organisation's timezone.",
  received_date: "When the money arrived; null when nobody said.",
  payment_method: "How a monetary gift was paid; ignored for an in-kind one.",
  revenue_code: "Text of the revenue code that the gift is booked under, as it is spelled now.",
  revenue_code_id: "Revenue code that the gift is booked under.",
  recommendation_set_id: "Recommendation set that the gift came through; the set may be another organisation's.",
  allocation_id: "The part of a recommendation set's payment that this gift is.",
  subscription_id: "Subscription that the gift belongs to.",
  is_recurring: "Whether the gift belongs to a subscription.",
  donation_form_id: "Form that the gift came through.",
  campaign_id: "Campaign that the gift is attributed to, whatever its revenue code.",
  consent_given: "The donor's answer to the consent prompt. Null: none was shown, which is not a refusal.",
  submitted_donor: "The donor's details as they were typed for this gift; null when it carried none.",
  donor_id: "Who gave."
}

/** The states of a donation. */
export const Status = Schema.Literals(["PENDING", "CONFIRMED", "REFUNDED", "FAILED"]).annotate({
  identifier: "DonationStatus"
})
export type Status = typeof Status.Type

const nullableText = Schema.NullOr(Schema.String)

/** The answer to a consent prompt, with the wording as the donor saw it. service-spec, donation.* data. */
export const ConsentResponse = Schema.Struct({
  prompt_id: nullableText,
  text: Schema.String,
  accepted: Schema.Boolean,
  recorded_at: Instant
}).annotate({ identifier: "ConsentResponse" })

/** A gift. service-spec, Donation. */
export class Donation extends Schema.Opaque<Donation>()(
  Schema.Struct({
    id: DonationId,
    organisation_id: OrganisationId,
    donor_id: DonorId,
    external_id: nullableText,
    source: Source,
    status: Status,
    amount_cents: DonationCents,
    refunded_amount_cents: Cents,
    currency: Currency,
    donation_type: DonationType,
    in_kind_category: Schema.NullOr(InKindCategory),
    in_kind_description: nullableText,
    donation_date: Instant,
    /** The calendar day as it was given: a later change of the timezone does not move it. decisions, section 4. */
    donation_day: CalendarDate,
    received_date: Schema.NullOr(Instant),
    /** The calendar day on which the money arrived, in the organisation's timezone of that day. */
    received_day: Schema.NullOr(CalendarDate),
    payment_method: nullableText,
    revenue_code: nullableText,
    revenue_code_id: Schema.NullOr(RevenueCodeId),
    recommendation_set_id: nullableText,
    allocation_id: nullableText,
    /** The link of the recommending organisation by which a part of a payment reached this one; null for every other gift. */
    recipient_account_link_id: Schema.NullOr(RecipientAccountLinkId),
    subscription_id: nullableText,
    is_recurring: Schema.Boolean,
    donation_form_id: nullableText,
    campaign_id: nullableText,
    consent_given: Schema.NullOr(Schema.Boolean),
    consent_responses: Schema.Array(ConsentResponse),
    differs_from_record: Schema.NullOr(Schema.Boolean),
    submitted_donor: Schema.NullOr(SubmittedDonor),
    /** The language of the page that it was given on, in which its mails are; null where none was said. */
    language: nullableText,
    failure_code: nullableText,
    /** The charge that took its money; null for a gift that was made elsewhere. */
    charge_id: Schema.NullOr(ChargeId),
    /** The money on a bank account that it was booked from; null for a gift that was not. */
    credit_id: Schema.NullOr(CreditId),
    /** The checkout link that it was made on. */
    checkout_link_id: Schema.NullOr(CheckoutLinkId),
    created_at: Instant,
    updated_at: Instant,
    deleted_at: Schema.NullOr(Instant)
  }).annotate({ identifier: "StoredDonation" })
) {}

const defaults = {
  external_id: null,
  refunded_amount_cents: 0,
  donation_type: "MONETARY",
  in_kind_category: null,
  in_kind_description: null,
  received_date: null,
  received_day: null,
  payment_method: null,
  revenue_code: null,
  revenue_code_id: null,
  recommendation_set_id: null,
  allocation_id: null,
  recipient_account_link_id: null,
  subscription_id: null,
  is_recurring: false,
  donation_form_id: null,
  campaign_id: null,
  consent_given: null,
  consent_responses: [],
  differs_from_record: null,
  submitted_donor: null,
  language: null,
  failure_code: null,
  charge_id: null,
  credit_id: null,
  checkout_link_id: null,
  deleted_at: null
} as const satisfies Partial<Donation>

/** Every field: a copy takes the values of a gift without growing, which is fifty times faster. */
const blank: typeof defaults = {
  ...Object.fromEntries(Object.keys(Donation.fields).map((name) => [name, null])),
  ...defaults
}

/** Required and optional fields of a new gift. */
type Said = Omit<Donation, keyof typeof defaults> & Partial<Donation>

/** A new gift of these values, of which nothing else is known: money, attributed to nothing and asked nothing. */
export function bare(given: Said): Donation
/** The same of a gift whose status its machine has yet to say. */
export function bare(given: Omit<Said, "status">): Omit<Donation, "status">
export function bare(given: Omit<Said, "status">): Omit<Donation, "status"> {
  return { ...blank, ...given }
}
