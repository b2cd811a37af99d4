import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import { bare, Donation } from "../../../src/domain/giving/DonationFields.ts"
import * as Generators from "../../../src/testing/Generators.ts"
import { forEveryWith } from "../../support/Property.ts"

describe("a gift of which nothing else is known", () => {
  it("is money that was given once and stays", () => {
    const property = fc.property(Generators.donation, (given) => {
      const { amount_cents, created_at, currency, donation_date, donation_day, donor_id, id } = given
      const { organisation_id, source, status, updated_at } = given
      const made = { id, organisation_id, donor_id, source, status, created_at, updated_at }
      const said = { ...made, amount_cents, currency, donation_date, donation_day }
      const gift = bare(said)
      assert.isTrue(Schema.is(Donation)(gift))
      const known = { donation_type: "MONETARY", refunded_amount_cents: 0, is_recurring: false, consent_responses: [] }
      const others = Object.keys(gift).filter((name) => !(name in said || name in known))
      const nothing = Object.fromEntries(others.map((name) => [name, null]))
      assert.deepStrictEqual({ ...gift }, { ...nothing, ...known, ...said })
    })
    fc.assert(property, { numRuns: 50 })
  })

  it("has whatever is said of it", () =>
    forEveryWith({ numRuns: 50 }, Generators.donation, (given) => assert.deepStrictEqual(bare(given), given)))
})
