import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import { balancesOf, LedgerEntry, overdrawn, posting, SingleAccount } from "../../../src/domain/payments/Ledger.ts"
import * as Generators from "../../../src/testing/Generators.ts"
import { forEvery } from "../../support/Property.ts"

const account = fc.constantFrom(...SingleAccount.literals)
const entries = fc.array(Generators.ledgerEntry, { maxLength: 20 })

describe("the ledger", () => {
  it("adds up to nothing, whatever moved, however large it is", () =>
    forEvery(entries, (all) => {
      const sum = Object.values(balancesOf(all)).reduce((total, each) => total + each, 0n)
      assert.strictEqual(sum, 0n)
    }))

  it("is exact beyond what a double holds", () => {
    const amount_cents = Number.MAX_SAFE_INTEGER
    const once = { from_account: "donor", to_account: "organisation", amount_cents } as const
    const { donor, organisation } = balancesOf([once, once, once, { ...once, amount_cents: 2 }])
    assert.strictEqual(organisation, 27_021_597_764_222_975n)
    assert.strictEqual(donor, -27_021_597_764_222_975n)
  })

  it("notices one cent that an account does not have, and lets the world outside and the organisation owe", () =>
    forEvery(account, fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 }), (own, came, went) => {
      const other = own === "donor" ? "bank" : "donor"
      const balances = balancesOf([...posting(other, own, came), ...posting(own, other, went)])
      const owes = own !== "donor" && own !== "bank" && own !== "organisation" && went > came
      assert.deepStrictEqual(overdrawn(balances), owes ? [own] : [])
    }))

  it("has no entry of nothing, and none that is negative", () => {
    const isEntry = Schema.is(LedgerEntry)
    assert.deepStrictEqual(posting("donor", "organisation", 0), [])
    forEvery(Generators.ledgerEntry, (entry) => {
      assert.isTrue(isEntry(entry))
      assert.isFalse(isEntry({ ...entry, amount_cents: 0 }))
      assert.isFalse(isEntry({ ...entry, amount_cents: -1 }))
    })
  })
})
