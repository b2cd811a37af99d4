import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import * as Fees from "../../../src/domain/payments/Fees.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const sumOf = (parts: ReadonlyArray<number>): number => parts.reduce((total, part) => total + part, 0)

const cents = fc.oneof(
  fc.integer({ min: 0, max: 20 }),
  fc.integer({ min: 0, max: 100_000 }),
  fc.integer({ min: 0, max: Limits.donationMaximumCents })
)
const weights = fc.array(cents, { minLength: 1, maxLength: 12 })
const rate = fc.record({
  basis_points: fc.integer({ min: 0, max: 10_000 }),
  fixed_cents: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 1_000_000 }))
})
const rates = fc.record({ platform: rate, processor: rate })
const gross = fc.array(cents, { minLength: 1, maxLength: 12 })

describe("split", () => {
  it("adds up to the amount, to the cent", () =>
    forEveryWith({ numRuns: 500 }, cents, weights, (amount, weights) => {
      const parts = Fees.split(amount, weights)
      assert.strictEqual(parts.length, weights.length)
      assert.strictEqual(sumOf(parts), amount)
    }))

  it("gives each part its exact share rounded down or up, and nothing where the weight is 0", () =>
    forEveryWith(
      { numRuns: 500 },
      cents,
      weights.filter((weights) => sumOf(weights) > 0),
      (amount, weights) => {
        const sum = BigInt(sumOf(weights))
        for (const [index, part] of Fees.split(amount, weights).entries()) {
          const weight = BigInt(weights[index] ?? 0)
          const off = BigInt(part) * sum - BigInt(amount) * weight
          assert.isTrue(-sum < off && off < sum)
          if (weight === 0n) assert.strictEqual(part, 0)
        }
      }
    ))

  it("rounds up the largest remainders, and the earlier of two that are equal", () =>
    forEveryWith(
      { numRuns: 500 },
      cents,
      weights.filter((weights) => sumOf(weights) > 0),
      (amount, weights) => {
        const sum = BigInt(sumOf(weights))
        const seen = Fees.split(amount, weights).map((part, index) => {
          const exact = BigInt(amount) * BigInt(weights[index] ?? 0)
          return { rest: exact % sum, up: BigInt(part) > exact / sum, index }
        })
        for (const up of seen.filter((each) => each.up)) {
          for (const down of seen.filter((each) => !each.up)) {
            assert.isTrue(up.rest > down.rest || (up.rest === down.rest && up.index < down.index))
          }
        }
      }
    ))

  it("splits evenly where no weight says otherwise", () => {
    forEvery(cents, fc.integer({ min: 1, max: 20 }), (amount, count) => {
      const parts = Fees.split(
        amount,
        Array.from({ length: count }, () => 0)
      )
      assert.strictEqual(sumOf(parts), amount)
      assert.isAtMost(Math.max(...parts) - Math.min(...parts), 1)
      assert.deepStrictEqual(
        parts,
        parts.toSorted((a, b) => b - a)
      )
    })
    assert.deepStrictEqual(Fees.split(7, []), [])
  })
})

describe("fees", () => {
  it("have shares from nothing to all", () => {
    const isRate = Schema.is(Fees.Rate)
    forEveryWith(
      { examples: [[-1], [0], [10_000], [10_001]] },
      fc.oneof(fc.integer(), fc.integer({ min: 0, max: 10_000 })),
      (basis_points) => {
        const isShare = basis_points >= 0 && basis_points <= 10_000
        assert.strictEqual(isRate({ basis_points, fixed_cents: 0 }), isShare)
      }
    )
  })

  it("round half a cent up", () => {
    const odd = fc.nat(49).map((half) => half * 2 + 1)
    forEvery(odd, odd, (a, b) => {
      const share = Fees.feeOf(50 * a, { basis_points: 100 * b, fixed_cents: 0 })
      assert.strictEqual(share, (a * b + 1) / 2)
    })
  })

  it("are the share rounded half up and the fixed amount, and never more than the amount", () =>
    forEveryWith({ numRuns: 500 }, cents, rate, (amount, rate) => {
      const fee = Fees.feeOf(amount, rate)
      assert.strictEqual(Fees.feeOf(amount, Fees.noRate), 0)
      const share = (BigInt(amount) * BigInt(rate.basis_points) * 2n + 10_000n) / 20_000n
      const whole = share + BigInt(rate.fixed_cents)
      assert.strictEqual(BigInt(fee), whole < BigInt(amount) ? whole : BigInt(amount))
    }))

  it("and net amounts add up to the total, and no recipient gets more than was given toward it", () =>
    forEveryWith({ numRuns: 500 }, gross, rates, (gross, rates) => {
      const parts = Fees.breakdownOf(gross, rates)
      assert.strictEqual(parts.total_amount_cents, sumOf(gross))
      assert.strictEqual(
        parts.platform_fee_cents + parts.processor_fee_cents + sumOf(parts.net_amounts_cents),
        parts.total_amount_cents
      )
      for (const [index, net] of parts.net_amounts_cents.entries()) {
        assert.isAtLeast(net, 0)
        assert.isAtMost(net, gross[index] ?? 0)
      }
    }))

  it("take the processor's first, and the platform's from what that leaves", () =>
    forEvery(cents, rates, (total, rates) => {
      const { platform_fee_cents, processor_fee_cents } = Fees.feesOf(total, rates)
      assert.strictEqual(processor_fee_cents, Fees.feeOf(total, rates.processor))
      assert.isAtMost(platform_fee_cents + processor_fee_cents, total)
      const wanted = Fees.feeOf(total, rates.platform)
      assert.isTrue(platform_fee_cents === wanted || platform_fee_cents + processor_fee_cents === total)
      assert.isAtMost(platform_fee_cents, wanted)
    }))
})
