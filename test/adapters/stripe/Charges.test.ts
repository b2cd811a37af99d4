import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { disputeStatuses, statuses as intentStatuses } from "../../../src/adapters/processors/stripe/Snapshots.ts"
import { chargeRefundOf } from "../../../src/testing/conformance/ProcessorDriver.ts"
import { withFresh } from "../../support/Steps.ts"
import type { Fault } from "../../support/stripe/Faults.ts"
import { publishedValues } from "../../support/stripe/PublishedTypes.ts"
import { bodyOf, codeOf, over, world } from "./World.ts"

const { live } = withFresh(over)

live("a charge is made on the platform for the account, once, with our ids and the platform's fee", function* () {
  const { begun, double, integration } = yield* world
  const { charge } = yield* begun({ platform_rate: { basis_points: 250, fixed_cents: 5 } })
  const asked = double.requests.filter(({ method }) => method === "POST")
  assert.lengthOf(asked, 1)
  const [{ body = "", headers = {} } = {}] = asked
  assert.deepStrictEqual(bodyOf(body), {
    amount: "5000",
    currency: "aud",
    "allowed_payment_method_types[0]": "card",
    capture_method: "automatic",
    on_behalf_of: integration.processor_connect_account_id,
    "transfer_data[destination]": integration.processor_connect_account_id,
    application_fee_amount: "130",
    "metadata[almoner_charge_id]": charge.id,
    "metadata[almoner_integration_id]": integration.id,
    "metadata[almoner_organisation_id]": charge.organisation_id
  })
  assert.strictEqual(headers["idempotency-key"], charge.id)
  assert.strictEqual(headers["stripe-version"], "2026-10-28.endive")
  assert.strictEqual(headers.authorization, "Bearer sk_test_double")
  assert.notProperty(headers, "x-stripe-client-telemetry")
})

live("a live organisation is served by live mode, and none by the other mode's key", function* () {
  const { accountIn, double, integration, processor } = yield* world
  const live = yield* accountIn(false)
  yield* processor.fetchAccount(live)
  yield* processor.fetchAccount(integration)
  assert.deepStrictEqual(
    double.requests.map(({ headers, path }) => [path, headers.authorization]),
    [
      [`/v1/accounts/${live.processor_connect_account_id}`, "Bearer sk_live_double"],
      [`/v1/accounts/${integration.processor_connect_account_id}`, "Bearer sk_test_double"]
    ]
  )
  assert.deepStrictEqual(yield* processor.pageKey(integration), Option.some("pk_test_double"))
  assert.deepStrictEqual(yield* processor.pageKey(live), Option.none())
})

live("yen are taken whole, and currencies that count otherwise are refused before anything is asked", function* () {
  const { begun, charging, double, processor } = yield* world
  yield* begun({ currency: "JPY", amount_cents: 5_000 })
  assert.deepInclude(bodyOf(double.requests[0]?.body ?? ""), { amount: "5000", currency: "jpy" })
  for (const currency of ["KWD", "ISK", "KRW", "UGX"]) {
    const before = double.requests.length
    assert.strictEqual(yield* codeOf(processor.begin(yield* charging({ currency }))), "refused currency_not_supported")
    assert.strictEqual(double.requests.length, before)
  }
  const large = yield* charging({ amount_cents: 2 ** 31 + 1 })
  assert.strictEqual(yield* codeOf(processor.begin(large)), "refused amount_too_large")
  assert.strictEqual(bodyOf(double.requests.at(-1)?.body ?? "").amount, "2147483649")
})

