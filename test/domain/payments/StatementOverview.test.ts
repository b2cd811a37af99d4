import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import { addDays } from "../../../src/domain/kernel/Schedule.ts"
import { faultText } from "../../../src/domain/payments/Statement.ts"
import { coverOf, makeOverview } from "../../../src/domain/payments/StatementOverview.ts"
import { forEveryWith } from "../../support/Property.ts"

const first = CalendarDate.make("2026-01-01")
const today = CalendarDate.make("2026-12-31")
const year = Array.from({ length: 365 }, (_, index) => addDays(first, index))
const dayAt = (index: number) => year[index] ?? today

const overviewOf = (days: ReadonlyArray<CalendarDate>) => {
  const overview = makeOverview(false)
  const line = { line: 1, amount_cents: 1, text: "", bank_id: null, balance_cents: null }
  for (const day of days) overview.take(Result.succeed({ ...line, day }))
  return overview.end(today)
}

describe("the parts of a file", () => {
  const day = fc.nat(60).map(dayAt)
  const runs = fc.array(fc.tuple(day, fc.integer({ min: 1, max: 3_000 })), { maxLength: 10 })

  it("are all of its lines, each day's in one, and each day between the first and the last is of one", () => {
    forEveryWith({ numRuns: 12 }, runs, (given) => {
      const days = given.flatMap(([each, count]) => Array.from({ length: count }, () => each))
      const read = overviewOf(days)
      if (Result.isFailure(read)) return assert.isAbove(days.length, Limits.creditDaysLines)
      const { parts, range } = read.success
      const sorted = Array.from(new Set(days)).toSorted()
      assert.deepStrictEqual(read.success.days, sorted)
      assert.deepStrictEqual(range, { first: sorted[0] ?? today, last: sorted.at(-1) ?? today })
      let at = 0
      for (const { count, days: own } of parts) {
        assert.sameMembers(Array.from(own), Array.from(new Set(days.slice(at, at + count))))
        at += count
      }
      assert.strictEqual(at, days.length)
      assert.lengthOf(
        parts.flatMap((part) => Array.from(part.days)),
        sorted.length
      )
      for (const part of parts) {
        const cover = coverOf(part, read.success)
        const own = Array.from(part.days).toSorted()
        assert.strictEqual(cover.first, own[0])
        const later = sorted.filter((day) => day > (own.at(-1) ?? today))
        assert.strictEqual(
          cover.last,
          year.findLast((day) => day <= range.last && day < (later[0] ?? "x"))
        )
        // A day of which the file has nothing is of the part that has the day before it.
        for (const each of year.filter((day) => day >= range.first && day <= range.last)) {
          const told = sorted.findLast((day) => day <= each) ?? today
          assert.strictEqual(cover.has(each), part.days.has(told), each)
        }
      }
    })
  })

  it("have as many lines as go in together, and more only where days stand amid each other", () => {
    const days = (...counts: ReadonlyArray<number>) =>
      counts.flatMap((count, index) => Array.from({ length: count }, () => dayAt(index)))
    const countsOf = (given: ReadonlyArray<CalendarDate>) =>
      Result.getOrThrow(overviewOf(given)).parts.map(({ count }) => count)
    const most = Limits.creditLines
    assert.deepStrictEqual(countsOf(days(1, most - 1)), [most])
    assert.deepStrictEqual(countsOf(days(1, most)), [1, most])
    assert.deepStrictEqual(countsOf(days(most, 1, most - 1, 1)), [most, most, 1])
    assert.deepStrictEqual(countsOf([...days(1, most), first, dayAt(9)]), [most + 2, 1])
    const whole = Array.from({ length: Limits.creditDaysLines }, () => first)
    assert.deepStrictEqual(countsOf(whole), [Limits.creditDaysLines])
  })

  it("are few where days are small, and are refused where too many lines stand amid each other", () => {
    const many = Array.from({ length: 30_000 }, (_, index) => dayAt(Math.floor(index / 100)))
    assert.lengthOf(Result.getOrThrow(overviewOf(many)).parts, 6)
    assert.lengthOf(Result.getOrThrow(overviewOf(many.toReversed())).parts, 6)
    const amid = Array.from({ length: Limits.creditDaysLines + 1 }, (_, index) => dayAt(index % 2))
    const refusalOf = (days: ReadonlyArray<CalendarDate>) => {
      const read = overviewOf(days)
      return Result.isFailure(read) ? faultText(read.failure) : ""
    }
    assert.match(
      refusalOf(amid),
      /^content must have its lines in the order of their days[^.]*\. Nothing was imported\.$/u
    )
    assert.match(refusalOf(amid.map(() => first)), /at most 50000 lines of a day: \S+ has 50001\. .* is_further/u)
  })
})

describe("lines that are no payments", () => {
  const take = (isPassingOver: boolean, count: number, isOdd: boolean) => {
    const overview = makeOverview(isPassingOver)
    for (let line = 1; line <= count; line += 1) overview.take(Result.fail({ line, says: "is odd", isOdd }))
    return overview.end(today)
  }

  it("are counted where they are passed over, and the first of them are named", () =>
    forEveryWith({ numRuns: 25 }, fc.integer({ min: 0, max: 2 * Limits.creditPassed }), (count) => {
      const { passed, passedCount } = Result.getOrThrow(take(true, count, true))
      assert.strictEqual(passedCount, count)
      const first = Array.from({ length: Math.min(count, Limits.creditPassed) }, (_, index) => index + 1)
      assert.deepStrictEqual(
        passed.map(({ line }) => line),
        first
      )
    }))

  it.each([
    [false, true],
    [false, false],
    [true, false]
  ])("refuse the file else, with how many there are and the first of them: %s, %s", (isPassingOver, isOdd) =>
    forEveryWith({ numRuns: 25 }, fc.integer({ min: 1, max: 2 * Limits.creditFaults }), (count) => {
      const refused = take(isPassingOver, count, isOdd)
      if (!Result.isFailure(refused)) return assert.fail("it went in")
      const text = faultText(refused.failure)
      assert.strictEqual(refused.failure.count, count)
      assert.deepStrictEqual(
        Array.from(text.matchAll(/Line (\d+) is odd/gu), ([, line]) => Number(line)),
        Array.from({ length: Math.min(count, Limits.creditFaults) }, (_, index) => index + 1)
      )
      const others = count - Limits.creditFaults
      assert.strictEqual(/So are (\d+) more/u.exec(text)?.[1], others > 0 ? `${others}` : undefined)
    })
  )
})
