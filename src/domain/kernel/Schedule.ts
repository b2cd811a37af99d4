import { DateTime, Function, Schema } from "effect"
import { CalendarDate, lastDay, startOfDay } from "./CalendarDate.ts"
import { addTime, instantAt, latest, subtractTime } from "./InstantRange.ts"

/** How often a recurring gift is charged. service-spec, Donation form: recurring_frequencies. */
export const Frequency = Schema.Literals(["WEEKLY", "FORTNIGHTLY", "MONTHLY", "QUARTERLY", "ANNUALLY"]).annotate({
  identifier: "Frequency"
})
export type Frequency = typeof Frequency.Type

const partsOf = (day: CalendarDate): readonly [year: number, month: number, day: number] => [
  Number(day.slice(0, 4)),
  Number(day.slice(5, 7)),
  Number(day.slice(8))
]

const midnightOf = (day: CalendarDate): DateTime.Utc => instantAt(`${day}T00:00:00Z`)

const dateOf = (midnight: DateTime.Utc): CalendarDate => CalendarDate.make(DateTime.formatIsoDateUtc(midnight))

/**
 * The year of a calendar day.
 * @example Schedule.yearOf(CalendarDate.CalendarDate.make("2026-07-01")) // => 2026
 */
export const yearOf = (day: CalendarDate): number => partsOf(day)[0]

/**
 * The month of a calendar day, 1 to 12.
 * @example Schedule.monthOf(CalendarDate.CalendarDate.make("2026-07-01")) // => 7
 */
export const monthOf = (day: CalendarDate): number => partsOf(day)[1]

/**
 * The calendar day `days` after a day; before it when negative. Both must lie in the years 1 to 9999:
 * throws an `Error` otherwise.
 * @example Schedule.addDays(CalendarDate.CalendarDate.make("2024-02-28"), 1) // => "2024-02-29"
 */
export const addDays: {
  (days: number): (day: CalendarDate) => CalendarDate
  (day: CalendarDate, days: number): CalendarDate
} = Function.dual(2, (day: CalendarDate, days: number) => dateOf(addTime(midnightOf(day), { days })))

const pad = (value: number, digits: number): string => String(value).padStart(digits, "0")

/** The first day of the month that lies `months` after a day's month. */
const monthAfter = (day: CalendarDate, months: number): CalendarDate => {
  const [year, month] = partsOf(day)
  const index = year * 12 + month - 1 + months
  return CalendarDate.make(`${pad(Math.floor(index / 12), 4)}-${pad((index % 12) + 1, 2)}-01`)
}

/**
 * The day `months` after an anchor: the anchor's day of the month, or the month's last day where it is shorter. Always
 * count from the anchor, not from the day before: 31 January, 28 February, 31 March.
 * @example
 * Schedule.addMonths(CalendarDate.CalendarDate.make("2026-01-31"), 1) // => "2026-02-28"
 * Schedule.addMonths(CalendarDate.CalendarDate.make("2026-01-31"), 2) // => "2026-03-31"
 */
export const addMonths: {
  (months: number): (anchor: CalendarDate) => CalendarDate
  (anchor: CalendarDate, months: number): CalendarDate
} = Function.dual(2, (anchor: CalendarDate, months: number): CalendarDate => {
  const first = monthAfter(anchor, months)
  const [, , last] = partsOf(addDays(monthAfter(anchor, months + 1), -1))
  const [, , day] = partsOf(anchor)
  return CalendarDate.make(`${first.slice(0, 8)}${pad(Math.min(day, last), 2)}`)
})

const steps: { readonly [F in Frequency]: { readonly days: number } | { readonly months: number } } = {
  WEEKLY: { days: 7 },
  FORTNIGHTLY: { days: 14 },
  MONTHLY: { months: 1 },
  QUARTERLY: { months: 3 },
  ANNUALLY: { months: 12 }
}

/**
 * The day of the `count`th charge after the first, which is made on the anchor day itself.
 * @example Schedule.dueDay(CalendarDate.CalendarDate.make("2026-01-31"), "MONTHLY", 1) // => "2026-02-28"
 */
export const dueDay: {
  (frequency: Frequency, count: number): (anchor: CalendarDate) => CalendarDate
  (anchor: CalendarDate, frequency: Frequency, count: number): CalendarDate
} = Function.dual(3, (anchor: CalendarDate, frequency: Frequency, count: number): CalendarDate => {
  const step = steps[frequency]
  return "days" in step ? addDays(anchor, step.days * count) : addMonths(anchor, step.months * count)
})

const dayMillis = 86_400_000

/**
 * The days from one day to another; below 0 where the other is before it.
 * @example
 * const from = CalendarDate.CalendarDate.make("2024-02-28")
 * Schedule.daysBetween(from, CalendarDate.CalendarDate.make("2024-03-01")) // => 2
 */
export const daysBetween = (from: CalendarDate, to: CalendarDate): number =>
  (DateTime.toEpochMillis(midnightOf(to)) - DateTime.toEpochMillis(midnightOf(from))) / dayMillis

const monthsBetween = (from: CalendarDate, to: CalendarDate): number =>
  (yearOf(to) - yearOf(from)) * 12 + monthOf(to) - monthOf(from)

/**
 * The first due day that lies after a day; the anchor itself when that is still to come.
 * @example
 * const anchor = CalendarDate.CalendarDate.make("2026-01-31")
 * Schedule.nextDueDay(anchor, "MONTHLY", CalendarDate.CalendarDate.make("2026-02-28")) // => "2026-03-31"
 */
export const nextDueDay: {
  (frequency: Frequency, after: CalendarDate): (anchor: CalendarDate) => CalendarDate
  (anchor: CalendarDate, frequency: Frequency, after: CalendarDate): CalendarDate
} = Function.dual(3, (anchor: CalendarDate, frequency: Frequency, after: CalendarDate): CalendarDate => {
  if (after < anchor) return anchor
  const step = steps[frequency]
  const passed =
    "days" in step
      ? Math.floor(daysBetween(anchor, after) / step.days)
      : Math.floor(monthsBetween(anchor, after) / step.months)
  const due = dueDay(anchor, frequency, passed)
  return due > after ? due : dueDay(anchor, frequency, passed + 1)
})

/**
 * The instant from which a charge is due: the start of its day in the organisation's timezone.
 * @example
 * const due = Schedule.dueAt(CalendarDate.CalendarDate.make("2026-07-01"), "Australia/Sydney")
 * DateTime.formatIso(due) // => "2026-06-30T14:00:00.000Z"
 */
export const dueAt: typeof startOfDay = startOfDay

/**
 * The last millisecond of a day in a timezone.
 * @example
 * const end = Schedule.endOfDay(CalendarDate.CalendarDate.make("2026-07-01"), "Australia/Sydney")
 * DateTime.formatIso(end) // => "2026-07-01T13:59:59.999Z"
 */
export const endOfDay: {
  (timezone: string): (day: CalendarDate) => DateTime.Utc
  (day: CalendarDate, timezone: string): DateTime.Utc
} = Function.dual(2, (day: CalendarDate, timezone: string) =>
  day === lastDay ? latest : subtractTime(startOfDay(addDays(day, 1), timezone), { milliseconds: 1 })
)
