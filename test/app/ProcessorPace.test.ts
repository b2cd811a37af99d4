import { assert } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { makeProcessorPacer } from "../../src/app/payments/Reconciler.ts"
import { makeManualClock } from "../support/ManualClock.ts"
import { effect } from "../support/Steps.ts"

const start = 1_700_000_000_000
const hour = 3_600_000

/** A clock that is driven, whose sleeps are counted and pass at once. */
const sleeping = () => {
  const clock = makeManualClock(start)
  const slept: Array<number> = []
  const sleep: Clock.Clock["sleep"] = (duration) =>
    Effect.sync(() => {
      const millis = Number(duration.value._tag === "Millis" ? duration.value.millis : Number.NaN)
      slept.push(millis)
      clock.advance(millis)
    })
  return { clock: Object.assign(clock, { sleep }), slept }
}

const paced = (clock: Clock.Clock, effect: Effect.Effect<void>) => Effect.provideService(effect, Clock.Clock, clock)

effect("requests go out at once for a second's worth, and then at the rate", function* () {
  const { clock, slept } = sleeping()
  const pace = makeProcessorPacer(20)
  for (let count = 0; count < 120; count += 1) yield* paced(clock, pace)
  assert.strictEqual(clock.now - start, 5_000)
  assert.isAtMost(Math.max(...slept), 50)
})

effect("a clock that is moved neither holds requests up nor lets them all through", function* () {
  const { clock, slept } = sleeping()
  const pace = makeProcessorPacer(20)
  for (const moved of [-hour, hour]) {
    for (let count = 0; count < 40; count += 1) yield* paced(clock, pace)
    clock.now += moved
    const before = slept.length
    for (let count = 0; count < 40; count += 1) yield* paced(clock, pace)
    assert.isAtMost(Math.max(...slept), 50)
    assert.isAtLeast(slept.length - before, 39)
  }
})
