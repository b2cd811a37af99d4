import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import { balancesOf, LedgerEntry, overdrawn, posting, SingleAccount } from "../../../src/domain/payments/Ledger.ts"
import * as Generators from "../../../src/testing/Generators.ts"
import { forEvery } from "../../support/Property.ts"

const account = fc.constantFrom(...SingleAccount.literals)

describe("the ledger", () => {
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
