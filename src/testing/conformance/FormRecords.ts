import { Effect } from "effect"
import type { CheckoutLink } from "../../domain/giving/CheckoutLink.ts"
import type { DonationForm } from "../../domain/giving/DonationForm.ts"
import { settingsOf } from "../../domain/giving/FormSettings.ts"
import { CheckoutLinkId, DonationFormId, type OrganisationId } from "../../domain/kernel/Ids.ts"
import { at, freshId } from "./Records.ts"

export const freshFormId = Effect.map(freshId("donationForm"), (id) => DonationFormId.make(id))
export const freshCheckoutLinkId = Effect.map(freshId("checkoutLink"), (id) => CheckoutLinkId.make(id))

/** A form that is not stored yet; its slug is its own. */
export const formOf = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Partial<DonationForm> = {}) {
  const id = yield* freshFormId
  const form: DonationForm = {
    ...settingsOf({ name: "Winter appeal" }),
    id,
    organisation_id,
    slug: id,
    status: "DRAFT",
    embed_token: null,
    activated_at: null,
    created_at: at(0),
    updated_at: at(0),
    archived_at: null,
    ...given
  }
  return form
})

/** A checkout link that is not stored yet. */
export const checkoutLinkOf = Effect.fnUntraced(function* (
  organisation_id: OrganisationId,
  given: Partial<CheckoutLink> = {}
) {
  const id = yield* freshCheckoutLinkId
  const link: CheckoutLink = {
    id,
    organisation_id,
    code: id,
    donor_email: "ada@example.org",
    donor_first_name: null,
    donor_last_name: null,
    donor_phone: null,
    amount_cents: 5000,
    currency: "AUD",
    description: null,
    status: "ACTIVE",
    source: "API",
    revenue_code: null,
    revenue_code_id: null,
    payment_methods: ["card"],
    processor_integration_id: null,
    donor_id: null,
    donation_id: null,
    pending_donation_id: null,
    pending_bank_transfer: false,
    visit_count: 0,
    last_visited_at: null,
    expires_at: null,
    created_at: at(0),
    updated_at: at(0),
    archived_at: null,
    ...given
  }
  return link
})
