import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Donations } from "../../src/app/giving/Donations.ts"
import { TypedDonor } from "../../src/domain/giving/CheckoutDonor.ts"
import { DonationId } from "../../src/domain/kernel/Ids.ts"
import { numbers } from "../support/Numbers.ts"
import { withLayer } from "../support/Steps.ts"
import { asOperator } from "../support/Tenant.ts"
import { almoner, json, newAccount, newFormOf, StandardInput, world } from "./CommandWorld.ts"

/** A sandbox whose form takes gifts that are repeated. */
const makeSandbox = Effect.fnUntraced(function* (slug: string) {
  const form = { name: "Appeal", recurring_frequencies: ["WEEKLY", "MONTHLY"] } as const
  const side = yield* newFormOf(`${slug}-sandbox`, form)
  yield* newAccount(side.at)
  return side
})

const words = [
  ...["checkout", "submit", "--form", "appeal", "--amount-cents", "5000", "--method", "card"],
  ...["--payment-token-file", "-"]
]
const paying = (number: string) => Effect.provideService(StandardInput, `${number}\n`)
const ada = ["--email", "ada@example.org", "--first-name", "Ada"]

withLayer(world)("recurring gifts on the command line", ({ effect }) => {
  effect("are set up, and shown with their invoices", function* () {
    const { at } = yield* makeSandbox("monthly")
    const gift = yield* json(...words, ...at, ...ada, "--frequency", "MONTHLY").pipe(paying(numbers.succeeds))
    assert.deepInclude(gift, { status: "SUCCEEDED", failure_code: null })
    const shown = yield* json("subscription", "show", ...at, gift.subscription_id)
    assert.deepInclude(shown, { status: "ACTIVE", frequency: "MONTHLY", amount_cents: 5_000 })
    const [invoice, ...more] = shown.invoices
    assert.lengthOf(more, 0)
    assert.deepInclude(invoice, { status: "PAID", due_on: shown.anchor_day, donation_id: gift.donation_id })
    const { data: charges } = yield* json("charge", "list", ...at, "--subject", gift.donation_id)
    assert.strictEqual(invoice.charge_id, charges[0].id)
    const listed = yield* json("subscription", "list-invoices", ...at, gift.subscription_id, "--status", "PAID")
    assert.deepInclude(listed.data[0], invoice)
    const open = yield* json("subscription", "list-invoices", ...at, gift.subscription_id, "--status", "OPEN")
    assert.deepStrictEqual(open.data, [])
    const printed = yield* almoner("subscription", "show", ...at, gift.subscription_id)
    assert.match(printed.stdout, new RegExp(`${invoice.due_on} +5000 +PAID +${invoice.charge_id}`))
  })

  effect("are refused as often as the page does not offer, and charge nothing", function* () {
    const { at } = yield* makeSandbox("refused")
    const refused = yield* almoner(...words, ...at, ...ada, "--frequency", "QUARTERLY").pipe(paying(numbers.succeeds))
    assert.strictEqual(refused.status, 1)
    assert.include(refused.stderr, "--frequency must be one that this page offers now: WEEKLY, MONTHLY.")
    assert.deepStrictEqual((yield* json("charge", "list", ...at)).data, [])
    assert.deepStrictEqual((yield* json("subscription", "list", ...at)).data, [])
  })

  effect("are given with every detail that a page asks for", function* () {
    const { at, organisation } = yield* makeSandbox("details")
    const typed = {
      donor_type: "INDIVIDUAL",
      first_name: "Ada",
      last_name: "Lovelace",
      organisation_name: "Engines",
      email: "ada@example.org",
      phone: "0400 000 000",
      address_line1: "1 Hill Street",
      address_line2: "Level 2",
      suburb: "Newtown",
      state: "NSW",
      postcode: "2042",
      country: "AU",
      employer_name: "Babbage",
      occupation: "Analyst"
    }
    assert.sameMembers(Object.keys(typed), Object.keys(TypedDonor.fields))
    const flags = Object.entries(typed).flatMap(([name, value]) => [`--${name.replaceAll("_", "-")}`, value])
    const gift = yield* json(...words, ...at, ...flags).pipe(paying(numbers.succeeds))
    assert.strictEqual(gift.subscription_id, null)
    const id = DonationId.make(gift.donation_id)
    const kept = yield* Donations.use((donations) => donations.read(id)).pipe(asOperator(organisation))
    assert.deepStrictEqual(Object(kept.submitted_donor), typed)
  })
})
