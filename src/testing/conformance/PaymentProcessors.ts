import { DateTime, Effect, Option, Result, Schema } from "effect"
import type { Integration } from "../../domain/access/Integration.ts"
import { NextStep } from "../../domain/payments/NextStep.ts"
import { dayIn } from "../../domain/payments/Reconciliation.ts"
import type { ChargeContext } from "../../ports/payments/PaymentProcessors.ts"
import type { Movement } from "../../ports/payments/ProcessorStatements.ts"
import { assert } from "./Assert.ts"
import { processorMandates, processorOnboarding } from "./ProcessorAccounts.ts"
import {
  amount,
  atOnce,
  forEachMethod,
  isNow,
  newCharging,
  paidCharge,
  paidWith,
  refusedWithCode
} from "./ProcessorCases.ts"
import { chargeOf, chargeRefundOf, type ProcessorDriver, ProcessorUnderTest } from "./ProcessorDriver.ts"
import { noticesSince, processorNotices } from "./ProcessorNotices.ts"
import { processorOutages } from "./ProcessorOutages.ts"
import { processorTransfers } from "./ProcessorTransfers.ts"
import { allPages, type Check, lawsOn, none, same, type Thoroughness } from "./Suite.ts"

const { law, must } = lawsOn(ProcessorUnderTest)

const keyed = "PaymentProcessor MUST be sent as the processor's idempotency key and kept in the object's metadata."
const takesNothing = "PaymentProcessor.begin MUST take no money."
const oneReference = "PaymentProcessor.begin MUST get the same reference."
const takesOnce = "PaymentProcessor.confirm MUST NOT take money again."
const leavesAlone = "PaymentProcessor.cancel MUST leave alone one that succeeded or is in the bank network"
const paysOnce = "PaymentProcessor.refund MUST pay a refund once, however often it is asked for it."

const beginnings: ReadonlyArray<Check<ProcessorUnderTest>> = [
  forEachMethod(
    "a charge that begins takes no money, and is found by its id with what it is to take",
    [takesNothing, keyed],
    null,
    function* (driver, charging) {
      const { processor } = driver
      same((yield* isNow(processor, charging, "absent")).reference, null)
      const { reference } = yield* processor.begin(charging)
      const snapshot = yield* processor.fetchCharge(charging)
      same(
        [snapshot.reference, snapshot.amount_cents, snapshot.currency],
        [reference, amount, charging.charge.currency]
      )
      same([snapshot.fee_cents, snapshot.failure_code, snapshot.refunds, snapshot.disputes], [null, null, [], []])
      assert.isTrue(snapshot.status === "created" || snapshot.status === "waiting", snapshot.status)
      assert.strictEqual(yield* driver.taken(charging), 0)
    }
  ),

  forEachMethod(
    "a charge gets one reference, at the same moment, later, and when its key is forgotten",
    [oneReference, keyed],
    null,
    function* (driver, charging) {
      const { processor } = driver
      const begun = yield* atOnce(processor.begin(charging))
      yield* driver.forgetKeys(charging)
      const again = yield* atOnce(processor.begin(charging))
      const other = yield* processor.begin(yield* newCharging(driver, charging.charge.method))
      assert.strictEqual(new Set([...begun, ...again].map(({ reference }) => reference)).size, 1)
      assert.notStrictEqual(other.reference, begun[0].reference)
    }
  )
]

