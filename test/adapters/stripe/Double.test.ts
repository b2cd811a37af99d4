import { assert, describe, it } from "@effect/vitest"
import { Refusal } from "../../support/stripe/Protocol.ts"
import { publishedValues, requirePublished } from "../../support/stripe/PublishedTypes.ts"
import { requestTypes } from "../../support/stripe/StripeDouble.ts"

const faultOf = (parameters: string, form: Record<string, unknown>): unknown => {
  try {
    requirePublished(parameters, form)
    return undefined
  } catch (refusal) {
    assert.instanceOf(refusal, Refusal)
    return refusal.error.code
  }
}

describe("the double of Stripe", () => {
  it.each(requestTypes)("%s takes no parameter that the package's type does not name", (_, parameters) => {
    assert.strictEqual(faultOf(parameters, { made_up: "1" }), "parameter_unknown")
    assert.strictEqual(faultOf(parameters, { expand: { 0: "source", 1: { of: "it" } } }), "parameter_unknown")
  })

  it("knows what is within a parameter, and what is required", () => {
    const intent = "PaymentIntents.PaymentIntentCreateParams"
    const whole = {
      amount: "500",
      currency: "aud",
      metadata: { any: "text" },
      transfer_data: { destination: "acct_1" }
    }
    assert.isUndefined(faultOf(intent, whole))
    assert.strictEqual(faultOf(intent, { ...whole, payment_method_types: { 0: "card" } }), "parameter_unknown")
    assert.strictEqual(faultOf(intent, { ...whole, transfer_data: { to: "acct_1" } }), "parameter_unknown")
    assert.strictEqual(faultOf(intent, { ...whole, capture_method: { is: "automatic" } }), "parameter_unknown")
    assert.strictEqual(faultOf(intent, { currency: "aud" }), "parameter_missing")
    assert.strictEqual(
      faultOf("BalanceTransactions.BalanceTransactionListParams", { created: { on: "1" } }),
      "parameter_unknown"
    )
    assert.include(publishedValues("Disputes.Dispute.Status"), "prevented")
  })
})
