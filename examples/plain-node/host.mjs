import { Almoner } from "almoner"
import { memory } from "almoner/memory"

const almoner = await Almoner.open({ backend: memory() })

await almoner.organisations.create({
  slug: "riverside",
  name: "Riverside Shelter",
  timezone: "Australia/Sydney",
  default_currency: "AUD"
})

// Who acts, and for which organisation, is the host's to say: it has signed somebody in.
const ada = almoner.as(await almoner.caller({ organisation: "riverside", user: "ada", scope: "WRITE" }))

const donor = await ada.donors.create({ first_name: "Mary", email: "mary@example.org" })
const gift = { donor_id: donor.id, amount_cents: 5_000, donation_type: "MONETARY", donation_date: "2025-06-30" }

const donation = await ada.donations.create(gift)
console.log(`${donation.status} ${(donation.amount_cents / 100).toFixed(2)} ${donation.currency}`)

// A refusal as a value; awaited without outcome(), the same failure is thrown.
const refused = await ada.donations.create({ ...gift, amount_cents: 0 }).outcome()
if (!refused.ok) console.log(`${refused.failure._tag} ${refused.failure.param}`)

await almoner.close()
