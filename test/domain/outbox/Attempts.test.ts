import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { dueAfter, isLast, isLastInterruption, longestWaitSeconds } from "../../../src/domain/outbox/Attempts.ts"

/** The waits before each attempt, seconds. service-spec, Delivery shape: Retries. */
const waits = [0, 60, 5 * 60, 30 * 60, 3 * 3600, 24 * 3600]

const counts = Array.from({ length: 8 }, (_, count) => count)

describe("what is tried until it succeeds", () => {
  it("is at its last attempt, or its last interruption, once five are behind it", () => {
    for (const attempt_count of counts) {
      for (const interruption_count of counts) {
        assert.strictEqual(isLast({ attempt_count, interruption_count }), attempt_count >= 5)
        assert.strictEqual(isLastInterruption({ attempt_count, interruption_count }), interruption_count >= 5)
      }
    }
  })

  it("waits as long as its schedule says, and not at all beyond it", () => {
    const at = DateTime.makeUnsafe(0)
    for (const count of counts) {
      assert.strictEqual(dueAfter(count, at).epochMilliseconds, 1000 * (waits[count] ?? 0))
    }
  })

  it("waits never longer than the longer of its two schedules, of which interruptions have theirs one later", () => {
    for (const attempt_count of counts) {
      for (const interruption_count of counts) {
        const schedules = [waits[attempt_count] ?? 0, [0, ...waits][interruption_count] ?? 0]
        assert.strictEqual(longestWaitSeconds({ attempt_count, interruption_count }), Math.max(...schedules))
      }
    }
  })
})
