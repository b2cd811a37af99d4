/** Programs over clients that others' generators made, each in a folder with the generated module. They print what they saw. */
export const scenarios = {
  "openapi-typescript": `import createClient from "openapi-fetch"
import type { paths } from "./openapi-typescript.ts"

const { API_KEY, BASE_URL, PASSPHRASE } = process.env
const api = createClient<paths>({
  baseUrl: BASE_URL ?? "",
  headers: { authorization: \`Bearer \${API_KEY}\` },
  querySerializer: { array: { style: "form", explode: false } }
})

const answered = <A>({ data, error }: { data?: A | undefined; error?: unknown }): A => {
  if (data === undefined) throw new Error(JSON.stringify(error))
  return data
}

const donor = answered(await api.POST("/api/v1/donors", { body: { first_name: "Ada", email: "ada@example.org" } }))
const gift = answered(
  await api.POST("/api/v1/donations", {
    params: { header: { "Idempotency-Key": "gift-1" } },
    body: { donor_id: donor.id, donation_type: "MONETARY", amount_cents: 5_000, donation_date: "2026-01-10" }
  })
)
const refunded = answered(
  await api.POST("/api/v1/donations/{id}/refund", { params: { path: { id: gift.id } }, body: { amount_cents: 2_000 } })
)
const cents: number = refunded.refund.amount_cents
const gifts = answered(
  await api.GET("/api/v1/donations", {
    params: { query: { "status[in]": ["CONFIRMED", "REFUNDED"], donor_id: donor.id, limit: 10 } }
  })
)
const account = answered(await api.POST("/api/v1/recipient-accounts", { body: { passphrase: PASSPHRASE ?? "" } }))
const set = answered(
  await api.POST("/api/v1/recommendation-sets", {
    body: {
      name: "Winter",
      allocations: [{ recipient_org_account_link_id: account.id, amount_cents: 700 }]
    }
  })
)
const introduction = answered(
  await api.POST("/api/v1/introductions", { body: { invitee_email: "bea@example.org", external_id: null } })
)
const listed = answered(await api.GET("/api/v1/introductions", { params: { query: { status: "pending" } } }))
const missing = await api.GET("/api/v1/donors/{id}", { params: { path: { id: donor.id.replace(/.{3}$/, "zzz") } } })

// @ts-expect-error an amount is a number
void (() => api.POST("/api/v1/introductions", { body: { invitee_email: 1 } }))

console.log(
  JSON.stringify({
    gift: gift.status,
    refunded: cents,
    left: gifts.data.map(({ amount_cents, refunded_amount_cents }) => amount_cents - refunded_amount_cents),
    set: set.total_amount_cents,
    introductions: listed.data.map(({ id, status }) => [id === introduction.id, status]),
    missing: missing.error?.error.code
  })
)
`,
  "swagger-typescript-api": `import { Api } from "./swagger-typescript-api.ts"

const { API_KEY, BASE_URL, PASSPHRASE } = process.env
const { api } = new Api({
  baseUrl: BASE_URL ?? "",
  baseApiParams: { format: "json", headers: { authorization: \`Bearer \${API_KEY}\` } }
})

const { data: donor } = await api.donorsCreate({ first_name: "Ada", email: "ada@example.org" })
const { data: gift } = await api.donationsCreate(
  { donor_id: donor.id, donation_type: "MONETARY", amount_cents: 5_000, donation_date: "2026-01-10" },
  { headers: { authorization: \`Bearer \${API_KEY}\`, "Idempotency-Key": "gift-1" } }
)
const { data: refunded } = await api.donationsRefund(gift.id, { amount_cents: 2_000 })
const cents: number = refunded.refund.amount_cents
const { data: gifts } = await api.donationsList({ donor_id: donor.id, "amount_cents[gte]": 100, limit: 10 })
const { data: account } = await api.recipientAccountsLink({ passphrase: PASSPHRASE ?? "" })
const { data: set } = await api.recommendationSetsCreate({
  name: "Winter",
  allocations: [{ recipient_org_account_link_id: account.id, amount_cents: 700 }]
})
const { data: introduction } = await api.introductionsSend({ invitee_email: "bea@example.org", external_id: null })
const { data: listed } = await api.introductionsList({ status: "pending" })
const missing = await api.donorsRead(donor.id.replace(/.{3}$/, "zzz")).then(
  () => undefined,
  (answer) => answer.error.error.code
)

// @ts-expect-error an amount is a number
void (() => api.introductionsSend({ invitee_email: 1 }))

console.log(
  JSON.stringify({
    gift: gift.status,
    refunded: cents,
    left: gifts.data.map(({ amount_cents, refunded_amount_cents }) => amount_cents - refunded_amount_cents),
    set: set.total_amount_cents,
    introductions: listed.data.map(({ id, status }) => [id === introduction.id, status]),
    missing
  })
)
`
} as const
