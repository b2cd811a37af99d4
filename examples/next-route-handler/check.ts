import assert from "node:assert/strict"
import { DELETE, GET, POST } from "./app/api/[...path]/route.ts"
import { service } from "./lib/almoner.ts"

const { almoner } = await service()
await almoner.organisations.create({
  slug: "riverside",
  name: "Riverside Shelter",
  timezone: "Australia/Sydney",
  default_currency: "AUD"
})
const ada = await almoner.caller({ organisation: "riverside", user: "ada", scope: "WRITE" })
const { secret } = await almoner.apiKeys.create(ada, { name: "Website", scope: "WRITE" })

/** A request as Next hands it to the route. */
const request = (method: string, path: string, body?: object): Request =>
  new Request(`https://app.example.org/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

const created = await POST(request("POST", "/donors", { first_name: "Mary" }))
const read = await GET(request("GET", "/donors"))
const unknown = await DELETE(request("DELETE", "/donors/nobody"))

const { data }: { data: ReadonlyArray<{ first_name: string }> } = await read.json()
assert.deepEqual(
  data.map((donor) => donor.first_name),
  ["Mary"]
)
console.log(`GET ${read.status}, POST ${created.status}, DELETE ${unknown.status}`)
await almoner.close()
