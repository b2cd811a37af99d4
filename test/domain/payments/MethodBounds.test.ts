import { assert, it } from "@effect/vitest"
import fc from "fast-check"
import { isWithinBounds, widestOf } from "../../../src/domain/payments/MethodBounds.ts"
import { forEvery } from "../../support/Property.ts"

const bounds = fc
  .record({ minimum_cents: fc.option(fc.integer({ min: 1, max: 5 })), more: fc.nat(4) })
  .map(({ minimum_cents, more }) => ({ minimum_cents, maximum_cents: (minimum_cents ?? 1) + more }))

it("bounds take every amount from the least to the greatest, and several together from the least of all to the greatest", () =>
  forEvery(fc.array(bounds, { maxLength: 3 }), (all) => {
    const amounts = Array.from({ length: 12 }, (_, cents) => cents)
    const taken = all.map(({ maximum_cents, minimum_cents }) => {
      const found = amounts.slice(minimum_cents ?? 1, maximum_cents + 1)
      const isTaken = (cents: number) => isWithinBounds(cents, { minimum_cents, maximum_cents })
      assert.deepStrictEqual(amounts.filter(isTaken), found)
      return found
    })
    const widest = widestOf(all)
    if (widest === undefined) return assert.isEmpty(all)
    const any = taken.flat().toSorted((a, b) => a - b)
    const { maximum_cents, minimum_cents } = widest
    assert.deepStrictEqual([minimum_cents ?? 1, maximum_cents], [any[0], any.at(-1)])
    assert.strictEqual(
      minimum_cents === null,
      all.some((each) => each.minimum_cents === null)
    )
  }))
