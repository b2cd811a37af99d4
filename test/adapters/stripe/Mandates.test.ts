import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { InvoiceId, MandateId, SubscriptionId } from "../../../src/domain/kernel/Ids.ts"
import type { PaymentMethod } from "../../../src/domain/kernel/PaymentMethod.ts"
import { type Mandate, newMandate } from "../../../src/domain/payments/Mandate.ts"
import { type ChargeContext, mandatesOf } from "../../../src/ports.ts"
import { at, freshId } from "../../../src/testing/conformance/Records.ts"
import { withFresh } from "../../support/Steps.ts"
import { bodyOf, codeOf, over, world } from "./World.ts"

/** A world in which gifts are given that shall be repeated. */
const recurringWorld = Effect.gen(function* () {
  const base = yield* world
  const { charging, double, integration, processor } = base
  const keeps = Option.getOrElse(mandatesOf(processor), () => assert.fail("it keeps no means of payment"))

  const referred = Effect.fnUntraced(function* (fresh: ChargeContext) {
    const { reference } = yield* processor.begin(fresh)
    return { ...fresh, charge: { ...fresh.charge, reference } }
  })

  /** A first charge, with the mandate that it is to save. */
  const first = Effect.fnUntraced(function* (method: PaymentMethod) {
    const mandate = newMandate(
      {
        id: MandateId.make(yield* freshId("mandate")),
        organisation_id: integration.organisation_id,
        subscription_id: SubscriptionId.make(yield* freshId("subscription")),
        integration_id: integration.id,
        method
      },
      at(0)
    )
    const ready = yield* referred({ ...(yield* charging({ method, mandate_id: mandate.id })), mandate })
    return { ...ready, mandate }
  })

  const saved = Effect.fnUntraced(function* (ready: ChargeContext) {
    const { mandate_reference } = yield* processor.fetchCharge(ready)
    const kept: Mandate = {
      ...(ready.mandate ?? assert.fail()),
      status: "ACTIVE",
      reference: mandate_reference ?? null
    }
    return kept
  })

  /** A charge of a mandate, begun. */
  const renewal = Effect.fnUntraced(function* (mandate: Mandate) {
    const subject_id = InvoiceId.make(yield* freshId("invoice"))
    const { id: mandate_id, method } = mandate
    return yield* referred({ ...(yield* charging({ method, mandate_id, purpose: "invoice", subject_id })), mandate })
  })

  const bodyTo = (path: RegExp) =>
    bodyOf(double.requests.findLast((asked) => asked.method === "POST" && path.test(asked.path))?.body)
  return { ...base, bodyTo, first, keeps, renewal, saved } as const
})

const { live } = withFresh(over)

live("a first charge that is tried again is kept for the same customer", function* () {
  const { charging, double, first, processor } = yield* recurringWorld
  const ready = yield* first("card")
  yield* processor.confirm(ready, "pm_card_visa_chargeDeclined")
  const { mandate } = ready
  const again = { ...(yield* charging({ mandate_id: mandate.id })), mandate }
  yield* processor.begin(again)
  const customers = [ready, again].map(({ charge }) => double.intentsOf(charge.id)[0]?.customer)
  assert.lengthOf(new Set(customers), 1)
})

for (const [method, token] of [
  ["au_becs_debit", "ctoken_debit"],
  ["payto", "ctoken_payto"]
] as const) {
  live(`a debit by ${method} is kept by the authority that was given, which the donor's bank may end`, function* () {
    const { double, first, integration, keeps, processor, renewal, saved } = yield* recurringWorld
    const ready = yield* first(method)
    const [intent] = double.intentsOf(ready.charge.id)
    assert.deepStrictEqual(
      intent?.payment_method_options,
      method === "payto"
        ? { payto: { mandate_options: { amount: "5000", amount_type: "maximum", payment_schedule: "adhoc" } } }
        : null
    )
    yield* processor.confirm(ready, token)
    if (method === "payto") double.approve(ready.charge.id)
    double.settle(ready.charge.id)
    const mandate = yield* saved(ready)
    assert.match(mandate.reference ?? "", /^mandate_/u)

    const next = yield* renewal(mandate)
    yield* keeps.chargeMandate(next, mandate)
    assert.strictEqual((yield* processor.fetchCharge(next)).status, "processing")
    double.settle(next.charge.id)
    assert.strictEqual((yield* processor.fetchCharge(next)).status, "succeeded")

    const late = yield* renewal(mandate)
    double.endMandate(mandate.reference ?? "")
    assert.strictEqual(yield* keeps.fetchMandate(integration, mandate), "revoked")
    assert.strictEqual(yield* codeOf(keeps.chargeMandate(late, mandate)), "refused mandate_revoked")
    assert.strictEqual(double.taken(late.charge.id), 0)
  })
}

live("what is kept is forgotten once, and what Stripe does not know is unknown", function* () {
  const { charging, double, first, integration, keeps, processor, saved } = yield* recurringWorld
  const ready = yield* first("card")
  yield* processor.confirm(ready, "pm_card_visa")
  const mandate = yield* saved(ready)
  // Two that revoke at the same moment find it kept, and one of them is refused.
  yield* Effect.all([keeps.revokeMandate(integration, mandate), keeps.revokeMandate(integration, mandate)], {
    concurrency: 2
  })
  assert.strictEqual(yield* keeps.fetchMandate(integration, mandate), "revoked")
  for (const reference of ["pm_unknown", "mandate_unknown"]) {
    const unknown = { ...mandate, reference }
    const next = { ...(yield* charging({ purpose: "invoice", mandate_id: mandate.id })), mandate: unknown }
    const begun = double.intents.size
    for (const asked of [
      keeps.fetchMandate(integration, unknown),
      keeps.revokeMandate(integration, unknown),
      keeps.chargeMandate(next, unknown),
      processor.begin(next)
    ]) {
      assert.strictEqual(yield* codeOf(asked), "unreached mandate_missing")
    }
    assert.strictEqual(double.intents.size, begun)
  }
  double.fail({ kind: "status", status: 500 })
  assert.strictEqual(yield* codeOf(keeps.fetchMandate(integration, mandate)), "unreached status_500")
})
