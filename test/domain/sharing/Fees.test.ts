import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import * as Payment from "../../../src/domain/sharing/Payment.ts"
import * as Subjects from "../../../src/testing/subjects/Payments.ts"
import { forEveryWith } from "../../support/Property.ts"

const [sample = assert.fail("none")] = fc.sample(Subjects.submittedPayment, { numRuns: 1, seed: 1 })
const [part = assert.fail("none")] = sample.allocations
const at = DateTime.add(sample.updated_at, { days: 1 })

const paid = fc
  .record({
    gross: fc.array(fc.nat(400), { minLength: 1, maxLength: 5 }).filter((all) => all.some((cents) => cents > 0)),
    hasBegun: fc.boolean()
  })
  .map(
    ({ gross, hasBegun }): Payment.Payment => ({
      ...sample,
      total_amount_cents: gross.reduce((sum, cents) => sum + cents, 0),
      transfers_begun_at: hasBegun ? sample.updated_at : null,
      allocations: gross.map((gross_amount_cents) => ({
        ...part,
        gross_amount_cents,
        net_amount_cents: gross_amount_cents
      }))
    })
  )

const netOf = ({ allocations }: Payment.Payment) => allocations.map(({ net_amount_cents }) => net_amount_cents)
const sum = (all: ReadonlyArray<number>) => all.reduce((total, each) => total + each, 0)

describe("a payment whose fees are known", () => {
  it("leaves its recipients what is left, each its share to the cent, and no more than was paid is taken", () =>
    forEveryWith({ numRuns: 200 }, paid, fc.nat(1_500), fc.nat(100), (payment, processor_fee_cents, platform) => {
      const total = payment.total_amount_cents
      const processor = Math.min(processor_fee_cents, total)
      const platform_fee_cents = Math.min(platform, total - processor)
      const known = Payment.withFees(payment, { processor_fee_cents, platform_fee_cents }, at)
      if (payment.transfers_begun_at !== null) {
        assert.strictEqual(known, payment)
        return
      }
      const left = total - processor - platform_fee_cents
      assert.strictEqual(sum(netOf(known)), left)
      for (const { gross_amount_cents, net_amount_cents } of known.allocations) {
        assert.isBelow(Math.abs(net_amount_cents - (gross_amount_cents * left) / total), 1)
      }
      assert.deepInclude(known, { processor_fee_cents: processor, platform_fee_cents, updated_at: at })
      const gross = ({ allocations }: Payment.Payment) => allocations.map((each) => each.gross_amount_cents)
      assert.deepStrictEqual(gross(known), gross(payment))
    }))

  it("changes once: the same fees are no news, and another fee or another share is", () =>
    forEveryWith({ numRuns: 100 }, paid, (given) => {
      const payment = { ...given, transfers_begun_at: null }
      const fees = { processor_fee_cents: 1, platform_fee_cents: 0 }
      const known = Payment.withFees(payment, fees, at)
      const later = DateTime.add(at, { days: 1 })
      assert.strictEqual(Payment.withFees(known, fees, later), known)
      fc.pre(payment.total_amount_cents > 2)
      const news = [
        Payment.withFees(known, { ...fees, processor_fee_cents: 2 }, later),
        Payment.withFees(known, { ...fees, platform_fee_cents: 1 }, later),
        // The fees are as they were, and the shares are those of an estimate.
        Payment.withFees({ ...known, allocations: payment.allocations }, fees, later),
        // The shares are what these fees leave, and were estimated with another one.
        Payment.withFees({ ...known, processor_fee_cents: 0 }, fees, later),
        Payment.withFees({ ...known, platform_fee_cents: 1 }, fees, later),
        // They take the same together.
        Payment.withFees({ ...known, processor_fee_cents: 0, platform_fee_cents: 1 }, fees, later)
      ]
      for (const each of news) assert.deepStrictEqual(each.updated_at, later)
    }))
})