const confirmations: ReadonlyArray<Check<ProcessorUnderTest>> = [
  forEachMethod(
    "a charge is taken once, however often and by however many it is confirmed",
    [takesOnce],
    "succeeds",
    function* (driver, charging, { succeeds = "" }) {
      const { processor } = driver
      yield* processor.begin(charging)
      yield* Effect.asVoid(atOnce(Effect.result(processor.confirm(charging, succeeds))))
      yield* driver.forgetKeys(charging)
      yield* Effect.result(processor.confirm(charging, succeeds))
      yield* isNow(processor, charging, "succeeded")
      assert.strictEqual(yield* driver.taken(charging), amount)
      none(yield* processor.nextStep(charging))
    }
  ),

  forEachMethod(
    "a decline is told by what is fetched, with the processor's code, and takes nothing",
    [],
    "declined",
    function* (driver, charging, { declined = { token: "", code: "" } }) {
      yield* driver.processor.begin(charging)
      yield* driver.processor.confirm(charging, declined.token)
      const { failure_code } = yield* isNow(driver.processor, charging, "failed")
      assert.strictEqual(failure_code, declined.code)
      assert.strictEqual(yield* driver.taken(charging), 0)
    }
  ),

  forEachMethod(
    "a charge that waits tells the donor what to do, and is paid or on its way once that is done",
    [],
    "waits",
    function* (driver, given, { waits = "" }) {
      const charging = yield* paidWith(driver, given, waits)
      yield* isNow(driver.processor, charging, "waiting")
      const step = yield* driver.processor.nextStep(charging)
      assert.isTrue(Option.exists(step, Schema.is(NextStep)), "nothing to do")
      assert.strictEqual(yield* driver.taken(charging), 0)
      yield* driver.approve(charging)
      const { status } = yield* driver.processor.fetchCharge(charging)
      assert.isTrue(status === "succeeded" || status === "processing", status)
      none(yield* driver.processor.nextStep(charging))
    }
  )
]

const endings: ReadonlyArray<Check<ProcessorUnderTest>> = [
  forEachMethod(
    "what the bank network has is left alone by a cancellation, and arrives",
    [leavesAlone],
    "processes",
    function* (driver, given, { processes = "" }) {
      const charging = yield* paidWith(driver, given, processes)
      yield* isNow(driver.processor, charging, "processing")
      yield* driver.processor.cancel(charging)
      yield* isNow(driver.processor, charging, "processing")
      yield* driver.settle(charging)
      yield* isNow(driver.processor, charging, "succeeded")
      assert.strictEqual(yield* driver.taken(charging), amount)
    }
  ),

  must("what has succeeded is left alone by a cancellation", [leavesAlone], function* (driver) {
    const charging = yield* paidCharge(driver)
    yield* Effect.asVoid(atOnce(driver.processor.cancel(charging)))
    yield* isNow(driver.processor, charging, "succeeded")
    same([yield* driver.taken(charging), yield* driver.paidBack(charging)], [amount, 0])
  }),

  forEachMethod(
    "a charge that was begun, waits or was declined is ended by a cancellation, and takes nothing any more",
    [],
    null,
    function* (driver, first, { declined, succeeds, waits }) {
      const { processor } = driver
      const { method } = first.charge
      for (const token of [null, waits, declined?.token]) {
        if (token === undefined) continue
        const charging = yield* newCharging(driver, method)
        yield* processor.begin(charging)
        if (token !== null) yield* processor.confirm(charging, token)
        yield* processor.cancel(charging)
        yield* processor.cancel(charging)
        yield* isNow(processor, charging, "cancelled")
        if (succeeds !== undefined) yield* Effect.result(processor.confirm(charging, succeeds))
        yield* isNow(processor, charging, "cancelled")
        assert.strictEqual(yield* driver.taken(charging), 0)
      }
    }
  )
]

