import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { capLevelOf, remainingCapCents } from "../../../src/domain/compliance/CapLevel.ts"
import { forEvery } from "../../support/Property.ts"

const levels = ["NONE", "AMBER", "RED", "CRITICAL", "OVER"] as const
const cap = fc.oneof(
  fc.integer({ min: 1, max: 1_000 }),
  fc.maxSafeInteger().filter((each) => each > 0)
)

describe("cap levels", () => {
  it("begin at exactly 60, 90 and 98 percent, and end beyond the cap", () => {
    const reached = (total: number) => [60, 90, 98].filter((percent) => total * 100 >= 5_000_000 * percent).length
    forEvery(
      fc.constantFrom(3_000_000, 4_500_000, 4_900_000, 5_000_000),
      fc.integer({ min: -1, max: 1 }),
      (edge, by) => {
        const total = edge + by
        assert.strictEqual(capLevelOf(total, 5_000_000), levels[total > 5_000_000 ? 4 : reached(total)])
      }
    )
    assert.strictEqual(capLevelOf(5_000_000, 5_000_000), "CRITICAL")
  })

  it("are the same for any multiple of total and cap", () =>
    forEvery(fc.nat(300), fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 1e12 }), (total, most, times) => {
      assert.strictEqual(capLevelOf(total * times, most * times), capLevelOf(total, most))
    }))

  it("never fall as the total rises", () =>
    forEvery(cap, fc.maxSafeInteger(), fc.maxSafeInteger(), (most, a, b) => {
      const [less, more] = [Math.min(Math.abs(a), Math.abs(b)), Math.max(Math.abs(a), Math.abs(b))]
      assert.isAtMost(levels.indexOf(capLevelOf(less, most)), levels.indexOf(capLevelOf(more, most)))
    }))

  it("leave what takes the total to the cap, and nothing beyond", () =>
    forEvery(cap, fc.nat(2_000), (most, total) => {
      const remaining = remainingCapCents(total, most)
      assert.strictEqual(remaining === 0, total >= most)
      if (total <= most) assert.strictEqual(total + remaining, most)
      assert.notStrictEqual(capLevelOf(Math.min(total, most) + remaining, most), "OVER")
    }))
})
