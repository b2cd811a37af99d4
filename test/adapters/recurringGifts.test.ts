import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Donations } from "../../src/app/giving/Donations.ts"
import { TypedDonor } from "../../src/domain/giving/CheckoutDonor.ts"
import { DonationId } from "../../src/domain/kernel/Ids.ts"
import { numbers } from "../support/Numbers.ts"
import { withLayer } from "../support/Steps.ts"
import { asOperator } from "../support/Tenant.ts"
import { json, newAccount, newFormOf, StandardInput, world } from "./CommandWorld.ts"

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

withLayer(world)("recurring gifts on the command line", ({ effect }) => {
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
