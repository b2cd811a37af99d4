import { Effect } from "effect"
import { CheckoutLink } from "../../domain/giving/CheckoutLink.ts"
import { DonationForm } from "../../domain/giving/DonationForm.ts"
import { settingsOf } from "../../domain/giving/FormSettings.ts"
import { CheckoutLinkId, DonationFormId, type OrganisationId } from "../../domain/kernel/Ids.ts"
import { freshId, recordOf } from "./Records.ts"

export const freshFormId = Effect.map(freshId("donationForm"), (id) => DonationFormId.make(id))
export const freshCheckoutLinkId = Effect.map(freshId("checkoutLink"), (id) => CheckoutLinkId.make(id))

/** A form that is not stored yet; its slug is its own. */
export const formOf = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Partial<DonationForm> = {}) {
  const id = yield* freshFormId
  return recordOf(DonationForm, given, {
    ...settingsOf({ name: "Winter appeal" }),
    id,
    organisation_id,
    slug: id,
    status: "DRAFT"
  })
})

/** A checkout link that is not stored yet. */
export const checkoutLinkOf = Effect.fnUntraced(function* (
  organisation_id: OrganisationId,
  given: Partial<CheckoutLink> = {}
) {
  const id = yield* freshCheckoutLinkId
  return recordOf(CheckoutLink, given, {
    id,
    organisation_id,
    code: id,
    donor_email: "ada@example.org",
    amount_cents: 5000,
    currency: "AUD",
    status: "ACTIVE",
    source: "API",
    payment_methods: ["card"],
    pending_bank_transfer: false,
    visit_count: 0
  })
})
