import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import fc from "fast-check"
import * as CalendarDate from "../../../src/domain/kernel/CalendarDate.ts"
import { endOfDay } from "../../../src/domain/kernel/Schedule.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const zones = `UTC Australia/Sydney Australia/Lord_Howe Pacific/Auckland Pacific/Chatham Pacific/Apia Pacific/Kiritimati
  Pacific/Kwajalein Asia/Kolkata Asia/Kathmandu Asia/Beirut Asia/Tehran Asia/Gaza Africa/Cairo Africa/Casablanca
  Europe/London Europe/Dublin Atlantic/Azores America/Sao_Paulo America/Havana America/Asuncion America/Santiago
  America/New_York America/St_Johns America/Toronto America/Scoresbysund`.split(/\s+/)

const zone = fc.constantFrom(...zones)

const dayMillis = 86_400_000

const dayAt = (millis: number): CalendarDate.CalendarDate =>
  CalendarDate.CalendarDate.make(new Date(millis).toISOString().slice(0, 10))

const dayIn = (first: number, last: number) =>
  fc
    .integer({ min: Date.UTC(first, 0, 1) / dayMillis, max: Date.UTC(last, 11, 31) / dayMillis })
    .map((days) => dayAt(days * dayMillis))

const formatters = new Map<string, Intl.DateTimeFormat>()

/** The local day by the platform's own formatter. */
const reference = (at: DateTime.Utc, timezone: string): string => {
  const known = formatters.get(timezone)
  const formatter =
    known ?? new Intl.DateTimeFormat("en-US", { timeZone: timezone, year: "numeric", month: "2-digit", day: "2-digit" })
  formatters.set(timezone, formatter)
  const parts = formatter.formatToParts(DateTime.toEpochMillis(at))
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? ""
  return `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}`
}

const shift = (at: DateTime.Utc, millis: number): DateTime.Utc => DateTime.makeUnsafe(at.epochMilliseconds + millis)

/** The start is in the day (or after it, where the zone skipped the whole day), and nothing before it is. */
const assertFirstInstant = (day: CalendarDate.CalendarDate, timezone: string, skipped = false): void => {
  const start = CalendarDate.startOfDay(day, timezone)
  const label = `${day} in ${timezone}: ${DateTime.formatIso(start)}`
  if (skipped) assert.isTrue(CalendarDate.dayOf(start, timezone) > day, label)
  else assert.strictEqual(CalendarDate.dayOf(start, timezone), day, label)
  for (const before of [1, 60_000, 1_800_000, 3_600_000, 7_200_000, dayMillis]) {
    assert.isTrue(CalendarDate.dayOf(shift(start, -before), timezone) < day, `${label}, ${before} ms before`)
  }
}

describe("a calendar date", () => {
  it("is exactly what the Gregorian calendar has from the year 1 to 9999", () => {
    const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
    const part = (digits: number) => (value: number) => String(value).padStart(digits, "0")
    forEveryWith(
      { numRuns: 2_000 },
      fc.oneof(fc.integer({ min: 0, max: 9999 }), fc.constantFrom(1600, 1900, 2000, 2100, 2024)),
      fc.integer({ min: 0, max: 13 }),
      fc.integer({ min: 0, max: 32 }),
      (year, month, day) => {
        const length = (lengths[month - 1] ?? 0) + (month === 2 && isLeap(year) ? 1 : 0)
        const text = `${part(4)(year)}-${part(2)(month)}-${part(2)(day)}`
        assert.strictEqual(CalendarDate.isCalendarDate(text), year >= 1 && day >= 1 && day <= length, text)
      }
    )
  })

  it("is written YYYY-MM-DD and no other way", () => {
    const others = [
      "2026-1-01",
      "26-01-01",
      "2026-01-01 ",
      "2026-01-01T00:00:00Z",
      "20260101",
      "2026/01/01",
      "２026-01-01"
    ]
    for (const text of [...others, "", "+002026-01-01", "-2026-01-01", "2026-01-01\n"]) {
      assert.isFalse(CalendarDate.isCalendarDate(text), text)
    }
  })
})

it("a timezone is one of the IANA database, never an offset", () => {
  const is = Schema.is(CalendarDate.Timezone)
  for (const name of zones) assert.isTrue(is(name), name)
  for (const name of ["", "+10:00", "-05", "Sydney", "Australia/Nowhere", "constructor"]) assert.isFalse(is(name), name)
})

it("a timezone that is not known reads as UTC", () =>
  forEvery(dayIn(1000, 9998), (day) => {
    const start = CalendarDate.startOfDay(day, "Nowhere/Nothing")
    assert.strictEqual(DateTime.formatIso(start), `${day}T00:00:00.000Z`)
    assert.strictEqual(CalendarDate.dayOf(start, "Nowhere/Nothing"), day)
    assert.strictEqual(CalendarDate.dayOf(shift(start, dayMillis - 1), "Nowhere/Nothing"), day)
  }))

describe("the day of an instant", () => {
  it("is what the platform's formatter says", () => {
    const instant = fc
      .integer({ min: Date.UTC(1900, 0, 1), max: Date.UTC(2100, 0, 1) })
      .map((millis) => DateTime.makeUnsafe(millis))
    forEveryWith({ numRuns: 500 }, instant, zone, (at, timezone) => {
      assert.strictEqual(CalendarDate.dayOf(at, timezone), reference(at, timezone))
    })
  })

  it("is what a later day is told by", () => {
    const instant = fc.integer({ min: Date.UTC(1840, 0, 1), max: Date.UTC(2100, 0, 1) })
    forEveryWith({ numRuns: 1_000 }, instant, fc.integer({ min: -3, max: 3 }), zone, (millis, days, timezone) => {
      const at = DateTime.makeUnsafe(millis)
      const day = dayAt(millis + days * dayMillis)
      assert.strictEqual(CalendarDate.isAfterDayOf(day, at, timezone), day > CalendarDate.dayOf(at, timezone))
    })
  })

  it("never goes back by more than the one day that clocks are set back over", () => {
    const pair = fc.tuple(fc.integer({ min: 0, max: 4e12 }), fc.integer({ min: dayMillis, max: 30 * dayMillis }))
    forEvery(pair, zone, ([millis, later], timezone) => {
      const [one, other] = [DateTime.makeUnsafe(millis), DateTime.makeUnsafe(millis + later)]
      assert.isTrue(CalendarDate.dayOf(one, timezone) <= CalendarDate.dayOf(other, timezone))
    })
  })
})

describe("the start of a day", () => {
  it("is the first instant of the day, in every zone and every year", () =>
    forEveryWith({ numRuns: 500 }, dayIn(1972, 2099), zone, (day, timezone) => {
      fc.pre(!(timezone === "Pacific/Apia" && day === "2011-12-30"))
      fc.pre(!(timezone === "Pacific/Kwajalein" && day === "1993-08-21"))
      assertFirstInstant(day, timezone)
    }))

  it("is the first instant of every day of a year of daylight saving", () => {
    for (const timezone of ["America/Sao_Paulo", "Asia/Beirut", "America/St_Johns", "America/Havana"]) {
      for (let day = Date.UTC(2010, 0, 1); day < Date.UTC(2011, 0, 1); day += dayMillis) {
        const start = CalendarDate.startOfDay(dayAt(day), timezone)
        assert.deepStrictEqual(
          [CalendarDate.dayOf(start, timezone), CalendarDate.dayOf(shift(start, -1), timezone)],
          [dayAt(day), dayAt(day - dayMillis)]
        )
      }
    }
  })

  const turns: ReadonlyArray<readonly [what: string, timezone: string, day: string, start: string]> = [
    ["Sydney in summer", "Australia/Sydney", "2026-01-15", "2026-01-14T13:00:00.000Z"],
    ["Sydney in winter", "Australia/Sydney", "2026-07-15", "2026-07-14T14:00:00.000Z"],
    ["Sydney on the day that summer time ends", "Australia/Sydney", "2026-04-05", "2026-04-04T13:00:00.000Z"],
    ["Sydney on the day after", "Australia/Sydney", "2026-04-06", "2026-04-05T14:00:00.000Z"],
    ["São Paulo without midnight", "America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00.000Z"],
    ["Cairo without midnight", "Africa/Cairo", "2024-04-26", "2024-04-25T22:00:00.000Z"],
    ["Beirut without midnight", "Asia/Beirut", "2024-03-31", "2024-03-30T22:00:00.000Z"],
    ["Toronto without 23:30 to 00:30", "America/Toronto", "1919-03-31", "1919-03-31T04:30:00.000Z"],
    ["Havana with midnight twice", "America/Havana", "2023-11-05", "2023-11-05T04:00:00.000Z"],
    ["St John's with midnight twice", "America/St_Johns", "2010-11-07", "2010-11-07T02:30:00.000Z"],
    ["São Paulo with 23:00 twice", "America/Sao_Paulo", "2018-02-18", "2018-02-18T03:00:00.000Z"]
  ]

  it.each(turns)("%s", (_, timezone, text, expected) => {
    const day = CalendarDate.CalendarDate.make(text)
    assert.strictEqual(DateTime.formatIso(CalendarDate.startOfDay(day, timezone)), expected)
    assertFirstInstant(day, timezone)
  })

  it("of a day that a zone skipped is the first instant after it", () => {
    const skipped = CalendarDate.CalendarDate.make("2011-12-30")
    assert.strictEqual(DateTime.formatIso(CalendarDate.startOfDay(skipped, "Pacific/Apia")), "2011-12-30T10:00:00.000Z")
    assertFirstInstant(skipped, "Pacific/Apia", true)
    assertFirstInstant(CalendarDate.CalendarDate.make("1993-08-21"), "Pacific/Kwajalein", true)
  })

  it("orders days as the calendar does", () =>
    forEvery(dayIn(1972, 2099), dayIn(1972, 2099), zone, (one, other, timezone) => {
      fc.pre(one < other)
      assert.isTrue(
        DateTime.isLessThanOrEqualTo(CalendarDate.startOfDay(one, timezone), CalendarDate.startOfDay(other, timezone))
      )
    }))
})

it("the first and the last days of the calendar have their instants within it, in every timezone", () => {
  const edge = fc
    .constantFrom("0001-01-01", "0001-01-02", "9999-12-30", "9999-12-31")
    .map((text) => dayAt(Date.parse(text)))
  forEvery(edge, zone, (day, timezone) => {
    const [first, last] = [CalendarDate.startOfDay(day, timezone), endOfDay(day, timezone)]
    for (const at of [first, last]) {
      assert.match(DateTime.formatIso(at), /^(?!0000)\d{4}-/)
      assert.strictEqual(CalendarDate.dayOf(at, timezone), day)
    }
    assert.isFalse(CalendarDate.isAfterDayOf(day, last, timezone))
    assert.strictEqual(CalendarDate.isAfterDayOf(CalendarDate.lastDay, last, timezone), day !== CalendarDate.lastDay)
  })
})
