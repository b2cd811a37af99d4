import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import * as Notice from "../../../src/domain/payments/Notice.ts"
import * as Generators from "../../../src/testing/Generators.ts"
import { forEveryWith } from "../../support/Property.ts"

const [notice = assert.fail("none")] = fc.sample(Generators.notice, { numRuns: 1, seed: 1 })
const integrations = fc.sample(Generators.integration, { numRuns: 2, seed: 1 })
const [own = assert.fail("none"), other = assert.fail("none")] = integrations

const hour = 3_600_000

describe("a notice", () => {
  it("is about a charge of the account that it names, at the address at which that account is told of", () => {
    const told = fc.record({
      processor: fc.constantFrom("test", "stripe"),
      integration_id: fc.constantFrom(null, own.id, other.id),
      account: fc.constantFrom(null, "acct_1", "acct_2")
    })
    const ours = fc.record({
      takes: fc.constantFrom(own.id, other.id),
      is_own: fc.boolean(),
      processor: fc.constantFrom("test" as const, "stripe" as const)
    })
    forEveryWith({ numRuns: 400 }, told, ours, (told, { is_own, processor, takes }) => {
      const integration = { id: own.id, is_own, processor, processor_connect_account_id: "acct_1" }
      const reasons = [
        takes === own.id ? null : "another integration takes the charge",
        told.processor === processor ? null : "another processor told of it",
        told.account === "acct_2" ? "it is about another account" : null,
        told.integration_id === null && is_own ? "the platform has no part in it" : null,
        told.integration_id === other.id ? "it came for another integration" : null
      ].filter((reason) => reason !== null)
      assert.strictEqual(Notice.concerns(told, { integration_id: takes }, integration), reasons.length === 0)
    })
  })

  it("looks for its charge again after a tenth of its wait, a second at least, and at last when a day is over", () => {
    const waits = fc.oneof(fc.integer({ min: -hour, max: 24 * hour - 1 }), fc.constantFrom(0, 10_000, 10_001, 11_000))
    forEveryWith({ numRuns: 200 }, waits, (waited) => {
      const now = DateTime.add(notice.created_at, { milliseconds: waited })
      const next = Math.min(24 * hour, waited + Math.max(1_000, Math.ceil(waited / 10)))
      assert.deepStrictEqual(Notice.withoutCharge(notice, now, true), {
        _tag: "Wait",
        at: now,
        apply_at: DateTime.add(notice.created_at, { milliseconds: next })
      })
    })
    const late = DateTime.add(notice.created_at, { hours: 24 })
    assert.deepStrictEqual(Notice.withoutCharge(notice, late, false), { _tag: "Ignore", at: late })
    assert.deepStrictEqual(Notice.withoutCharge(notice, late, true), {
      _tag: "Fail",
      at: late,
      error: "no_such_charge"
    })
  })

  it("that could not be applied is tried the later the more often that was, and not forever", () => {
    const tried: Array<number> = []
    for (let attempts = 0; attempts < 50; attempts += 1) {
      const command = Notice.afterRefusal({ attempts }, notice.created_at, "timeout")
      if (command._tag !== "Delay") break
      tried.push(command.apply_at.epochMilliseconds - notice.created_at.epochMilliseconds)
    }
    assert.deepStrictEqual(
      tried,
      tried.toSorted((a, b) => a - b)
    )
    assert.isAbove(tried[0] ?? 0, 0)
    assert.isBelow(tried.length, 50)
    const last = Notice.afterRefusal({ attempts: tried.length }, notice.created_at, "timeout")
    assert.deepStrictEqual(last, { _tag: "Fail", at: notice.created_at, error: "timeout" })
  })
})
