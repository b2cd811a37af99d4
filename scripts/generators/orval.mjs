/**
 * A client of functions, and schemas of zod beside it. It runs on Node 22.18 and newer, and is not the newest: that one
 * asks for a package that its registry does not have.
 */
export const packages = ["orval@8.30.0", "zod@4.6.7"]

export const program = "orval/dist/bin/orval.mjs"

export const needsNewerNode = true

export const config = {
  name: "orval.config.mjs",
  text: (baseUrl) => `const input = "./openapi.json"
export default {
  client: { input, output: { mode: "single", target: "./orval/client.ts", client: "fetch", baseUrl: ${JSON.stringify(baseUrl)} } },
  zod: { input, output: { mode: "single", target: "./orval/zod.ts", client: "zod" } }
}
`
}

export const use = `import { donorsCreate, donorsList, eventsList } from "./orval/client"
import { DonorsCreateBody, DonorsCreateResponse, EventsListResponse } from "./orval/zod"

const headers = { authorization: \`Bearer \${process.env.API_KEY}\` }
const body = DonorsCreateBody.parse({ donor_type: "INDIVIDUAL", first_name: "Ada", email: "ada@example.org" })
const made = await donorsCreate(body, { headers })
if (made.status !== 201) throw new Error(made.data.error.message)
const donor = DonorsCreateResponse.parse(made.data)
const found = await donorsList(
  { "created_at[gte]": "2026-01-01", "created_at[lt]": "2126-01-01T00:00:00Z", "donor_type[in]": ["INDIVIDUAL", "TRUST"] },
  { headers }
)
if (found.status !== 200) throw new Error(found.data.error.message)
const listed = await eventsList({ type: "donor.created" }, { headers })
if (listed.status !== 200) throw new Error(listed.data.error.message)
EventsListResponse.parse(listed.data)
const [event] = listed.data.data
const named: string | null = event?.type === "donor.created" ? event.data.first_name : null

// @ts-expect-error a date is text
void (() => donorsList({ "created_at[gte]": 1 }))

console.log(JSON.stringify({ email: donor.email, found: found.data.data.map(({ id }) => id === donor.id), named }))
`
export const expected = { email: "ada@example.org", found: [true], named: "Ada" }
