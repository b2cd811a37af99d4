import { assert } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import { ReversalId, TransferAttemptId } from "../../../src/domain/kernel/Ids.ts"
import { dayIn } from "../../../src/domain/payments/Reconciliation.ts"
import type {
  ProcessorTransfers,
  ReversalContext,
  TransferContext
} from "../../../src/ports/payments/ProcessorTransfers.ts"
import { chargeRefundOf } from "../../../src/testing/conformance/ProcessorDriver.ts"
import { freshId } from "../../../src/testing/conformance/Records.ts"
import { withFresh } from "../../support/Steps.ts"
import { bodyOf, codeOf, over, world } from "./World.ts"

const freshTransfer = Effect.map(freshId("transferAttempt"), (id) => TransferAttemptId.make(id))
const freshReversal = Effect.map(freshId("reversal"), (id) => ReversalId.make(id))

/** A world with a shared payment that is there, and an account that a part of it goes to. */
const sharedWorld = Effect.gen(function* () {
  const base = yield* world
  const transfers: ProcessorTransfers = base.processor.transfers ?? assert.fail("no transfers")
  const destination = yield* base.accountIn(true)
  const account = destination.processor_connect_account_id
  const payment = yield* base.paid({ purpose: "payment" })
  const transferring = Effect.fnUntraced(function* (given: Partial<TransferContext> = {}) {
    const asked: TransferContext = { ...payment, id: yield* freshTransfer, destination, amount_cents: 2_000, ...given }
    return asked
  })
  const reversing = Effect.fnUntraced(function* (made: TransferContext, reference: string) {
    const asked: ReversalContext = { ...made, id: yield* freshReversal, transfer: { id: made.id, reference } }
    return asked
  })
  const posted = () => base.double.requests.findLast(({ method }) => method === "POST")
  return { ...base, account, destination, payment, posted, reversing, transferring, transfers } as const
})

const { live } = withFresh(over)

live("the money of a set stays with the platform, and its parts are drawn on the charge", function* () {
  const { account, double, integration, payment, posted, reversing, transferring, transfers } = yield* sharedWorld
  const { charge } = payment
  assert.deepInclude(double.intentsOf(charge.id)[0], {
    transfer_data: null,
    application_fee_amount: null,
    transfer_group: charge.id,
    on_behalf_of: integration.processor_connect_account_id
  })
  const asked = yield* transferring()
  const { reference } = yield* transfers.transfer(asked)
  const ours = {
    "metadata[almoner_charge_id]": charge.id,
    "metadata[almoner_integration_id]": integration.id,
    "metadata[almoner_organisation_id]": charge.organisation_id,
    "metadata[almoner_payment_intent]": `${charge.reference}`
  }
  assert.deepStrictEqual(bodyOf(posted()?.body), {
    amount: "2000",
    currency: "aud",
    destination: account,
    source_transaction: `ch_${charge.reference}`,
    transfer_group: charge.id,
    ...ours,
    "metadata[almoner_transfer_id]": asked.id
  })
  assert.strictEqual(posted()?.headers["idempotency-key"], asked.id)
  assert.strictEqual(double.arrived(account), 2_000)
  const back = yield* reversing(asked, reference)
  yield* transfers.reverse(back)
  assert.deepStrictEqual(bodyOf(posted()?.body), {
    amount: "2000",
    ...ours,
    "metadata[almoner_reversal_id]": back.id
  })
  assert.strictEqual(posted()?.headers["idempotency-key"], back.id)
  assert.strictEqual(double.arrived(account), 0)
})

live("a transfer whose answer was lost is found by our id, however many others the charge has", function* () {
  const { double, reversing, transferring, transfers } = yield* sharedWorld
  const lost = yield* transferring({ amount_cents: 10 })
  double.fail({ kind: "lostRequest" }, { kind: "lostRequest" })
  assert.strictEqual(yield* codeOf(transfers.transfer(lost)), "unreached not_reached")
  assert.deepStrictEqual(yield* transfers.fetchTransfer(lost), Option.none())
  const { reference } = yield* transfers.transfer(lost)
  for (let count = 0; count < 120; count += 1) {
    yield* transfers.transfer(yield* transferring({ amount_cents: 10 }))
  }
  double.forgetKeys()
  assert.deepStrictEqual(yield* transfers.fetchTransfer(lost), Option.some({ reference, reversal: null }))
  assert.deepStrictEqual(yield* transfers.transfer(lost), { reference })
  const back = yield* reversing(lost, reference)
  assert.deepStrictEqual(yield* transfers.fetchReversal(back), Option.none())
  const taken = yield* transfers.reverse(back)
  double.forgetKeys()
  assert.deepStrictEqual(yield* transfers.fetchReversal(back), Option.some(taken))
  assert.deepStrictEqual(yield* transfers.reverse(back), taken)
})

