import assert from "node:assert/strict"
import { Almoner } from "almoner"
import { createClient } from "almoner/client"
import { memory } from "almoner/memory"
import { appOf } from "./app.mjs"

const almoner = await Almoner.open({ backend: memory() })
await almoner.organisations.create({
  slug: "riverside",
  name: "Riverside Shelter",
  timezone: "Australia/Sydney",
  default_currency: "AUD"
})
const ada = await almoner.caller({ organisation: "riverside", user: "ada", scope: "WRITE" })
const key = await almoner.apiKeys.create(ada, { name: "Website", scope: "WRITE" })
const app = await appOf(almoner)
assert.equal((await app.request("/")).status, 200)

// The client calls the application itself: no socket is between them.
const clientWith = (apiKey) =>
  createClient({ baseUrl: "http://localhost", apiKey, fetch: async (url, init) => app.request(url, init) })

const client = clientWith(key.secret)
const donor = await client.donors.create({ first_name: "Mary" })
const donation = await client.donations.create({
  donor_id: donor.id,
  amount_cents: 5_000,
  donation_type: "MONETARY",
  donation_date: "2025-06-30"
})
const refused = await clientWith("nobodys_key").donors.list().outcome()

console.log(`${donation.id} recorded, ${refused.failure.status} refused`)
await almoner.close()
