/** A typed client, fetching: its program gives, refunds, links an account and introduces. It prints what it saw. */
export const packages = ["swagger-typescript-api@13.13.0"]

export const program = "swagger-typescript-api/dist/cli.mjs"

export const words = [
  "generate",
  "--path=openapi.json",
  "--output=.",
  "--name=swagger-typescript-api.ts",
  "--enum-style=union",
  "--type-only-imports",
  "--silent"
]

export const use = `import { Api } from "./swagger-typescript-api.ts"

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
export const expected = {
  gift: "CONFIRMED",
  refunded: 2_000,
  left: [3_000],
  set: 700,
  introductions: [[true, "PENDING"]],
  missing: "not_found"
}
