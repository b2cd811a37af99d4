import { Order, Schema } from "effect"
import { CalendarDate } from "../kernel/CalendarDate.ts"
import { Cents, Currency, centsOf } from "../kernel/Money.ts"
import { addDays, addMonths, monthOf, yearOf } from "../kernel/Schedule.ts"

/** The spans that gifts are added up over. decisions, section 11. */
export const PeriodKind = Schema.Literals(["FINANCIAL_YEAR", "CALENDAR_YEAR", "ELECTION_TERM"])
export type PeriodKind = typeof PeriodKind.Type

/** Whether a regime applies. decisions, section 11. */
export const RegimeStatus = Schema.Literals(["IN_FORCE", "SUSPENDED", "INVALIDATED"])

/** Whether a total must be over the threshold, or reach it. decisions, section 11. */
export const Comparison = Schema.Literals(["OVER", "AT_LEAST"])
export type Comparison = typeof Comparison.Type

/** A named span of calendar days, both ends included. */
export const Period = Schema.Struct({ label: Schema.String, starts_on: CalendarDate, ends_on: CalendarDate })
export type Period = typeof Period.Type

/** When notice of a crossing is due: usually, in an election period, and in that period's expedited part. */
export const Notice = Schema.Struct({
  usual: Schema.Union([Schema.Struct({ day_of_next_month: Schema.Int }), Schema.Struct({ within_days: Schema.Int })]),
  election_within_days: Schema.NullOr(Schema.Int),
  expedited_within_hours: Schema.NullOr(Schema.Int)
})
export type Notice = typeof Notice.Type

/** A disclosure law over a span of time, as data; amounts in minor units. decisions, section 11. Not legal advice. */
export class Regime extends Schema.Opaque<Regime>()(
  Schema.Struct({
    /** The jurisdiction of the law, such as `AU`; revenue codes are assigned to it. */
    jurisdiction: Schema.String,
    name: Schema.String,
    effective_from: CalendarDate,
    /** The last day; null while no end is set. */
    effective_to: Schema.NullOr(CalendarDate),
    status: RegimeStatus,
    /** The day that the status was decided; null for one in force since it began. */
    status_decided_on: Schema.NullOr(CalendarDate),
    period_kind: PeriodKind,
    /** The first month of a financial year, 1 to 12. */
    financial_year_month: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 })),
    /** The terms between elections, for periods of that kind. */
    terms: Schema.Array(Period),
    currency: Currency,
    threshold_cents: Cents,
    comparison: Comparison,
    /** Most that one donor may give one recipient in a period; null where there is no cap. */
    cap_cents: Schema.NullOr(Cents),
    cap_period_kind: Schema.NullOr(PeriodKind),
    /** Null where the law asks for no notice of a single crossing. */
    notice: Schema.NullOr(Notice),
    /** The source of the figures. */
    source: Schema.String
  }).annotate({ identifier: "Regime" })
) {}

/**
 * The regime of a jurisdiction that applies on a day: in force, and effective on that day; undefined where there is
 * none.
 *
 * @example
 * ```ts
 * const on = (day: string) =>
 *   Regime.regimeOn(AustralianRegimes.australianRegimes, "AU", CalendarDate.CalendarDate.make(day))
 * on("2026-12-31")?.cap_cents // => null
 * on("2027-01-01")?.cap_cents // => 50_000_00
 * ```
 */
export const regimeOn = (regimes: ReadonlyArray<Regime>, jurisdiction: string, day: CalendarDate): Regime | undefined =>
  regimes.find(
    (regime) =>
      regime.jurisdiction === jurisdiction &&
      regime.status === "IN_FORCE" &&
      regime.effective_from <= day &&
      (regime.effective_to === null || day <= regime.effective_to)
  )

const twelveMonthsFrom = (label: string, starts_on: CalendarDate): Period => ({
  label,
  starts_on,
  ends_on: addDays(addMonths(starts_on, 12), -1)
})

const firstOf = (year: number, month: number): CalendarDate =>
  CalendarDate.make(`${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-01`)

/**
 * The financial year that a day lies in, for years that begin with `firstMonth`; labelled `2025-26`, or `2025` when
 * that is January.
 *
 * @example
 * ```ts
 * Regime.financialYearOf(CalendarDate.CalendarDate.make("2026-06-30"), 7)
 * // => { label: "2025-26", starts_on: "2025-07-01", ends_on: "2026-06-30" }
 * ```
 */
export const financialYearOf = (day: CalendarDate, firstMonth: number): Period => {
  if (firstMonth === 1) return calendarYearOf(day)
  const year = monthOf(day) >= firstMonth ? yearOf(day) : yearOf(day) - 1
  return twelveMonthsFrom(`${year}-${String((year + 1) % 100).padStart(2, "0")}`, firstOf(year, firstMonth))
}

/**
 * The calendar year that a day lies in.
 *
 * @example
 * ```ts
 * Regime.calendarYearOf(CalendarDate.CalendarDate.make("2026-06-30"))
 * // => { label: "2026", starts_on: "2026-01-01", ends_on: "2026-12-31" }
 * ```
 */
export const calendarYearOf = (day: CalendarDate): Period =>
  twelveMonthsFrom(String(yearOf(day)), firstOf(yearOf(day), 1))

const wholePeriodOf = (regime: Regime, kind: PeriodKind, day: CalendarDate): Period | undefined => {
  switch (kind) {
    case "FINANCIAL_YEAR":
      return financialYearOf(day, regime.financial_year_month)
    case "CALENDAR_YEAR":
      return calendarYearOf(day)
    case "ELECTION_TERM":
      return regime.terms.find((term) => term.starts_on <= day && day <= term.ends_on)
  }
}

const laterOf = Order.max<CalendarDate>(Order.String)
const earlierOf = Order.min<CalendarDate>(Order.String)

/**
 * The period that a day lies in under a regime. It is cut to the days on which the regime is effective, since no gift
 * counts outside of them. Undefined for a day outside the regime, or outside its terms.
 */
export const periodOf = (
  regime: Regime,
  day: CalendarDate,
  kind: PeriodKind = regime.period_kind
): Period | undefined => {
  const { effective_from, effective_to } = regime
  if (day < effective_from || (effective_to !== null && day > effective_to)) return undefined
  const whole = wholePeriodOf(regime, kind, day)
  return whole === undefined
    ? undefined
    : {
        label: whole.label,
        starts_on: laterOf(whole.starts_on, effective_from),
        ends_on: effective_to === null ? whole.ends_on : earlierOf(whole.ends_on, effective_to)
      }
}

/**
 * Whether a total crosses a threshold, both in minor units. Throws a `RangeError` for what is no amount. decisions, section 11.
 *
 * @example
 * ```ts
 * Regime.crosses({ threshold_cents: 5_000_00, comparison: "OVER" }, 5_000_00) // => false
 * Regime.crosses({ threshold_cents: 5_000_00, comparison: "AT_LEAST" }, 5_000_00) // => true
 * ```
 */
export const crosses = (
  line: { readonly threshold_cents: number; readonly comparison: Comparison },
  total_cents: number
): boolean => {
  const over = centsOf("total_cents", total_cents) - centsOf("threshold_cents", line.threshold_cents)
  return line.comparison === "OVER" ? over > 0 : over >= 0
}
