import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import fc from "fast-check"
import { plans } from "../../../src/domain/access/Plan.ts"
import { rateAt, Tariff } from "../../../src/domain/payments/Tariff.ts"
import { forEvery } from "../../support/Property.ts"

const at = (hour: number) => DateTime.makeUnsafe(Date.UTC(2026, 0, 1, hour))

/** Tariffs of every plan, of which no two of a plan begin at the same hour. */
const tariffs = fc.uniqueArray(
  fc.record({
    plan: fc.constantFrom(...plans),
    hour: fc.nat(8),
    basis_points: fc.integer({ min: 0, max: 10_000 }),
    fixed_cents: fc.nat(50)
  }),
  { selector: ({ hour, plan }) => `${plan} ${hour}`, maxLength: 12 }
)

describe("rateAt", () => {
  it("is what was set last for the plan until then, and 0 before anything was", () =>
    forEvery(tariffs, fc.constantFrom(...plans), fc.nat(9), (drawn, plan, now) => {
      // Hour by hour, as if each were set when it begins.
      let expected = { basis_points: 0, fixed_cents: 0 }
      for (let hour = 0; hour <= now; hour++) {
        const set = drawn.find((each) => each.plan === plan && each.hour === hour)
        if (set !== undefined) expected = { basis_points: set.basis_points, fixed_cents: set.fixed_cents }
      }
      const stored = drawn.map(
        ({ hour, ...rest }): Tariff => ({ ...rest, effective_from: at(hour), created_at: at(20) })
      )
      assert.deepStrictEqual(rateAt(stored, plan, at(now)), expected)
      assert.deepStrictEqual(rateAt(stored.toReversed(), plan, at(now)), expected)
    }))

  it("is of shares from nothing to all, and of no negative amount", () => {
    const tariff = { plan: "GROW", effective_from: at(0), basis_points: 0, fixed_cents: 0, created_at: at(0) }
    const isTariff = Schema.is(Tariff)
    assert.isTrue(isTariff(tariff))
    assert.isTrue(isTariff({ ...tariff, basis_points: 10_000, fixed_cents: 1 }))
    assert.isFalse(isTariff({ ...tariff, basis_points: 10_001 }))
    assert.isFalse(isTariff({ ...tariff, basis_points: -1 }))
    assert.isFalse(isTariff({ ...tariff, fixed_cents: -1 }))
    assert.isFalse(isTariff({ ...tariff, plan: "GOLD" }))
  })
})