const refunds: ReadonlyArray<Check<ProcessorUnderTest>> = [
  must("a refund is paid once, at one moment, later, with its key forgotten", [paysOnce, keyed], function* (driver) {
    const { processor } = driver
    const charging = yield* paidCharge(driver)
    const [first, second] = [yield* chargeRefundOf(charging, 2_000), yield* chargeRefundOf(charging, 2_000)]
    const asked = yield* atOnce(processor.refund(charging, first))
    yield* driver.forgetKeys(charging)
    const again = yield* atOnce(processor.refund(charging, first))
    assert.strictEqual(new Set([...asked, ...again].map(({ reference }) => reference)).size, 1)
    assert.strictEqual(yield* driver.paidBack(charging), 2_000)
    const other = yield* processor.refund(charging, second)
    assert.notStrictEqual(other.reference, asked[0].reference)
    assert.strictEqual(yield* driver.paidBack(charging), 4_000)
    const { refunds } = yield* processor.fetchCharge(charging)
    same(
      refunds.map(({ amount_cents, reference, refund_id }) => ({ amount_cents, reference, refund_id })),
      [
        { amount_cents: 2_000, reference: asked[0].reference, refund_id: first.id },
        { amount_cents: 2_000, reference: other.reference, refund_id: second.id }
      ]
    )
  }),

  law("no more goes back than was taken, whoever asks at the same moment", function* (driver) {
    const charging = yield* paidCharge(driver)
    const asked = yield* Effect.all([3_000, 3_000, 3_000].map((cents) => chargeRefundOf(charging, cents)))
    const answers = yield* Effect.forEach(asked, (each) => Effect.result(driver.processor.refund(charging, each)), {
      concurrency: "unbounded"
    })
    assert.strictEqual(answers.filter(Result.isSuccess).length, 1)
    yield* refusedWithCode(driver.processor.refund(charging, yield* chargeRefundOf(charging, 2_001)))
    assert.strictEqual(yield* driver.paidBack(charging), 3_000)
  }),

  law("a refund that was made there, and one that comes back, are told", function* (driver) {
    if (driver.refundThere === undefined || driver.failRefund === undefined) return
    const charging = yield* paidCharge(driver)
    yield* driver.refundThere(charging, 1_000)
    const told = yield* driver.processor.fetchCharge(charging)
    same(
      told.refunds.map(({ amount_cents, refund_id }) => ({ amount_cents, refund_id })),
      [{ amount_cents: 1_000, refund_id: null }]
    )
    yield* driver.failRefund(charging)
    const after = yield* driver.processor.fetchCharge(charging)
    same(
      after.refunds.map(({ status }) => status),
      ["failed"]
    )
    assert.strictEqual(yield* driver.paidBack(charging), 0)
  }),

  forEachMethod("what was not paid cannot be paid back", [], null, function* (driver, charging) {
    yield* refusedWithCode(driver.processor.refund(charging, yield* chargeRefundOf(charging, 1)))
    yield* driver.processor.begin(charging)
    yield* refusedWithCode(driver.processor.refund(charging, yield* chargeRefundOf(charging, 1)))
  })
]

const disputes: ReadonlyArray<Check<ProcessorUnderTest>> = [
  law("a dispute is told while it is open, when it is lost, and when it is won after all", function* (driver) {
    const { dispute, loseDispute, processor, winDispute } = driver
    if (dispute === undefined || loseDispute === undefined || winDispute === undefined) return
    const charging = yield* paidCharge(driver)
    const told = Effect.map(processor.fetchCharge(charging), ({ disputes }) =>
      disputes.map(({ amount_cents, status }) => `${amount_cents} ${status}`)
    )
    same(yield* told, [])
    yield* dispute(charging)
    same(yield* told, ["5000 open"])
    yield* refusedWithCode(processor.refund(charging, yield* chargeRefundOf(charging, 1)))
    yield* loseDispute(charging)
    same(yield* told, ["5000 lost"])
    yield* winDispute(charging)
    same(yield* told, ["5000 won"])
    yield* isNow(processor, charging, "succeeded")
  })
]

/** Movements for a charge yesterday, today and tomorrow: midnight may pass meanwhile. */
const movedFor = Effect.fnUntraced(function* ({ processor }: ProcessorDriver, { charge, integration }: ChargeContext) {
  const now = yield* DateTime.now
  const days = [-1, 0, 1].map((offset) => dayIn(DateTime.add(now, { days: offset })))
  const moved = yield* Effect.forEach(days, (day) => allPages((page) => processor.movements(integration, day, page)))
  const lines = moved.flat().filter(({ charge_reference }) => charge_reference === charge.reference)
  assert.strictEqual(new Set(lines.map(({ reference }) => reference)).size, lines.length, "a line twice")
  const sum = (kind: Movement["kind"]) =>
    lines.filter((each) => each.kind === kind).reduce((total, { amount_cents }) => total + amount_cents, 0)
  const snapshot = yield* processor.fetchCharge({ charge, integration })
  const fees = lines.filter(({ kind }) => kind === "charge").reduce((total, { fee_cents }) => total + fee_cents, 0)
  assert.strictEqual(fees, snapshot.fee_cents ?? 0)
  return { charge: sum("charge"), refund: sum("refund"), dispute: sum("dispute"), other: sum("other") }
})

