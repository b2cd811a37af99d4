import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import { addDays } from "../../../src/domain/kernel/Schedule.ts"
import { coverOf, makeOverview } from "../../../src/domain/payments/StatementOverview.ts"
import { forEveryWith } from "../../support/Property.ts"

const first = CalendarDate.make("2026-01-01")
const today = CalendarDate.make("2026-12-31")

const overviewOf = (days: ReadonlyArray<CalendarDate>) => {
  const overview = makeOverview(false)
  const line = { line: 1, amount_cents: 1, text: "", bank_id: null, balance_cents: null }
  for (const day of days) overview.take(Result.succeed({ ...line, day }))
  return overview.end(today)
}

describe("the parts of a file", () => {
  const day = fc.nat(60).map((offset) => addDays(first, offset))
  const runs = fc.array(fc.tuple(day, fc.integer({ min: 1, max: 3_000 })), { maxLength: 10 })

  it("are all of its lines, each day's in one, and each day between the first and the last is of one", () => {
    forEveryWith({ numRuns: 25 }, runs, (given) => {
      const days = given.flatMap(([each, count]) => Array.from({ length: count }, () => each))
      const read = overviewOf(days)
      if (Result.isFailure(read)) return assert.isAbove(days.length, Limits.creditDaysLines)
      const { parts, range } = read.success
      let at = 0
      for (const { count, days: own } of parts) {
        assert.sameMembers(Array.from(own), Array.from(new Set(days.slice(at, at + count))))
        at += count
      }
      assert.strictEqual(at, days.length)
      assert.lengthOf(
        parts.flatMap((part) => Array.from(part.days)),
        new Set(days).size
      )
      const covers = parts.map((part) => coverOf(part, read.success))
      for (let each = range.first; days.length > 0 && each <= range.last; each = addDays(each, 1)) {
        const owners = covers.filter((cover) => cover.has(each))
        assert.lengthOf(owners, 1, each)
        assert.isTrue(owners.every((cover) => cover.first <= each && each <= cover.last))
      }
    })
  })

  it("are few where days are small, and are refused where too many lines stand amid each other", () => {
    const many = Array.from({ length: 30_000 }, (_, index) => addDays(first, Math.floor(index / 100)))
    assert.lengthOf(Result.getOrThrow(overviewOf(many)).parts, 6)
    assert.lengthOf(Result.getOrThrow(overviewOf(many.toReversed())).parts, 6)
    const amid = Array.from({ length: Limits.creditDaysLines + 1 }, (_, index) => addDays(first, index % 2))
    const refusalOf = (days: ReadonlyArray<CalendarDate>) => {
      const read = overviewOf(days)
      return Result.isFailure(read) ? (read.failure.faults[0]?.says ?? "") : ""
    }
    assert.match(refusalOf(amid), /in the order of their days/u)
    assert.match(refusalOf(amid.map(() => first)), /at most 50000 lines of a day: \S+ has 50001\. .* is_further/u)
  })
})
