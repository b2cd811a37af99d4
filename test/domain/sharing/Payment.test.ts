import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result, Schema } from "effect"
import fc from "fast-check"
import { decide } from "../../../src/domain/kernel/Machine.ts"
import * as Payment from "../../../src/domain/sharing/Payment.ts"
import * as Subjects from "../../../src/testing/subjects/Payments.ts"
import { forEvery } from "../../support/Property.ts"

const { states } = Subjects.payments

const list = fc.array(states, { maxLength: 8 })

describe("Payment", () => {
  it("lapses 14 days after it was submitted, and not a millisecond earlier", () =>
    forEvery(states, fc.integer({ min: -5, max: 5 }), (any, offset) => {
      const waiting: Payment.Payment = { ...any, payment_status: "AWAITING_FUNDS" }
      const at = DateTime.addDuration(DateTime.add(waiting.created_at, { days: 14 }), offset)
      const decision = decide(Payment.machine, waiting, { _tag: "Lapse", at })
      assert.strictEqual(Result.isSuccess(decision), offset >= 0)
      if (Result.isSuccess(decision)) {
        assert.strictEqual(decision.success.state.failure_code, "bank_transfer_lapsed")
      }
    }))

  it("is summed up in one bucket by its status, in any order and in any portions", () => {
    forEvery(list, list, (some, others) => {
      const whole = Payment.summaryOf([...others, ...some])
      assert.isTrue(Schema.is(Payment.PaymentSummary)(whole))
      const [a, b] = [Payment.summaryOf(some), Payment.summaryOf(others)]
      assert.deepStrictEqual(whole, {
        referred_cents: a.referred_cents + b.referred_cents,
        referred_count: a.referred_count + b.referred_count,
        in_flight_cents: a.in_flight_cents + b.in_flight_cents,
        in_flight_count: a.in_flight_count + b.in_flight_count
      })
    })
    forEvery(states, (payment) => {
      const one = Payment.summaryOf([payment])
      const referred = payment.payment_status === "SUCCEEDED"
      const inFlight = payment.payment_status === "PENDING" || payment.payment_status === "AWAITING_FUNDS"
      assert.deepStrictEqual(one, {
        referred_cents: referred ? payment.total_amount_cents : 0,
        referred_count: referred ? 1 : 0,
        in_flight_cents: inFlight ? payment.total_amount_cents : 0,
        in_flight_count: inFlight ? 1 : 0
      })
    })
  })

  it("is shown, and told of, as the schemas of record and events say", () => {
    const isRecord = Schema.is(Payment.RecommendationSetPaymentRecord)
    const isData = Schema.is(Payment.eventData)
    forEvery(states, (payment) => {
      assert.isTrue(isRecord(Payment.recordOf(payment)))
      assert.isTrue(isData(Payment.eventDataOf(payment)))
    })
  })
})
