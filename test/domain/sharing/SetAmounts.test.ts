import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { AllocationId } from "../../../src/domain/kernel/Ids.ts"
import { AmountMode } from "../../../src/domain/sharing/RecommendationSet.ts"
import { enteredOf } from "../../../src/domain/sharing/SetAmounts.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import * as Generators from "../../../src/testing/Generators.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const greatest = 1_000_000_000

const cents = fc.oneof(fc.integer({ min: 0, max: 6 }), fc.constantFrom(greatest - 1, greatest))

/** A set with small and with the greatest amounts, and what a donor enters: mostly for its allocations in their order. */
const entering = fc
  .record({
    set: Generators.recommendationSet,
    amount_mode: fc.constantFrom(...AmountMode.literals),
    min_total_cents: fc.option(fc.integer({ min: 1, max: 9 })),
    ids: fc.uniqueArray(arbitraryOf(AllocationId), { minLength: 3, maxLength: 3 }),
    asked: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 3, maxLength: 3 }),
    amounts: fc.array(cents, { minLength: 3, maxLength: 3 }),
    keeps: fc.boolean(),
    stray: fc.constantFrom("none", "none", "none", "missing", "twice", "swapped", "another"),
    off: fc.constantFrom(0, 0, 0, 1)
  })
  .map(({ amount_mode, amounts, asked, ids, keeps, min_total_cents, off, set, stray }) => {
    const size = Math.min(3, set.allocations.length)
    const allocations = set.allocations.slice(0, size).map((each, index) => ({
      ...each,
      id: ids[index] ?? each.id,
      amount_cents: amount_mode === "OPEN" ? 0 : (asked[index] ?? 1)
    }))
    const right = allocations.map(({ amount_cents, id }, index) => ({
      id,
      amount_cents: keeps ? amount_cents : (amounts[index] ?? 0)
    }))
    const [first] = right
    const entered = {
      none: right,
      missing: right.slice(1),
      twice: first === undefined ? right : [...right, first],
      swapped: right.toReversed(),
      another: right.map((each) => ({ ...each, id: AllocationId.make("all_01h00000000000000000000009") }))
    }[stray]
    const total = entered.reduce((sum, { amount_cents }) => sum + amount_cents, 0) + off
    return { set: { ...set, amount_mode, min_total_cents, allocations }, entered, total, right }
  })

describe("what a donor enters on the page of a set", () => {
  it("is taken where it is for the set's recipients, as its mode has it, and within its bounds", () => {
    let taken = 0
    forEveryWith({ numRuns: 2_000 }, entering, ({ entered, set, total }) => {
      const { amounts_cents, refusal } = enteredOf(set, entered, total)
      const names = entered.map(({ id }) => id).join()
      const isForThem = names === set.allocations.map(({ id }) => id).join()
      const sum = entered.map(({ amount_cents }) => amount_cents).reduce((a, b) => a + b, 0)
      const isAsStored =
        set.amount_mode !== "FIXED" ||
        entered.every(({ amount_cents }, index) => amount_cents === set.allocations[index]?.amount_cents)
      const isWithin = sum >= Math.max(1, set.min_total_cents ?? 1) && sum <= greatest
      const isTaken = isForThem && isAsStored && isWithin && sum === total
      assert.strictEqual(refusal === null, isTaken, refusal?.message)
      if (isTaken) taken += 1
      assert.deepStrictEqual(amounts_cents, isTaken ? entered.map(({ amount_cents }) => amount_cents) : [])
      if (refusal !== null)
        assert.match(refusal.param, /^(?:amount_cents|allocations(?:\[\d\]\.(?:id|amount_cents))?)$/)
    })
    assert.isAbove(taken, 100)
  })

  it("is asked for in allocations where it is left out", () =>
    forEvery(entering, fc.constantFrom(null, undefined), ({ set, total }, nothing) => {
      assert.strictEqual(enteredOf(set, nothing, total).refusal?.param, "allocations")
    }))
})