live("only an answer that refuses is a refusal; whatever else comes leaves it unknown", function* () {
  const { begun, charging, double, processor } = yield* world
  const faults: ReadonlyArray<readonly [Fault, string]> = [
    [{ kind: "status", status: 500 }, "unreached status_500"],
    [{ kind: "status", status: 503 }, "unreached status_503"],
    [{ kind: "status", status: 429, type: "rate_limit_error" }, "unreached too_many_requests"],
    [{ kind: "status", status: 409, code: "lock_timeout" }, "unreached key_in_use"],
    [{ kind: "status", status: 400, type: "idempotency_error" }, "unreached key_used_otherwise"],
    [{ kind: "status", status: 401, type: "invalid_request_error" }, "unreached key_not_accepted"],
    [{ kind: "status", status: 403, type: "invalid_request_error" }, "unreached not_permitted"],
    [{ kind: "status", status: 403, code: "account_invalid" }, "refused account_invalid"],
    [
      { kind: "status", status: 400, type: "invalid_request_error", code: "amount_too_small" },
      "refused amount_too_small"
    ],
    [{ kind: "status", status: 400, code: "Ada Lovelace" }, "refused api_error"],
    [{ kind: "lostRequest" }, "unreached not_reached"],
    [{ kind: "lostAnswer" }, "unreached not_reached"],
    [{ kind: "truncated" }, "unreached not_reached"],
    [{ kind: "body", body: "<html>" }, "unreached not_reached"],
    [{ kind: "body", body: "{}" }, "unreached unreadable_answer"],
    [{ kind: "body", body: '{"id":"pi_1","status":"succeeded","amount":-1}' }, "unreached unreadable_answer"]
  ]
  for (const [fault, expected] of faults) {
    // A connection that is closed is tried once more, under the same key, by the package itself.
    double.fail(fault, ...(["lostRequest", "lostAnswer", "truncated"].includes(fault.kind) ? [fault] : []))
    assert.strictEqual(yield* codeOf(processor.begin(yield* charging())), expected, JSON.stringify(fault))
  }
  const ready = yield* begun()
  const errors = ["5", "true", "[]", '"invalid_grant"', '{"type":5}', '{"headers":1,"message":{}}'].map(
    (error) => `{"error":${error}}`
  )
  // What is no object is thrown by the package where nobody waits for it, and ended the process.
  const rubbish = ["null", "true", "5", '"text"', "[]", '[{"id":1}]', "", "[".repeat(100_000), '{"lastResponse":1}']
  for (const body of ['{"data":7}', ...errors, ...rubbish]) {
    double.fail({ kind: "body", body })
    assert.match(yield* codeOf(processor.fetchCharge(ready)), /^unreached /)
  }
  assert.notInclude(yield* codeOf(processor.fetchCharge(ready)), "unreached")
})

live("an intent that is not ours is not believed", function* () {
  const { begun, charging, processor } = yield* world
  const other = yield* begun()
  const ours = yield* charging({ reference: other.charge.reference })
  assert.strictEqual(yield* codeOf(processor.fetchCharge(ours)), "unreached not_ours")
})

live("the fee is what the balance says, also when it says so later, and only in the charge's currency", function* () {
  const { begun, double, paid, processor } = yield* world
  const shared = { purpose: "payment" } as const
  assert.strictEqual((yield* processor.fetchCharge(yield* paid(shared))).fee_cents, 118)
  double.lateFees(true)
  assert.strictEqual((yield* processor.fetchCharge(yield* paid())).fee_cents, 0, "the platform pays for a gift")
  const late = yield* begun(shared)
  yield* processor.confirm(late, "pm_card_visa")
  const first = yield* processor.fetchCharge(late)
  assert.deepStrictEqual([first.status, first.fee_cents], ["succeeded", null])
  double.feesKnown()
  assert.strictEqual((yield* processor.fetchCharge(late)).fee_cents, 118)
  const [intent] = double.intentsOf(late.charge.id)
  Object.assign(intent ?? {}, { fee_transaction: { fee: 90, currency: "usd" } })
  assert.deepInclude(yield* processor.fetchCharge(late), { fee_cents: null, fee_currency: "USD" })
})

live("a part that was captured is told as it is, and a capture that waits is not believed", function* () {
  const { double, paid, processor } = yield* world
  const charged = yield* paid()
  const [intent] = double.intentsOf(charged.charge.id)
  Object.assign(intent ?? {}, { amount_received: 4_000 })
  assert.strictEqual((yield* processor.fetchCharge(charged)).amount_cents, 4_000)
  Object.assign(intent ?? {}, { status: "requires_capture" })
  assert.strictEqual(yield* codeOf(processor.fetchCharge(charged)), "unreached unknown_status")
})