const statements: ReadonlyArray<Check<ProcessorUnderTest>> = [
  law(
    "charges, movements and notices are told whole, however many pages they take, of an account alone",
    function* (driver) {
      const { processor } = driver
      if (!processor.capabilities.statements) return
      const paid = yield* paidCharge(driver)
      const { charge, integration } = paid
      const begin = Effect.gen(function* () {
        const more = {
          integration,
          charge: yield* chargeOf(integration, { method: charge.method, amount_cents: amount })
        }
        const { reference } = yield* processor.begin(more)
        yield* processor.cancel(more)
        return { reference, id: more.charge.id }
      })
      const made = [charge, ...(yield* Effect.all(Array<typeof begin>(100).fill(begin), { concurrency: 8 }))]
      const now = yield* DateTime.now
      const from = DateTime.subtract(now, { hours: 1 })
      const listed = (of: Integration, since: DateTime.Utc) =>
        allPages((page) => processor.listCreated(of, since, page))
      const all = yield* listed(integration, from)
      const named = ({ charge_id, reference }: (typeof all)[number]) => `${reference} ${charge_id}`
      same(all.map(named).toSorted(), made.map(({ id, reference }) => `${reference} ${id}`).toSorted())
      const latest = all.toSorted((a, b) => b.created_at.epochMilliseconds - a.created_at.epochMilliseconds).slice(0, 1)
      for (const each of latest) {
        assert.isTrue((yield* listed(integration, each.created_at)).map(named).includes(named(each)))
      }
      same(yield* listed(integration, DateTime.add(now, { hours: 1 })), [])
      same(yield* listed(yield* driver.account, from), [])
      const { told: objects } = yield* noticesSince(processor, integration, null)
      const told = new Set(objects.map((object) => object.reference))
      assert.isTrue(
        made.every(({ reference }) => told.has(reference)),
        "a notice is missing"
      )
      assert.strictEqual((yield* movedFor(driver, paid)).charge, amount)
    }
  ),

  law("a charge's movements are on the statement: taken, paid back, come back, asked back, won", function* (driver) {
    const { dispute, failRefund, processor, winDispute } = driver
    if (!processor.capabilities.statements) return
    const charging = yield* paidCharge(driver)
    const moved = movedFor(driver, charging)
    same(yield* moved, { charge: amount, refund: 0, dispute: 0, other: 0 })
    yield* processor.refund(charging, yield* chargeRefundOf(charging, 2_000))
    same(yield* moved, { charge: amount, refund: -2_000, dispute: 0, other: 0 })
    if (failRefund !== undefined) {
      yield* failRefund(charging)
      same(yield* moved, { charge: amount, refund: 0, dispute: 0, other: 0 })
    }
    if (failRefund === undefined || dispute === undefined || winDispute === undefined) return
    yield* dispute(charging)
    same(yield* moved, { charge: amount, refund: 0, dispute: -amount, other: 0 })
    yield* winDispute(charging)
    same(yield* moved, { charge: amount, refund: 0, dispute: 0, other: 0 })
  })
]

/** The laws of `PaymentProcessor`, over a driver that moves one from outside. */
export const paymentProcessors = (given: Thoroughness = {}): ReadonlyArray<Check<ProcessorUnderTest>> => [
  ...beginnings,
  ...confirmations,
  ...endings,
  ...refunds,
  ...disputes,
  ...processorNotices,
  ...statements,
  ...processorMandates,
  ...processorTransfers,
  ...processorOnboarding,
  ...processorOutages(given)
]
