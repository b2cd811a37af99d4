import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import * as Books from "../../../src/domain/payments/Books.ts"
import { balancesOf } from "../../../src/domain/payments/Ledger.ts"
import * as Generators from "../../../src/testing/Generators.ts"
import { forEvery } from "../../support/Property.ts"

const [given = assert.fail("none")] = fc.sample(Generators.charge, { numRuns: 1, seed: 1 })

/** Charges of 0.01 to 3.00, of which the platform takes a tenth. */
const charge = fc
  .record({
    amount_cents: fc.integer({ min: 1, max: 300 }),
    method: fc.constantFrom("card", "bank_transfer"),
    purpose: fc.constantFrom("donation", "payment", "invoice")
  })
  .map((each) => ({ ...given, ...each, platform_rate: { basis_points: 1_000, fixed_cents: 0 } }))
const fee = fc.nat(400)

describe("the entries of a charge that was paid", () => {
  it("hold what is left of a set's payment for its recipients, and give the organisation the rest of a gift or its costs", () =>
    forEvery(charge, fee, (charge, fee) => {
      const { amount_cents, method, purpose } = charge
      const balances = balancesOf([...Books.chargePaid(charge), ...Books.feesCharged(charge, fee)])
      const platform = Math.max(0, Math.min(Math.round(amount_cents / 10), amount_cents - fee))
      const left = amount_cents - fee - platform
      const [held, own] = purpose === "payment" ? [Math.max(0, left), Math.min(0, left)] : [0, left]
      assert.deepInclude(balances, {
        [method === "card" ? "donor" : "unmatched"]: -BigInt(amount_cents),
        held: BigInt(held),
        organisation: BigInt(own),
        processor_fees: BigInt(fee),
        platform_fees: BigInt(platform)
      })
    }))

  it("are as if the last fee had been the first, whatever it was before, at the organisation's cost", () =>
    forEvery(charge, fee, fee, (charge, before, after) => {
      const gift = { ...charge, purpose: "donation" } as const
      const changed = [...Books.feesCharged(gift, before), ...Books.feesChanged(gift, before, after)]
      assert.deepStrictEqual(balancesOf(changed), balancesOf(Books.feesCharged(gift, after)))
    }))
})
