import { assert, describe, it } from "@effect/vitest"
import { Clock, DateTime, Effect } from "effect"
import fc from "fast-check"
import { followStoreClock, makeStoreClock } from "../../src/app/kernel/time/StoreClock.ts"
import { forEvery } from "../support/Property.ts"

const epoch = 1_700_000_000_000

describe("a worker's reckoning of the store's clock", () => {
  it("is never early, and late by no more than the last question took", () =>
    forEvery(
      fc.array(fc.record({ pause: fc.nat(60_000), there: fc.nat(5_000), back: fc.nat(5_000) }), { minLength: 1 }),
      fc.nat(100_000),
      (questions, later) => {
        const clock = makeStoreClock()
        let now = 0
        let took = 0
        for (const { back, pause, there } of questions) {
          const asked = now + pause
          const answered = asked + there + back
          const wasSetBack = clock.learn({ asked, answered, at: DateTime.makeUnsafe(epoch + asked + there) })
          assert.isFalse(wasSetBack, "it only went on")
          now = answered
          took = there + back
        }
        const known = DateTime.toEpochMillis(clock.at(now + later))
        assert.isAtLeast(known, epoch + now + later)
        assert.isAtMost(known, epoch + now + later + took)
      }
    ))

  it("says when it was set back by more than a question can hide", () =>
    forEvery(fc.integer({ min: 1_000, max: 86_400_000 }), fc.nat(300), fc.nat(300), (back, first, second) => {
      const clock = makeStoreClock()
      clock.learn({ asked: 0, answered: first, at: DateTime.makeUnsafe(epoch + first) })
      assert.isTrue(
        clock.learn({ asked: 1_000, answered: 1_000 + second, at: DateTime.makeUnsafe(epoch + 1_000 - back) })
      )
    }))
})

describe("a store's clock that is asked", () => {
  it("is seen to be set back whatever the answers take, and carried on between them, never behind", () => {
    const step = fc.record({
      passes: fc.integer({ min: 0, max: 600_000 }),
      /** Set by so much; 0 leaves it alone. */
      set: fc.oneof(fc.constant(0), fc.integer({ min: -7_200_000, max: 7_200_000 })),
      asks: fc.integer({ min: 0, max: 20_000 }),
      answers: fc.integer({ min: 0, max: 20_000 })
    })
    forEvery(fc.array(step, { maxLength: 20 }), (steps) => {
      let monotonic = 5_000_000
      let wall = Date.UTC(2026, 0, 15)
      let now = steps[0]
      const passes = (millis: number) => {
        monotonic += millis
        wall += millis
      }
      const clock: Clock.Clock = {
        ...Effect.runSync(Effect.clockWith(Effect.succeed)),
        monotonicTimeNanosUnsafe: () => BigInt(monotonic) * 1_000_000n,
        monotonicTimeNanos: Effect.sync(() => BigInt(monotonic) * 1_000_000n)
      }
      const run = <A>(effect: Effect.Effect<A>): A => Effect.runSync(Effect.provideService(effect, Clock.Clock, clock))
      const store = followStoreClock(
        Effect.sync(() => {
          passes(now?.asks ?? 0)
          const read = DateTime.makeUnsafe(wall)
          passes(now?.answers ?? 0)
          return read
        })
      )
      assert.isTrue(run(store.read), "nothing is known of it before")
      let slow = (now?.asks ?? 0) + (now?.answers ?? 0)
      for (now of steps) {
        passes(now.passes)
        wall += now.set
        const seen = run(store.read)
        slow += now.asks + now.answers
        if (now.set >= 0) assert.isFalse(seen)
        // A step back can hide behind slow answers only.
        if (now.set < -1_000 - slow) assert.isTrue(seen)
        slow = now.asks + now.answers
        passes(1_000)
        const ahead = DateTime.toEpochMillis(run(store.now)) - wall
        assert.isTrue(ahead >= 0 && ahead <= now.asks + now.answers, `${ahead}`)
      }
    })
  })
})
