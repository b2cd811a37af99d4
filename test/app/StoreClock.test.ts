import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import { makeStoreClock } from "../../src/app/steps/StoreClock.ts"

const epoch = 1_700_000_000_000

describe("what a worker knows of the store's clock", () => {
  it("is never early, and late by no more than the last question took", () => {
    fc.assert(
      fc.property(
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
      )
    )
  })

  it("says when it was set back by more than a question can hide", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1_000, max: 86_400_000 }), fc.nat(300), fc.nat(300), (back, first, second) => {
        const clock = makeStoreClock()
        clock.learn({ asked: 0, answered: first, at: DateTime.makeUnsafe(epoch + first) })
        assert.isTrue(
          clock.learn({ asked: 1_000, answered: 1_000 + second, at: DateTime.makeUnsafe(epoch + 1_000 - back) })
        )
      })
    )
  })
})
