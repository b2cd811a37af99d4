import { assert, describe, it } from "@effect/vitest"
import { DateTime, Duration } from "effect"
import fc from "fast-check"
import { TransferAttemptId } from "../../../src/domain/kernel/Ids.ts"
import * as Attempt from "../../../src/domain/sharing/TransferAttempt.ts"
import { arbitraryOf } from "../../../src/testing/Arbitraries.ts"
import { transferAttempts } from "../../../src/testing/subjects/Payments.ts"
import { forEvery } from "../../support/Property.ts"

const minutes = (all: number | null): Duration.Duration | null => (all === null ? null : Duration.minutes(all))
const now = DateTime.makeUnsafe("2026-07-01T00:00:00Z")
const [attempt = assert.fail("none")] = fc.sample(transferAttempts.states, { numRuns: 1, seed: 1 })
const [reversed_id = assert.fail("none")] = fc.sample(arbitraryOf(TransferAttemptId), { numRuns: 1, seed: 1 })

it("an attempt as staff see it is without whose it is and how often it was looked at", () => {
  assert.doesNotHaveAnyKeys(Attempt.TransferAttemptRecord.fields, ["organisation_id", "looks"])
  assert.containsAllKeys(Attempt.TransferAttemptRecord.fields, ["id", "status", "failure_code"])
})

describe("an attempt to move a recipient's money", () => {
  it("is made anew after each of six refusals, the later the more there were, and never where the account is gone or it was ended here", () => {
    const lasting = ["account_disabled", "insufficient_funds", "unknown", ""]
    const final = [
      "account_closed",
      "account_rejected",
      "account_unknown",
      "charged_back",
      "dispute_won",
      "failed_by_hand"
    ]
    const schedule = [1, 10, 60, 6 * 60, 24 * 60, 72 * 60, null]
    forEvery(
      fc.integer({ min: 1, max: 9 }),
      fc.constantFrom(...lasting),
      fc.constantFrom(...final),
      (number, may, never) => {
        assert.deepStrictEqual(Attempt.nextAfter({ number }, may), minutes(schedule[number - 1] ?? null))
        assert.isNull(Attempt.nextAfter({ number }, never))
      }
    )
  })

  it("is needless where the money went back to the donor's bank, or stays where it is taken back for that alone", () => {
    const cause = fc.constantFrom(null, "refund" as const, "chargeback" as const)
    forEvery(fc.boolean(), cause, fc.boolean(), (isReversal, cause, isChargedBack) => {
      const given = { cause, reversed_id: isReversal ? reversed_id : null }
      assert.strictEqual(Attempt.isReversal(given), isReversal)
      const isForChargeback = isReversal && cause === "chargeback"
      const expected = isReversal
        ? isForChargeback && !isChargedBack
          ? "dispute_won"
          : null
        : isChargedBack
          ? "charged_back"
          : null
      assert.strictEqual(Attempt.needlessBy(given, isChargedBack), expected)
    })
  })

  it("of which nobody knows anything waits a minute, then twice as long each time, an hour at most, and does not fail", () => {
    let wait = 1
    for (let looks = 0; looks < 1_100; looks += 1) {
      const later = Attempt.postpone({ ...attempt, looks }, now)
      assert.deepStrictEqual(later, { ...attempt, looks: looks + 1, look_at: DateTime.add(now, { minutes: wait }) })
      wait = Math.min(60, wait * 2)
    }
  })

  it("that people make is looked at a day later, however often it was", () => {
    for (const looks of [0, 1, 30]) {
      assert.deepStrictEqual(Attempt.leftToPeople({ ...attempt, looks }, now), {
        ...attempt,
        looks: looks + 1,
        look_at: DateTime.add(now, { days: 1 })
      })
    }
  })

  it("is new when it is planned, whatever was before", () => {
    const planned = Attempt.newAttempt(attempt, now)
    assert.deepInclude(planned, { id: attempt.id, look_at: attempt.look_at, number: attempt.number })
    assert.deepInclude(planned, { status: "NEW", sent_at: null, reference: null, failure_code: null, looks: 0 })
    assert.deepInclude(planned, { ended_at: null, created_at: now, updated_at: now })
  })
})
