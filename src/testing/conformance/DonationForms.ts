import { Effect } from "effect"
import { CheckoutLink } from "../../domain/giving/CheckoutLink.ts"
import { DonationForm, listing } from "../../domain/giving/DonationForm.ts"
import { settingsOf } from "../../domain/giving/FormSettings.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { DonationFormStore } from "../../ports/giving/DonationFormStore.ts"
import * as Generators from "../Generators.ts"
import { recordStore } from "./RecordStores.ts"
import { at, freshId, makerOf, storedIn } from "./Records.ts"
import { bookedUnder } from "./RevenueCodeNames.ts"
import { lawsOf, same, type Thoroughness } from "./Suite.ts"

/** A form that is not stored yet; its slug is its own. */
const formOf = makerOf(DonationForm, "donationForm", (organisation_id: OrganisationId, id) => ({
  ...settingsOf({ name: "Winter appeal" }),
  id,
  organisation_id,
  slug: id,
  status: "DRAFT"
}))

/** A checkout link that is not stored yet. */
export const checkoutLinkOf = makerOf(CheckoutLink, "checkoutLink", (organisation_id: OrganisationId, id) => ({
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
}))

const { law } = lawsOf(DonationFormStore)

const newForm = (organisation_id: OrganisationId, given: Partial<DonationForm> = {}) =>
  storedIn(DonationFormStore, formOf(organisation_id, given))

const booked = bookedUnder({
  name: "donation forms",
  sentenceOf: "DonationFormStore",
  port: DonationFormStore,
  make: (organisation_id, { code, id }) => newForm(organisation_id, { revenue_code: code, revenue_code_id: id })
})

const slugs = [
  law("slugs that are taken are those of the organisation's forms, archived or not", function* ({ store, id, other }) {
    yield* newForm(id, { slug: "winter" })
    yield* newForm(id, { slug: "spring", status: "ARCHIVED", archived_at: at(1) })
    yield* newForm(id, { slug: "autumn" })
    yield* newForm(other, { slug: "summer" })
    same((yield* store.takenSlugs(id, ["spring", "summer", "winter", "wint"])).toSorted(), ["spring", "winter"])
    same(yield* store.takenSlugs(id, []), [])
    same(yield* store.takenSlugs(other, ["spring", "summer"]), ["summer"])
  })
]

/** The laws of {@link DonationFormStore}. */
export const donationForms = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "donation forms",
    port: DonationFormStore,
    arbitrary: Generators.donationForm,
    schema: DonationForm,
    fresh: freshId("donationForm"),
    parents: () => Effect.map(freshId("donationForm"), (slug) => ({ slug })),
    unique: [
      {
        field: "slug",
        must: "DonationFormStore MUST fail with AlreadyTaken when another form of the organisation has the slug, archived or not",
        value: { slug: "winter" }
      }
    ],
    list: { spec: listing }
  })(() => [booked, ...slugs])
