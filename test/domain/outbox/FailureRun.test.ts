import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import { type Attempt, type Delivery, interruptionError } from "../../../src/domain/outbox/Delivery.ts"
import {
  type AttemptedDelivery,
  afterAttempt,
  type FailureRun,
  inOrder
} from "../../../src/domain/outbox/FailureRun.ts"
import * as Generators from "../../../src/testing/Generators.ts"
import { forEvery } from "../../support/Property.ts"

const instant = (millis: number): DateTime.Utc => DateTime.makeUnsafe(millis)

const none: FailureRun = { failing_since: null, exhausted_at: null }

const runs: fc.Arbitrary<FailureRun> = fc.constantFrom(
  none,
  { failing_since: instant(1), exhausted_at: null },
  { failing_since: instant(1), exhausted_at: instant(2) }
)

const always = (property: (run: FailureRun, delivery: Delivery, attempt: Attempt) => void): void =>
  forEvery(runs, Generators.delivery, Generators.attempt, (run, delivery, given) => {
    property(run, delivery, { ...given, error: null, attempted_at: instant(10) })
  })

describe("an endpoint's run of failures", () => {
  it("ends with a 2xx", () => {
    always((run, delivery, attempt) => {
      assert.deepStrictEqual(afterAttempt(run, { attempt, delivery: { ...delivery, status: "DELIVERED" } }), none)
    })
  })

  it("begins with the first failure, and goes on with the others", () => {
    always((run, delivery, attempt) => {
      const after = afterAttempt(run, { attempt, delivery: { ...delivery, status: "PENDING" } })
      const expected = { failing_since: run.failing_since ?? instant(10), exhausted_at: run.exhausted_at }
      assert.deepStrictEqual(after, expected)
    })
  })

  it("remembers when a delivery last used up its attempts, which one that was given up before has not", () => {
    always((run, delivery, attempt) => {
      for (const attempt_count of [Limits.deliveryAttempts - 1, Limits.deliveryAttempts]) {
        const failed: Delivery = { ...delivery, status: "FAILED", attempt_count, completed_at: instant(11) }
        const isExhausted = attempt_count === 6
        const after = afterAttempt(run, { attempt, delivery: failed })
        assert.deepStrictEqual(after, {
          failing_since: run.failing_since ?? instant(10),
          exhausted_at: isExhausted ? instant(11) : run.exhausted_at
        })
      }
    })
  })

  it("is left alone by what says nothing of the endpoint: no attempt, and one whose worker went away", () => {
    always((run, delivery, attempt) => {
      assert.deepStrictEqual(afterAttempt(run, { attempt: null, delivery }), run)
      assert.deepStrictEqual(afterAttempt(run, { attempt: { ...attempt, error: interruptionError }, delivery }), run)
    })
  })

  it("counts attempts in the order in which they were made", () => {
    const attempts = fc.array(fc.tuple(Generators.attempt, Generators.delivery, fc.nat(9), fc.boolean()))
    forEvery(attempts, (given) => {
      const all = given.map(
        ([attempt, delivery, millis, isMade]): AttemptedDelivery => ({
          delivery,
          attempt: isMade ? { ...attempt, attempted_at: instant(millis) } : null
        })
      )
      const sorted = inOrder(all)
      const times = sorted.flatMap(({ attempt }) => attempt?.attempted_at.epochMilliseconds ?? [])
      assert.deepStrictEqual(
        times,
        times.toSorted((a, b) => a - b)
      )
      assert.sameMembers([...sorted], all)
      const ordered = [...all.filter(({ attempt }) => attempt === null), ...sorted.filter(({ attempt }) => attempt)]
      assert.deepStrictEqual([...inOrder(ordered)], ordered)
    })
  })
})
