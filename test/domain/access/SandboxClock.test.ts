import { assert, describe, it } from "@effect/vitest"
import { DateTime, Option, Result, Schema } from "effect"
import fc from "fast-check"
import * as SandboxClock from "../../../src/domain/access/SandboxClock.ts"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import { hasForm } from "../../support/InputForms.ts"
import { forEveryWith } from "../../support/Property.ts"

const now = DateTime.makeUnsafe("2026-07-01T00:00:00Z")
const latest = DateTime.makeUnsafe("9999-12-31T23:59:59Z")
const daySeconds = 86_400
const secondsOf = { s: 1, m: 60, h: 3_600, d: daySeconds, w: 7 * daySeconds } as const

const paramOf = (asked: Result.Result<unknown, { readonly param: string }>): string | null =>
  Result.isFailure(asked) ? asked.failure.param : null

describe("the clock of a sandbox", () => {
  it("goes as far as is asked, at most so many days at once, and so many ahead of the real time", () => {
    const asked = fc
      .record({
        unit: fc.constantFrom("s", "m", "h", "d", "w"),
        days: fc.oneof(
          fc.integer({ min: 1, max: 1_000 }),
          fc.constantFrom(Limits.sandboxAdvanceDays - 1, Limits.sandboxAdvanceDays, 1_000_000)
        ),
        more: fc.constantFrom(0, 1),
        // Null: as far ahead as lets the clock come to its end and no further.
        ahead: fc.option(fc.nat(Limits.sandboxAheadDays))
      })
      .map(({ ahead, days, more, unit }) => {
        const count = Math.min(999_999_999, Math.max(1, Math.floor((days * daySeconds) / secondsOf[unit]) + more))
        const aheadDays = ahead ?? Limits.sandboxAheadDays - Math.min(days, Limits.sandboxAdvanceDays)
        return { ahead_seconds: aheadDays * daySeconds, duration: `${count}${unit}`, seconds: count * secondsOf[unit] }
      })
    forEveryWith({ numRuns: 300 }, asked, fc.boolean(), ({ ahead_seconds, duration, seconds }, isInstant) => {
      const until = Option.getOrElse(DateTime.make(now.epochMilliseconds + seconds * 1_000), () => latest)
      const given = isInstant ? { to: until } : { duration }
      const target = SandboxClock.target(given, { now, ahead_seconds })
      const isTooFar =
        seconds > Limits.sandboxAdvanceDays * daySeconds ||
        seconds + ahead_seconds > Limits.sandboxAheadDays * daySeconds
      assert.strictEqual(paramOf(target), isTooFar ? (isInstant ? "to" : "duration") : null)
      if (Result.isFailure(target)) assert.match(target.failure.message, isInstant ? /^to must/ : /^duration must/)
      else assert.deepStrictEqual(target.success, until)
    })
  })

  it("is told how far or until when, and not both", () => {
    const clock = { now, ahead_seconds: 0 }
    assert.strictEqual(paramOf(SandboxClock.target({}, clock)), "duration")
    assert.strictEqual(paramOf(SandboxClock.target({ duration: null, to: null }, clock)), "duration")
    assert.strictEqual(paramOf(SandboxClock.target({ duration: "1d", to: now }, clock)), "to")
    assert.isTrue(Result.isSuccess(SandboxClock.target({ duration: null, to: now }, clock)))
    assert.isTrue(Result.isSuccess(SandboxClock.target({ duration: "1d", to: null }, clock)))
    for (const duration of [null, "1d"]) {
      for (const to of [null, now]) {
        const isTaken = Result.isSuccess(SandboxClock.target({ duration, to }, clock))
        assert.strictEqual(hasForm(SandboxClock.Advance, { duration, to }), isTaken)
      }
    }
  })

  it("takes a count of nine digits with its unit, and nothing else", () => {
    const takes = Schema.is(SandboxClock.Step)
    for (const text of ["1s", "999999999w", "30d"]) assert.isTrue(takes(text), text)
    for (const text of ["", "s", "1", "0d", "01d", "1000000000s", "1.5d", "-1d", "1y", "1d ", " 1d", "1dd"]) {
      assert.isFalse(takes(text), text)
    }
  })
})
