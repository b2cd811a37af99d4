import { Deferred, Effect, Fiber, Option } from "effect"
import { DeliverySignal } from "../../ports/outbox/DeliverySignal.ts"
import { assert } from "./Assert.ts"
import { isHinted } from "./DueRecords.ts"
import { type Check, failBlocked, lawsOn } from "./Suite.ts"

const { law, must } = lawsOn(DeliverySignal)

/** Ends a signal that was raised before, so that a test begins without one. */
export const clearSignal = Effect.gen(function* () {
  const signal = yield* DeliverySignal
  yield* signal.raise
  yield* failBlocked(signal.wait)
})

/** Whether the signal is raised, without waiting for one that comes later. */
export const isRaised = isHinted(DeliverySignal)

/** The laws of {@link DeliverySignal}. */
export const signals = (): ReadonlyArray<Check<DeliverySignal>> => [
  must(
    "a signal before the wait is not lost, and ends one wait however often it was raised",
    ["DeliverySignal.wait MUST NOT be lost"],
    function* (signal) {
      yield* clearSignal
      yield* signal.raise
      yield* signal.raise
      yield* signal.wait
      assert.isFalse(yield* isRaised)
    }
  ),

  law("a wait goes on until the signal is raised", function* (signal) {
    yield* clearSignal
    const ended = yield* Deferred.make<void>()
    const waiting = yield* Effect.andThen(signal.wait, Deferred.succeed(ended, undefined)).pipe(Effect.forkChild)
    yield* Effect.yieldNow
    assert.isTrue(Option.isNone(Option.fromUndefinedOr(waiting.pollUnsafe())))
    yield* signal.raise
    yield* Fiber.join(waiting)
    assert.isTrue(yield* Deferred.isDone(ended))
  })
]
