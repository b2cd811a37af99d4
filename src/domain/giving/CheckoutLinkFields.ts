import { Schema } from "effect"
import { CheckoutLinkId, DonationId, DonorId, IntegrationId, OrganisationId } from "../kernel/Ids.ts"
import { Currency, DonationCents } from "../kernel/Money.ts"
import { Instant } from "../kernel/Timestamp.ts"
import { PaymentMethod } from "./DonationKinds.ts"

/** The meanings of a checkout link's fields. */
export const meanings = {
  code: "The secret of the address.",
  donor_email: "E-mail address of the donor.",
  donor_first_name: "Given name of the donor.",
  donor_last_name: "Family name of the donor.",
  donor_phone: "Telephone number of the donor.",
  amount_cents: "What is asked for, in minor units of the currency.",
  description: "What the donor is told that the amount is for.",
  status: "Where the link stands; EXPIRED as soon as `expires_at` has passed.",
  source: "Whether staff made the link, or a key of the organisation.",
  revenue_code:
    "Text of the revenue code that the gift is booked under; a new one is made. Ignored beside `revenue_code_id`.",
  revenue_code_id: "Revenue code that the gift is booked under; wins over `revenue_code`.",
  payment_methods: "How the link may be paid; by card when not given.",
  processor_integration_id:
    "The organisation's processor account that is paid, and no other; its usual one when null. A bank transfer that the usual one does not take then goes to one that does, which goes beyond the contract.",
  donor_id: "Who is asked; null where the donor is found or made when the gift is.",
  donation_id: "The gift that completed the link; null before.",
  currency: "Currency, the organisation's when not given.",
  visit_count: "How often the page was opened.",
  last_visited_at: "When the page was opened last; null before.",
  expires_at: "From when on the link takes no payment, in the future; null for never. A gift in progress is waited for."
}

/** The states of a checkout link. */
export const Status = Schema.Literals(["ACTIVE", "COMPLETED", "EXPIRED", "CANCELED"]).annotate({
  identifier: "CheckoutLinkStatus"
})
export type Status = typeof Status.Type

/** Who made a link: the organisation's staff in the console, or its API key. service-spec, Checkout link. */
export const Source = Schema.Literals(["ADMIN", "API"]).annotate({ identifier: "CheckoutLinkSource" })
export type Source = typeof Source.Type

const nullableText = Schema.NullOr(Schema.String)

/** A page on which one donor pays one amount. service-spec, Checkout link. */
export class CheckoutLink extends Schema.Opaque<CheckoutLink>()(
  Schema.Struct({
    id: CheckoutLinkId,
    organisation_id: OrganisationId,
    /** At least 128 random bits; whoever has it can open the link. */
    code: Schema.String,
    donor_email: Schema.String,
    donor_first_name: nullableText,
    donor_last_name: nullableText,
    donor_phone: nullableText,
    amount_cents: DonationCents,
    currency: Currency,
    description: nullableText,
    /** The status that was last written; `statusAt` derives the one at an instant. */
    status: Status,
    source: Source,
    revenue_code: nullableText,
    revenue_code_id: nullableText,
    payment_methods: Schema.Array(PaymentMethod),
    processor_integration_id: Schema.NullOr(IntegrationId),
    donor_id: Schema.NullOr(DonorId),
    donation_id: Schema.NullOr(DonationId),
    /** The gift through this link that is PENDING. */
    pending_donation_id: Schema.NullOr(DonationId),
    /** Whether that gift is a bank transfer. */
    pending_bank_transfer: Schema.Boolean,
    visit_count: Schema.Int,
    last_visited_at: Schema.NullOr(Instant),
    expires_at: Schema.NullOr(Instant),
    created_at: Instant,
    updated_at: Instant,
    archived_at: Schema.NullOr(Instant)
  }).annotate({ identifier: "StoredCheckoutLink" })
) {}

/** Base62 characters of a link's `code`: more than 128 random bits. */
export const codeDigits = 22
