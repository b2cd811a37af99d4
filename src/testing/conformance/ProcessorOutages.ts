import { Effect } from "effect"
import fc from "fast-check"
import type { ChargeContext } from "../../ports/payments/PaymentProcessors.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import {
  amount,
  forEachMethod,
  isNow,
  newCharging,
  paidCharge,
  refusedWithCode,
  unreachedCase
} from "./ProcessorCases.ts"
import { chargeOf, chargeRefundOf, type ProcessorDriver, ProcessorUnderTest } from "./ProcessorDriver.ts"
import { type Check, lawsOn, runsOf, same, type Thoroughness } from "./Suite.ts"

const { law, must, property } = lawsOn(ProcessorUnderTest)

const keyed = "PaymentProcessor MUST be sent as the processor's idempotency key and kept in the object's metadata."
const typed = "PaymentProcessor MUST be thrown: a definite refusal is ProcessorRefused"
const takesOnce = "PaymentProcessor.confirm MUST NOT take money again."

/** All that can be asked, each of a charge that is ready for it. */
const questions = Effect.fnUntraced(function* (driver: ProcessorDriver, charging: ChargeContext) {
  const { processor } = driver
  const refund = yield* chargeRefundOf(charging, 1)
  return [
    processor.begin(charging),
    processor.confirm(charging, "4242"),
    processor.cancel(charging),
    processor.fetchCharge(charging),
    processor.nextStep(charging),
    processor.refund(charging, refund),
    processor.fetchAccount(charging.integration)
  ]
})

/** The laws of `PaymentProcessor` while it is not reached, and of what is asked that it cannot do. */
export const processorOutages = (given: Thoroughness): ReadonlyArray<Check<ProcessorUnderTest>> => [
  must("a processor that is not reached is told from one that refuses, and did nothing", [typed], function* (driver) {
    const charging = yield* paidCharge(driver)
    const fresh: ChargeContext = { ...charging, charge: yield* chargeOf(charging.integration) }
    yield* driver.lose(charging.integration, "requests")
    for (const each of [charging, fresh]) {
      yield* Effect.forEach(yield* questions(driver, each), (question) => unreachedCase(question))
    }
    yield* driver.lose(charging.integration, null)
    yield* isNow(driver.processor, fresh, "absent")
    assert.strictEqual(yield* driver.paidBack(charging), 0)
  }),

  forEachMethod(
    "what happened although its answer was lost is found, and does not happen again",
    [typed, keyed, takesOnce],
    "succeeds",
    function* (driver, charging, { succeeds = "" }) {
      const { processor } = driver
      const { integration } = charging
      const refund = yield* chargeRefundOf(charging, 4_000)
      for (const ask of [
        Effect.asVoid(processor.begin(charging)),
        processor.confirm(charging, succeeds),
        Effect.asVoid(processor.refund(charging, refund))
      ]) {
        yield* driver.lose(integration, "answers")
        yield* unreachedCase(ask)
        yield* unreachedCase(ask)
        yield* driver.lose(integration, null)
        yield* Effect.result(ask)
      }
      const { refunds } = yield* isNow(processor, charging, "succeeded")
      same(
        refunds.map(({ refund_id }) => refund_id),
        [refund.id]
      )
      same([yield* driver.taken(charging), yield* driver.paidBack(charging)], [amount, 4_000])
    }
  ),

  property(
    "whatever is handed over, and whatever is unknown, is answered and never thrown",
    [typed],
    runsOf(given),
    fc.tuple(Generators.text(40), fc.nat()),
    function* ([text, pick], driver) {
      const { methods } = driver.processor.capabilities
      const charging = yield* newCharging(driver, methods[pick % methods.length] ?? "card")
      yield* Effect.forEach(yield* questions(driver, yield* newCharging(driver, charging.charge.method)), (question) =>
        Effect.result(question)
      )
      yield* driver.processor.begin(charging)
      yield* Effect.result(driver.processor.confirm(charging, text))
      yield* driver.processor.fetchCharge(charging)
    }
  ),

  law("an account that takes no charges says so, and takes none", function* (driver) {
    const { processor } = driver
    const charging = yield* newCharging(driver, processor.capabilities.methods[0] ?? "card")
    assert.isTrue((yield* processor.fetchAccount(charging.integration)).charges_enabled)
    assert.matches((yield* processor.fetchAccount(charging.integration)).currency, /^[A-Z]{3}$/)
    if (driver.disable === undefined) return
    yield* driver.disable(charging.integration)
    assert.isFalse((yield* processor.fetchAccount(charging.integration)).charges_enabled)
    yield* refusedWithCode(processor.begin(charging))
    yield* isNow(processor, charging, "absent")
  })
]
