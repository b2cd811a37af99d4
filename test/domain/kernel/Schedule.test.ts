import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import fc from "fast-check"
import { CalendarDate, dayOf, isCalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import * as Schedule from "../../../src/domain/kernel/Schedule.ts"
import { instant } from "../../../src/testing/Generators.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const day = instant.map((at) => CalendarDate.make(DateTime.formatIsoDateUtc(at)))
const frequency = fc.constantFrom(...Schedule.Frequency.literals)
const step = fc.integer({ min: -1_000, max: 1_000 })
const zone = fc.constantFrom("Australia/Sydney", "America/New_York", "Africa/Cairo", "Asia/Kolkata", "UTC")

/** Days on which these zones' clocks change, and the days around them. */
const changing = fc
  .tuple(
    fc.constantFrom("2026-04-05", "2026-10-04", "2026-03-08", "2026-11-01", "2026-04-24"),
    fc.integer({ min: -1, max: 1 })
  )
  .map(([text, offset]) => Schedule.addDays(CalendarDate.make(text), offset))

const monthNumber = (each: CalendarDate): number => Schedule.yearOf(each) * 12 + Schedule.monthOf(each)
const dayOfMonth = (each: CalendarDate): number => Number(each.slice(8))

describe("calendar arithmetic", () => {
  it("adds days, back and forth, over every month", () => {
    forEvery(day, step, step, (start, a, b) => {
      assert.strictEqual(Schedule.addDays(Schedule.addDays(start, a), b), Schedule.addDays(start, a + b))
      assert.strictEqual(Schedule.addDays(start, a) > start, a > 0)
    })
    assert.strictEqual(Schedule.addDays(CalendarDate.make("2028-02-28"), 1), "2028-02-29")
    assert.strictEqual(Schedule.addDays(CalendarDate.make("2027-02-28"), 1), "2027-03-01")
  })

  it("keeps the day of the month, or takes the last one of a shorter month", () =>
    forEveryWith({ numRuns: 300 }, day, fc.integer({ min: -400, max: 400 }), (anchor, months) => {
      const moved = Schedule.addMonths(anchor, months)
      assert.isTrue(isCalendarDate(moved))
      assert.strictEqual(monthNumber(moved), monthNumber(anchor) + months)
      assert.isAtMost(dayOfMonth(moved), dayOfMonth(anchor))
      if (moved.slice(8) !== anchor.slice(8)) assert.strictEqual(dayOfMonth(Schedule.addDays(moved, 1)), 1)
    }))

  it("comes back to the 31st after a short month", () => {
    const anchor = CalendarDate.make("2027-01-31")
    assert.deepStrictEqual(
      [1, 2, 3, 13].map((months) => Schedule.addMonths(anchor, months)),
      ["2027-02-28", "2027-03-31", "2027-04-30", "2028-02-29"].map((text) => CalendarDate.make(text))
    )
  })
})

describe("due days", () => {
  it("begin with the anchor and ascend", () =>
    forEvery(day, frequency, fc.nat(60), (anchor, each, count) => {
      assert.strictEqual(Schedule.dueDay(anchor, each, 0), anchor)
      assert.isTrue(Schedule.dueDay(anchor, each, count + 1) > Schedule.dueDay(anchor, each, count))
    }))

  it("are whole weeks apart, or whole months", () => {
    const gaps = { WEEKLY: 7, FORTNIGHTLY: 14, MONTHLY: 1, QUARTERLY: 3, ANNUALLY: 12 }
    forEvery(day, frequency, fc.nat(60), (anchor, each, count) => {
      const [before, after] = [Schedule.dueDay(anchor, each, count), Schedule.dueDay(anchor, each, count + 1)]
      const isWeekly = each === "WEEKLY" || each === "FORTNIGHTLY"
      if (isWeekly) assert.strictEqual(Schedule.addDays(before, gaps[each]), after)
      else assert.strictEqual(monthNumber(after) - monthNumber(before), gaps[each])
    })
  })

  it("follow any day with the first that comes after it", () =>
    forEveryWith({ numRuns: 200 }, day, frequency, fc.integer({ min: -400, max: 4_000 }), (anchor, each, offset) => {
      const after = Schedule.addDays(anchor, offset)
      let count = 0
      while (Schedule.dueDay(anchor, each, count) <= after) count++
      assert.strictEqual(Schedule.nextDueDay(anchor, each, after), Schedule.dueDay(anchor, each, count))
    }))

  it("are due from their first instant to their last, where the clocks change, too", () =>
    forEveryWith({ numRuns: 200 }, fc.oneof(day, changing), zone, (each, timezone) => {
      const [first, last] = [Schedule.dueAt(each, timezone), Schedule.endOfDay(each, timezone)]
      assert.strictEqual(dayOf(first, timezone), each)
      assert.strictEqual(dayOf(last, timezone), each)
      assert.strictEqual(dayOf(DateTime.subtract(first, { milliseconds: 1 }), timezone), Schedule.addDays(each, -1))
      assert.strictEqual(dayOf(DateTime.add(last, { milliseconds: 1 }), timezone), Schedule.addDays(each, 1))
    }))
})
