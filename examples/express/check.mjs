import assert from "node:assert/strict"
import { once } from "node:events"
import { Almoner } from "almoner"
import { memory } from "almoner/memory"
import { appOf } from "./app.mjs"

const almoner = await Almoner.open({ backend: memory() })
await almoner.organisations.create({
  slug: "riverside",
  name: "Riverside Shelter",
  timezone: "Australia/Sydney",
  default_currency: "AUD"
})
const users = {
  "Session ada": { organisation: "riverside", user: "ada", scope: "WRITE" },
  "Session bob": { organisation: "riverside", user: "bob", scope: "READ" }
}
const ada = await almoner.caller(users["Session ada"])
const donor = await almoner.donors.create(ada, { first_name: "Mary" })
const key = await almoner.apiKeys.create(ada, { name: "Website", scope: "READ" })

const server = (await appOf(almoner, (session) => users[session])).listen(0, "127.0.0.1")
await once(server, "listening")
const base = `http://127.0.0.1:${server.address().port}`

const give = (authorization) =>
  fetch(`${base}/gifts`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body: JSON.stringify({
      donor_id: donor.id,
      amount_cents: 5_000,
      donation_type: "MONETARY",
      donation_date: "2025-06-30"
    })
  })

const recorded = await give("Session ada")
const refused = await give("Session bob")
const donation = await recorded.json()

const read = await fetch(`${base}/api/v1/donations/${donation.id}`, {
  headers: { authorization: `Bearer ${key.secret}` }
})
assert.equal((await read.json()).amount_cents, 5_000)

console.log(`${recorded.status} ${donation.id} recorded, ${refused.status} refused`)
server.close()
await almoner.close()