live(
  "every status of a dispute is known: warnings are none, and one that was prevented is what became of its money",
  function* () {
    const { double, paid, processor } = yield* world
    const known = publishedValues("Disputes.Dispute.Status")
    assert.sameMembers(Object.keys(disputeStatuses), [...known])
    assert.sameMembers(
      [...Object.keys(intentStatuses), "requires_capture"],
      [...publishedValues("PaymentIntents.PaymentIntent.Status")]
    )
    for (const status of known) {
      const charged = yield* paid()
      double.disputeOf(charged.charge.id, status)
      const { disputes } = yield* processor.fetchCharge(charged)
      const expected = { lost: ["lost"], won: ["won"], prevented: ["won"] }[status]
      const isWarning = status.startsWith("warning")
      assert.deepStrictEqual(
        disputes.map((dispute) => dispute.status),
        isWarning ? [] : (expected ?? ["open"])
      )
    }
    const charged = yield* paid()
    const { id } = charged.charge
    const seen = Effect.map(processor.fetchCharge(charged), ({ disputes: [found] }) => [
      found?.status,
      found?.fee_cents
    ])
    double.dispute(id)
    assert.deepStrictEqual(yield* seen, ["open", 2_500])
    double.settleDispute(id, "prevented")
    assert.deepStrictEqual(yield* seen, ["lost", 2_500])
    double.winDispute(id, 2_500)
    assert.deepStrictEqual(yield* seen, ["won", 0])
    double.settleDispute(id, "appeal_under_review")
    assert.deepStrictEqual(yield* seen, ["open", 0])
    double.loseDispute(id)
    assert.deepStrictEqual(yield* seen, ["lost", 0])
    for (const unheardOf of ["arbitrated", "toString"]) {
      double.settleDispute(id, unheardOf)
      assert.strictEqual(yield* codeOf(processor.fetchCharge(charged)), "unreached unknown_status")
    }
  }
)

live("a refund whose status is not known here leaves it unknown what there is", function* () {
  const { double, paid, processor } = yield* world
  const charged = yield* paid()
  double.refundThere(charged.charge.id, 1_000)
  double.failRefund("reviewed")
  assert.strictEqual(yield* codeOf(processor.fetchCharge(charged)), "unreached unknown_status")
})

live("a debit that is dishonoured fails with the bank's code", function* () {
  const { begun, double, processor } = yield* world
  const debit = yield* begun({ method: "au_becs_debit" })
  yield* processor.confirm(debit, "ctoken_debit")
  assert.strictEqual((yield* processor.fetchCharge(debit)).status, "processing")
  double.dishonour(debit.charge.id, "insufficient_funds")
  const { failure_code, status } = yield* processor.fetchCharge(debit)
  assert.deepStrictEqual([status, failure_code], ["failed", "insufficient_funds"])
})

live("the donor is sent where the bank asks, or the page's component is, or the bank's app", function* () {
  const { begun, double, processor } = yield* world
  const step = Effect.fnUntraced(function* (method: "card" | "payto", token: string) {
    const ready = yield* begun({ method })
    yield* processor.confirm(ready, token)
    return [double.intentsOf(ready.charge.id)[0], yield* processor.nextStep(ready)] as const
  })
  const [, redirect] = yield* step("card", "pm_redirects")
  assert.deepStrictEqual(redirect, Option.some({ _tag: "Redirect", url: "https://hooks.stripe.test/3ds" }))
  const [intent, component] = yield* step("card", "pm_card_authenticationRequired")
  assert.deepStrictEqual(component, Option.some({ _tag: "Component", token: String(intent?.client_secret) }))
  const [, approval] = yield* step("payto", "ctoken_payto")
  assert.deepStrictEqual(approval, Option.some({ _tag: "Approval" }))
})

live("a refund comes from the account that has the money, and the platform's fee stays", function* () {
  const { double, paid, processor } = yield* world
  const charged = yield* paid()
  const refund = yield* chargeRefundOf(charged, 2_000)
  yield* processor.refund(charged, refund)
  const { body = "", headers } = double.requests.findLast(({ method }) => method === "POST") ?? {}
  assert.deepInclude(bodyOf(body), {
    amount: "2000",
    reverse_transfer: "true",
    refund_application_fee: "false",
    "metadata[almoner_refund_id]": refund.id
  })
  assert.strictEqual(headers?.["idempotency-key"], refund.id)
})
