import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import fc from "fast-check"
import { capLevelOf, remainingCapCents } from "../../../src/domain/compliance/CapLevel.ts"
import { crosses } from "../../../src/domain/compliance/Regime.ts"
import * as Refund from "../../../src/domain/giving/Refund.ts"
import { attributionOf } from "../../../src/domain/insight/Campaign.ts"
import { opportunities } from "../../../src/domain/insight/Intelligence.ts"
import type { RefundId } from "../../../src/domain/kernel/Ids.ts"
import { centsOf } from "../../../src/domain/kernel/Money.ts"
import { feeOf, feesOf, split } from "../../../src/domain/payments/Fees.ts"
import { balancesOf, posting } from "../../../src/domain/payments/Ledger.ts"
import { summaryOf } from "../../../src/domain/sharing/Payment.ts"
import {
  allocationViolationOf,
  amountsViolationOf,
  totalCents
} from "../../../src/domain/sharing/RecommendationSetRules.ts"
import * as Generators from "../../../src/testing/Generators.ts"
import { forEvery } from "../../support/Property.ts"
import { broken } from "../../support/Sentences.ts"

/** Numbers that are no amount in minor units. */
const hostile = fc.oneof(
  fc.constantFrom(-5, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 53, 1e300),
  fc.integer({ max: -1 }),
  fc.double({ min: 0.01, max: 1e6 }).filter((each) => !Number.isInteger(each))
)

const at = DateTime.makeUnsafe(0)
const rate = { basis_points: 100, fixed_cents: 10 }
const movement = { from_account: "donor", to_account: "organisation" } as const
const link = "acct"
const row = (amount_cents: number) => ({ status: "SUCCEEDED", is_beside_gift: false, amount_cents }) as Refund.Refund

/** Every public function of the domain that answers a number or a truth about amounts, over an amount. */
const throwing: ReadonlyArray<readonly [name: string, call: (cents: number) => unknown]> = [
  ["centsOf", (cents) => centsOf("amount_cents", cents)],
  ["feeOf", (cents) => feeOf(cents, rate)],
  ["feeOf, fixed_cents", (cents) => feeOf(100, { ...rate, fixed_cents: cents })],
  ["feeOf, basis_points", (basis_points) => feeOf(100, { ...rate, basis_points })],
  ["feesOf", (cents) => feesOf(cents, { platform: rate, processor: rate })],
  ["split", (cents) => split(cents, [1, 2])],
  ["split, a weight", (cents) => split(100, [1, cents])],
  ["balancesOf", (cents) => balancesOf([{ ...movement, amount_cents: cents }])],
  ["posting", (cents) => posting("donor", "organisation", cents)],
  ["refundedCents", (cents) => Refund.refundedCents([row(10), row(cents)])],
  ["capLevelOf", (cents) => capLevelOf(cents, 100)],
  ["capLevelOf, the cap", (cents) => capLevelOf(100, cents)],
  ["remainingCapCents", (cents) => remainingCapCents(cents, 100)],
  ["crosses", (cents) => crosses({ threshold_cents: 100, comparison: "OVER" }, cents)],
  [
    "attributionOf",
    (cents) =>
      attributionOf([{ donor_id: null, currency: "AUD", amount_cents: cents, refunded_amount_cents: 0 }], "AUD")
  ],
  ["totalCents", (cents) => totalCents([{ amount_cents: cents }])],
  ["summaryOf", (cents) => summaryOf([{ payment_status: "SUCCEEDED", total_amount_cents: cents }])],
  ["opportunities", (cents) => opportunities([{ currency: "AUD", play: "upgrade", opportunity_cents: cents } as never])]
]

describe("a pure function of amounts", () => {
  for (const [name, call] of throwing) {
    it(`refuses what is no amount: ${name}`, () =>
      forEvery(hostile, (cents) => {
        try {
          call(cents)
        } catch (error) {
          assert.instanceOf(error, RangeError)
          assert.match(String(error), /must be a whole number/)
          return
        }
        assert.fail(`${name} took ${cents}`)
      }))
  }

  it("keeps no rule of a set with what is no amount", () =>
    forEvery(hostile, (amount_cents) => {
      const allocations = [{ recipient_org_account_link_id: link, amount_cents }]
      assert.isNotNull(allocationViolationOf({ amount_mode: "SUGGESTED", allocations } as never))
      const set = { amount_mode: "OPEN", min_total_cents: null, allocations }
      assert.isNotNull(amountsViolationOf(set as never, [amount_cents]))
    }))

  it("refunds never more than a gift, whatever is asked for", () => {
    const asked = fc.oneof(hostile, fc.integer({ min: 1, max: 40 }))
    forEvery(Generators.donation, fc.array(asked, { maxLength: 6 }), (given, amounts) => {
      let donation = { ...given, status: "CONFIRMED" as const, amount_cents: 10, refunded_amount_cents: 0 }
      let rows: ReadonlyArray<Refund.Refund> = []
      for (const [n, amount_cents] of amounts.entries()) {
        const outcome = Refund.refund(donation, rows, { amount_cents }, { id: `rf_${n}` as RefundId, at })
        if (Result.isFailure(outcome)) {
          const { failure } = outcome
          if (failure._tag === "InvalidInput") assert.strictEqual(failure.param, "amount_cents")
          assert.isNull(broken(failure.message))
          continue
        }
        assert.isTrue(Number.isInteger(amount_cents) && amount_cents > 0)
        rows = [...rows, outcome.success.refund]
        donation = outcome.success.donation as typeof donation
      }
      const refunded = rows.reduce((sum, each) => sum + each.amount_cents, 0)
      assert.isAtMost(refunded, 10)
      assert.strictEqual(donation.refunded_amount_cents, refunded)
    })
  })
})
