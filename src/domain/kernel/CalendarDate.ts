import { DateTime, Duration, Function, Option, Schema } from "effect"
import { clampInstant, instantAt } from "./InstantRange.ts"
import { noLongerThan } from "./Length.ts"
import { Limits } from "./Limits.ts"

const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)

const daysIn = (year: number, month: number): number =>
  month === 2 && isLeapYear(year) ? 29 : (monthLengths[month - 1] ?? 0)

/**
 * Whether `text` is a day of the Gregorian calendar in the years 1 to 9999, written YYYY-MM-DD.
 * @example CalendarDate.isCalendarDate("2023-02-29") // => false
 */
export const isCalendarDate = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const [year, month, day] = [Number(text.slice(0, 4)), Number(text.slice(5, 7)), Number(text.slice(8))]
  return year >= 1 && day >= 1 && day <= daysIn(year, month)
}

const dateExpected = "a calendar date, YYYY-MM-DD"

/** A calendar day, YYYY-MM-DD, of no timezone. */
export const CalendarDate = Schema.String.annotate({ format: "date" })
  .check(
    noLongerThan("YYYY-MM-DD".length, dateExpected),
    Schema.makeFilter(isCalendarDate, {
      expected: dateExpected,
      arbitraryConstraint: { patterns: [{ source: "^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])$", flags: "" }] }
    })
  )
  .pipe(Schema.brand("CalendarDate"))
export type CalendarDate = typeof CalendarDate.Type

const timezoneExpected = "a timezone of the IANA database"

/** The name of a timezone in the IANA database. */
export const Timezone = Schema.String.check(
  noLongerThan(Limits.nameCharacters, timezoneExpected),
  Schema.makeFilter((name) => /^[A-Za-z]/.test(name) && Option.isSome(DateTime.zoneMakeNamed(name)), {
    expected: timezoneExpected,
    arbitraryConstraint: {
      patterns: [{ source: "^(?:UTC|Australia/Sydney|America/New_York|Asia/Kolkata)$", flags: "" }]
    }
  })
)

const zoneOf = (timezone: string): DateTime.TimeZone =>
  Option.getOrElse(DateTime.zoneMakeNamed(timezone), () => DateTime.zoneMakeOffset(0))

/** The calendar's first and last day. */
export const [firstDay, lastDay] = [CalendarDate.make("0001-01-01"), CalendarDate.make("9999-12-31")]

/** An instant as the clocks of a timezone show it. */
export const inZone: {
  (timezone: string): (at: DateTime.DateTime) => DateTime.Zoned
  (at: DateTime.DateTime, timezone: string): DateTime.Zoned
} = Function.dual(
  2,
  (at: DateTime.DateTime, timezone: string): DateTime.Zoned => DateTime.setZone(at, zoneOf(timezone))
)

/**
 * The day that an instant falls on in a timezone. Where that lies in the year 0 or 10000, it is the calendar's first or last.
 * @example CalendarDate.dayOf(DateTime.makeUnsafe("2026-06-30T14:00:00Z"), "Australia/Sydney") // => "2026-07-01"
 */
export const dayOf: {
  (timezone: string): (at: DateTime.DateTime) => CalendarDate
  (at: DateTime.DateTime, timezone: string): CalendarDate
} = Function.dual(2, (at: DateTime.DateTime, timezone: string): CalendarDate => {
  const day = DateTime.formatIsoDate(inZone(at, timezone))
  if (isCalendarDate(day)) return CalendarDate.make(day)
  return day.startsWith("+") ? lastDay : firstDay
})

/** No local time was ever further from UTC than this. */
const furthestOffset = Duration.hours(16)

/**
 * Whether a day lies after the day of an instant in a timezone. The timezone's rules are read only where the day has not
 * ended everywhere.
 * @example
 * const day = CalendarDate.CalendarDate.make("2026-07-01")
 * CalendarDate.isAfterDayOf(day, DateTime.makeUnsafe("2026-06-30T14:00:00Z"), "Australia/Sydney") // => false
 * CalendarDate.isAfterDayOf(day, DateTime.makeUnsafe("2026-06-30T14:00:00Z"), "UTC") // => true
 */
export const isAfterDayOf: {
  (at: DateTime.Utc, timezone: string): (day: CalendarDate) => boolean
  (day: CalendarDate, at: DateTime.Utc, timezone: string): boolean
} = Function.dual(3, (day: CalendarDate, at: DateTime.Utc, timezone: string): boolean => {
  if (day <= DateTime.formatIsoDateUtc(clampInstant(DateTime.subtractDuration(at, furthestOffset)))) return false
  return day > dayOf(at, timezone)
})

const midnight = (day: CalendarDate, timezone: string, disambiguation: "earlier" | "later"): DateTime.Zoned =>
  DateTime.makeZonedUnsafe(`${day}T00:00:00Z`, { timeZone: zoneOf(timezone), adjustForTimeZone: true, disambiguation })

const findStartOfDay = (day: CalendarDate, timezone: string): DateTime.Utc => {
  const earlier = midnight(day, timezone, "earlier")
  if (DateTime.formatIsoDate(earlier) >= day) return clampInstant(DateTime.toUtc(earlier))
  // Midnight is skipped: the clocks jump between its two readings, by the offsets after and before the gap.
  let before = DateTime.toEpochMillis(earlier)
  let after = DateTime.toEpochMillis(midnight(day, timezone, "later"))
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (dayOf(instantAt(middle), timezone) < day) before = middle
    else after = middle
  }
  return instantAt(after)
}

/**
 * The starts of days that were found before: gifts are given on the same days again and again, and finding where a day
 * starts takes longer than everything else about a gift.
 */
const remembered = new Map<string, DateTime.Utc>()
const rememberedAtMost = 4_096

/**
 * The first instant of a day in a timezone. Where the clocks skip midnight, it is the first instant after the gap;
 * where midnight comes twice, the first of the two; where the calendar's first day begins in the year 0, that of the year 1.
 * @example
 * // The clocks of Beirut went from 00:00 to 01:00.
 * const start = CalendarDate.startOfDay(CalendarDate.CalendarDate.make("2024-03-31"), "Asia/Beirut")
 * DateTime.formatIso(start) // => "2024-03-30T22:00:00.000Z"
 */
export const startOfDay: {
  (timezone: string): (day: CalendarDate) => DateTime.Utc
  (day: CalendarDate, timezone: string): DateTime.Utc
} = Function.dual(2, (day: CalendarDate, timezone: string): DateTime.Utc => {
  const key = `${day} ${timezone}`
  const known = remembered.get(key)
  if (known !== undefined) return known
  const start = findStartOfDay(day, timezone)
  if (remembered.size >= rememberedAtMost) remembered.clear()
  remembered.set(key, start)
  return start
})