live("what an account says of itself tells whether it will ever take money", function* () {
  const { account, double, transferring, transfers } = yield* sharedWorld
  const code = Effect.flatMap(transferring(), (asked) => codeOf(transfers.transfer(asked)))
  double.disable(account)
  assert.strictEqual(yield* code, "refused insufficient_capabilities_for_transfer")
  double.reject(account)
  assert.strictEqual(yield* code, "refused account_rejected")
  double.closeAccount(account)
  assert.strictEqual(yield* code, "refused account_closed")
  double.reopen(account)
  assert.strictEqual(yield* code, "done")
  const tooMuch = yield* transferring({ amount_cents: 3_001 })
  assert.strictEqual(yield* codeOf(transfers.transfer(tooMuch)), "refused invalid_request_error")
  // Where the account does not answer, the refusal is all that is known: it may be tried again.
  double.reject(account)
  double.fail({ kind: "none" }, { kind: "none" }, { kind: "none" }, { kind: "status", status: 500 })
  assert.strictEqual(yield* code, "refused insufficient_capabilities_for_transfer")
  assert.strictEqual(double.arrived(account), 2_000)
})

live(
  "a reversal that the account cannot pay is refused, and one that was made at Stripe is not made again",
  function* () {
    const { account, double, reversing, transferring, transfers } = yield* sharedWorld
    const asked = yield* transferring()
    const { reference } = yield* transfers.transfer(asked)
    double.disable(account)
    assert.strictEqual(
      yield* codeOf(transfers.reverse(yield* reversing(asked, reference))),
      "refused balance_insufficient"
    )
    double.reject(account)
    assert.strictEqual(yield* codeOf(transfers.reverse(yield* reversing(asked, reference))), "refused account_rejected")
    double.reopen(account)
    yield* transfers.reverse(yield* reversing(asked, reference))
    assert.strictEqual(
      yield* codeOf(transfers.reverse(yield* reversing(asked, reference))),
      "refused invalid_request_error"
    )
    assert.strictEqual(double.arrived(account), 0)
  }
)

live(
  "a transfer that was taken back at Stripe is known, once it was taken back whole, and is on the statement",
  function* () {
    const { double, integration, processor, transferring, transfers } = yield* sharedWorld
    const asked = yield* transferring()
    const { reference } = yield* transfers.transfer(asked)
    const reversal = Effect.map(
      transfers.fetchTransfer(asked),
      Option.map((made) => made.reversal)
    )
    const { charge } = asked
    const today = dayIn(yield* DateTime.now)
    const stated = Effect.gen(function* () {
      const { data } = yield* (processor.movements ?? assert.fail())(integration, today, null)
      const moved = data.filter(({ kind }) => kind === "transfer")
      assert.isTrue(moved.every(({ charge_reference }) => charge_reference === charge.reference))
      return moved.map(({ amount_cents }) => amount_cents).toSorted()
    })
    assert.deepStrictEqual(yield* stated, [-2_000])
    double.reverseThere(reference, 500)
    assert.deepStrictEqual(yield* reversal, Option.some(null))
    const last = double.reverseThere(reference, 1_500)
    assert.deepStrictEqual(yield* reversal, Option.some({ reference: last }))
    assert.deepStrictEqual(yield* stated, [-2_000, 1_500, 500])
  }
)

live("a set that was paid as gifts are is not shared, and its refund comes from where its money is", function* () {
  const { double, payment, posted, processor, transferring, transfers } = yield* sharedWorld
  yield* processor.refund(payment, yield* chargeRefundOf(payment, 1_000))
  assert.notProperty(bodyOf(posted()?.body), "reverse_transfer")
  const [intent] = double.intentsOf(payment.charge.id)
  Object.assign(intent ?? {}, { transfer_data: { destination: payment.integration.processor_connect_account_id } })
  assert.strictEqual(yield* codeOf(transfers.transfer(yield* transferring())), "refused charge_is_not_separate")
  yield* processor.refund(payment, yield* chargeRefundOf(payment, 1_000))
  assert.strictEqual(bodyOf(posted()?.body).reverse_transfer, "true")
  assert.strictEqual(double.paidBack(payment.charge.id), 2_000)
})

live("nothing goes on from own accounts or to them, and nothing is asked", function* () {
  const { destination, double, integration, transferring, transfers } = yield* sharedWorld
  const before = double.requests.length
  for (const given of [
    { destination: { ...destination, is_own: true } },
    { integration: { ...integration, is_own: true } }
  ]) {
    const asked = yield* transferring(given)
    assert.strictEqual(yield* codeOf(transfers.transfer(asked)), "refused account_unknown")
  }
  assert.strictEqual(double.requests.length, before)
})
