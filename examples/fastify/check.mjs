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
const { secret } = await almoner.apiKeys.create(ada, { name: "Website", scope: "WRITE" })

const app = await appOf(almoner)
const baseUrl = await app.listen({ port: 0, host: "127.0.0.1" })

const client = createClient({ baseUrl, apiKey: secret })
const donor = await client.donors.create({ first_name: "Mary" })
const gift = { donor_id: donor.id, amount_cents: 5_000, donation_type: "MONETARY", donation_date: "2025-06-30" }
const donation = await client.donations.create(gift)
const refused = await client.donations.create({ ...gift, amount_cents: 0 }).outcome()

// The host's own routes keep their parser.
const headers = { "content-type": "application/json" }
const echo = await fetch(`${baseUrl}/echo`, { method: "POST", headers, body: JSON.stringify({ own: true }) })
assert.deepEqual(await echo.json(), { own: true })

console.log(`${donation.id} recorded, ${refused.failure.param} refused`)
await app.close()
await almoner.close()
