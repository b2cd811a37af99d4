/** A client that checks what it takes and gets with zod. It runs on Node 22.18 and newer. */
export const packages = ["@hey-api/openapi-ts@0.99.0", "zod@4.6.7"]

export const program = "@hey-api/openapi-ts/dist/run.mjs"

export const needsNewerNode = true

export const config = {
  name: "openapi-ts.config.mjs",
  text: () => `export default {
  input: "./openapi.json",
  output: "hey-api",
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "zod", { name: "@hey-api/sdk", validator: true }],
  logs: { level: "warn", file: false }
}
`
}

export const use = `import { client } from "./hey-api/client.gen"
import { donorsCreate, donorsList, eventsList } from "./hey-api/sdk.gen"

const { API_KEY, BASE_URL } = process.env
client.setConfig({ baseUrl: BASE_URL ?? "", auth: () => API_KEY ?? "", throwOnError: true })

const { data: donor } = await donorsCreate({
  body: { donor_type: "INDIVIDUAL", first_name: "Ada", email: "ada@example.org" },
  throwOnError: true
})
const { data: found } = await donorsList({
  query: { "created_at[gte]": "2026-01-01", "created_at[lt]": "2126-01-01T00:00:00Z", "donor_type[in]": ["INDIVIDUAL", "TRUST"] },
  throwOnError: true
})
const { data: events } = await eventsList({ query: { type: "donor.created" }, throwOnError: true })
const [event] = events.data
const named: string | null = event?.type === "donor.created" ? event.data.first_name : null

// @ts-expect-error a date is text
void (() => donorsList({ query: { "created_at[gte]": 1 } }))

console.log(JSON.stringify({ email: donor.email, found: found.data.map(({ id }) => id === donor.id), named }))
`
export const expected = { email: "ada@example.org", found: [true], named: "Ada" }
