import { Array as Arr, Order, Schema } from "effect"
import { CalendarDate } from "../kernel/CalendarDate.ts"
import { Limits } from "../kernel/Limits.ts"
import { Cents, Currency, centsOf } from "../kernel/Money.ts"
import { addDays, addMonths, monthOf, yearOf } from "../kernel/Schedule.ts"
import { TextUpTo } from "../kernel/Text.ts"

/** The spans that gifts are added up over. decisions, section 11. */
export const PeriodKind = Schema.Literals(["FINANCIAL_YEAR", "CALENDAR_YEAR", "ELECTION_TERM"])
export type PeriodKind = typeof PeriodKind.Type

/** Whether a regime applies. decisions, section 11. */
export const RegimeStatus = Schema.Literals(["IN_FORCE", "SUSPENDED", "INVALIDATED"])

/** Whether a total must be over the threshold, or reach it. decisions, section 11. */
export const Comparison = Schema.Literals(["OVER", "AT_LEAST"])
export type Comparison = typeof Comparison.Type

const text = TextUpTo(Limits.regimeTextCharacters).check(Schema.isMinLength(1))

/** A named span of calendar days, both ends included. */
export const Period = Schema.Struct({ label: text, starts_on: CalendarDate, ends_on: CalendarDate })
export type Period = typeof Period.Type

const two = (value: number): string => String(value).padStart(2, "0")

/**
 * The first day of a month, 1 to 12.
 * @example Regime.firstOf(2027, 2) // => "2027-02-01"
 */
export const firstOf = (year: number, month: number): CalendarDate =>
  CalendarDate.make(`${String(year).padStart(4, "0")}-${two(month)}-01`)

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))

const dayOfMonth = upTo(31)

/** When notice of a crossing is due: usually, in an election period, and in that period's expedited part. */
export const Notice = Schema.Struct({
  usual: Schema.Union([
    Schema.Struct({ day_of_next_month: dayOfMonth }),
    Schema.Struct({ within_days: upTo(Limits.regimeTermDays) })
  ]),
  election_within_days: Schema.NullOr(upTo(Limits.regimeTermDays)),
  expedited_within_hours: Schema.NullOr(upTo(24 * Limits.regimeTermDays))
})
export type Notice = typeof Notice.Type

/**
 * How sure the figures of a regime are: published by the authority, some of them, reported by others, or carried over until
 * the authority says more. law, section 1.
 */
export const Confidence = Schema.Literals(["PUBLISHED", "PARTLY", "REPORTED", "PROVISIONAL"])
export type Confidence = typeof Confidence.Type

/** The kinds of donors, of which each may give one recipient so much in a period: any, or a peak representative body. law, section 1. */
export const DonorKind = Schema.Literals(["ANY", "PEAK_BODY"]).annotate({ identifier: "DonorKind" })
export type DonorKind = typeof DonorKind.Type

/** The kind of donors of whom nothing was said. */
export const usualKind: DonorKind = "ANY"

/** Most that one donor of a kind may give one recipient in a period; minor units. */
export const Cap = Schema.Struct({ donor_kind: DonorKind, cap_cents: Cents })
export type Cap = typeof Cap.Type

/** When a return is due, on a day of each year, and whose. law, section 1. */
export const ReturnDue = Schema.Struct({
  who: text,
  month: upTo(12),
  day: dayOfMonth
}).check(
  // A day that each year has: 29 February is none.
  Schema.makeFilter(({ day, month }) => addDays(firstOf(2023, month), day - 1).slice(5, 7) === two(month), {
    expected: "a day that each year has"
  })
)
export type ReturnDue = typeof ReturnDue.Type

/** A disclosure law over a span of time, as data; amounts in minor units. decisions, section 11. Not legal advice. */
export class Regime extends Schema.Opaque<Regime>()(
  Schema.Struct({
    /** Its name for whoever replaces it by a file of their own. */
    key: Schema.String.check(Schema.isPattern(/^[a-z0-9-]{1,50}$/)),
    /** The jurisdiction of the law, such as `AU`; revenue codes are assigned to it. */
    jurisdiction: Schema.String.check(Schema.isPattern(/^[A-Z]{2}(?:-[A-Z0-9]{1,3})?$/)),
    name: text,
    effective_from: CalendarDate,
    /** The last day; null while no end is set. */
    effective_to: Schema.NullOr(CalendarDate),
    status: RegimeStatus,
    /** The day that the status was decided; null for one in force since it began. */
    status_decided_on: Schema.NullOr(CalendarDate),
    period_kind: PeriodKind,
    /** The first month of a financial year, 1 to 12. */
    financial_year_month: upTo(12),
    /** The terms between elections, for periods of that kind. */
    terms: Schema.Array(Period),
    currency: Currency,
    threshold_cents: Cents,
    comparison: Comparison,
    /** The caps of donors, by their kind; none where there is no cap. */
    caps: Schema.Array(Cap).check(Schema.isMaxLength(10)),
    cap_period_kind: Schema.NullOr(PeriodKind),
    /** Weeks within which a gift over the cap has to be returned or handed over; null where that is not known. */
    action_within_weeks: Schema.NullOr(upTo(Math.floor(Limits.regimeTermDays / 7))),
    /** Null where the law asks for no notice of a single crossing. */
    notice: Schema.NullOr(Notice),
    /** The days of the year on which returns are due; none where none is known. */
    returns: Schema.Array(ReturnDue).check(Schema.isMaxLength(10)),
    /** The source of the figures, in words. */
    source: text,
    /** The page where they stand; null where none is known. */
    source_url: Schema.NullOr(TextUpTo(Limits.regimeTextCharacters).check(Schema.isPattern(/^https:\/\/\S{1,500}$/))),
    confidence: Confidence,
    /** The day on which somebody last held them against their source. */
    checked_on: CalendarDate,
    /** The day from which they have to be held against it again. */
    review_by: CalendarDate
  }).annotate({ identifier: "Regime" })
) {}

/**
 * The regime of a jurisdiction that applies on a day: in force, and effective on that day; undefined where there is
 * none.
 * @example
 * const on = (day: string) =>
 *   Regime.regimeOn(AustralianRegimes.australianRegimes, "AU", CalendarDate.CalendarDate.make(day))
 * on("2026-12-31")?.threshold_cents // => 17_300_00
 * on("2027-01-01")?.threshold_cents // => 5_000_00
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

/**
 * The financial year that a day lies in, for years that begin with `firstMonth`; labelled `2025-26`, or `2025` when
 * that is January.
 * @example
 * Regime.financialYearOf(CalendarDate.CalendarDate.make("2026-06-30"), 7)
 * // => { label: "2025-26", starts_on: "2025-07-01", ends_on: "2026-06-30" }
 */
export const financialYearOf = (day: CalendarDate, firstMonth: number): Period => {
  if (firstMonth === 1) return calendarYearOf(day)
  const year = monthOf(day) >= firstMonth ? yearOf(day) : yearOf(day) - 1
  return twelveMonthsFrom(`${year}-${String((year + 1) % 100).padStart(2, "0")}`, firstOf(year, firstMonth))
}

/**
 * The calendar year that a day lies in.
 * @example
 * Regime.calendarYearOf(CalendarDate.CalendarDate.make("2026-06-30"))
 * // => { label: "2026", starts_on: "2026-01-01", ends_on: "2026-12-31" }
 */
export const calendarYearOf = (day: CalendarDate): Period =>
  twelveMonthsFrom(String(yearOf(day)), firstOf(yearOf(day), 1))

const isWithin = (day: CalendarDate) => (period: Period) => period.starts_on <= day && day <= period.ends_on

const wholePeriodOf = (regime: Regime, kind: PeriodKind, day: CalendarDate): Period | undefined => {
  switch (kind) {
    case "FINANCIAL_YEAR":
      return financialYearOf(day, regime.financial_year_month)
    case "CALENDAR_YEAR":
      return calendarYearOf(day)
    case "ELECTION_TERM":
      return regime.terms.find(isWithin(day))
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
  // No law is known for the calendar's last years, whose terms would end after it.
  if (day >= "9990-01-01" || day < effective_from || (effective_to !== null && day > effective_to)) return undefined
  const whole = wholePeriodOf(regime, kind, day)
  return whole === undefined
    ? undefined
    : {
        label: whole.label,
        starts_on: laterOf(whole.starts_on, effective_from),
        ends_on: effective_to === null ? whole.ends_on : earlierOf(whole.ends_on, effective_to)
      }
}

/** The periods of a kind that have a day within others, in their order. */
const periodsWithin = (
  regime: Regime,
  kind: PeriodKind,
  { ends_on, starts_on }: Pick<Period, "ends_on" | "starts_on">
): ReadonlyArray<Period> => {
  const firstMonth = kind === "CALENDAR_YEAR" ? 1 : regime.financial_year_month
  const begun =
    kind === "ELECTION_TERM"
      ? regime.terms.map((term) => term.starts_on)
      : Arr.range(yearOf(starts_on), yearOf(ends_on)).map((year) => firstOf(year, firstMonth))
  const days = [starts_on, ...begun].map((day) => laterOf(day, starts_on)).filter((day) => day <= ends_on)
  return [...new Set(days)].toSorted().flatMap((day) => periodOf(regime, day, kind) ?? [])
}

/**
 * The periods of a regime up to a day, in their order; of very many only the latest.
 * @example
 * const [first] = AustralianRegimes.australianRegimes
 * first && Regime.periodsUntil(first, CalendarDate.CalendarDate.make("2030-01-01")).map(({ label }) => label)
 * // => ["2025-26"]
 */
export const periodsUntil = (regime: Regime, today: CalendarDate): ReadonlyArray<Period> => {
  const { effective_from, effective_to, period_kind } = regime
  const ends_on = effective_to === null ? today : earlierOf(today, effective_to)
  return periodsWithin(regime, period_kind, { starts_on: effective_from, ends_on }).slice(-Limits.uncodedPeriods)
}

/**
 * Whether a total crosses a threshold, both in minor units. Throws a `RangeError` for what is no amount. decisions, section 11.
 * @example
 * Regime.crosses({ threshold_cents: 5_000_00, comparison: "OVER" }, 5_000_00) // => false
 * Regime.crosses({ threshold_cents: 5_000_00, comparison: "AT_LEAST" }, 5_000_00) // => true
 */
export const crosses = (
  line: { readonly threshold_cents: number; readonly comparison: Comparison },
  total_cents: number
): boolean => {
  const over = centsOf("total_cents", total_cents) - centsOf("threshold_cents", line.threshold_cents)
  return line.comparison === "OVER" ? over > 0 : over >= 0
}

/**
 * The least sum that crosses a threshold, minor units.
 * @example Regime.leastCrossingCents({ threshold_cents: 5_000_00, comparison: "OVER" }) // => 5_000_01
 */
export const leastCrossingCents = ({ comparison, threshold_cents }: Pick<Regime, "comparison" | "threshold_cents">) =>
  comparison === "OVER" ? threshold_cents + 1 : threshold_cents

/**
 * Whether the figures of a regime have to be held against their source again: they still may count on that day, or later.
 * @example
 * const [first] = AustralianRegimes.australianRegimes
 * first && Regime.isReviewDue(first, CalendarDate.CalendarDate.make("2026-01-01")) // => false
 */
export const isReviewDue = (regime: Regime, today: CalendarDate): boolean =>
  regime.status === "IN_FORCE" &&
  today >= regime.review_by &&
  (regime.effective_to === null || today <= regime.effective_to)

/** Regimes of one jurisdiction that are in force on the same day; null where there are none. */
export const overlapOf = (regimes: ReadonlyArray<Regime>): readonly [Regime, Regime] | null => {
  const inForce = regimes.filter(({ status }) => status === "IN_FORCE")
  for (const [index, one] of inForce.entries()) {
    const other = inForce
      .slice(index + 1)
      .find(
        (each) =>
          each.jurisdiction === one.jurisdiction &&
          (one.effective_to === null || each.effective_from <= one.effective_to) &&
          (each.effective_to === null || one.effective_from <= each.effective_to)
      )
    if (other !== undefined) return [one, other]
  }
  return null
}

/** The jurisdictions that have a regime in force, whatever its days, in order. */
export const jurisdictionsInForce = (regimes: ReadonlyArray<Regime>): ReadonlyArray<string> =>
  [...new Set(regimes.flatMap(({ jurisdiction, status }) => (status === "IN_FORCE" ? [jurisdiction] : [])))].toSorted()

/** The order of regimes: by jurisdiction, and then by the day from which they hold. */
export const byJurisdiction = Order.mapInput(
  Order.String,
  ({ effective_from, jurisdiction }: Regime) => `${jurisdiction} ${effective_from}`
)

/**
 * Regimes of one jurisdiction of which one follows the other within a period of both, with that period: gifts before and
 * after would not be added up together. Null where there are none.
 */
export const cutPeriodOf = (
  regimes: ReadonlyArray<Regime>
): { readonly before: Regime; readonly after: Regime; readonly period: Period } | null => {
  const inForce = regimes.filter(({ status }) => status === "IN_FORCE").toSorted(byJurisdiction)
  for (const [index, after] of inForce.slice(1).entries()) {
    const before = inForce[index]
    if (before?.jurisdiction !== after.jurisdiction) continue
    const last =
      before.effective_to === null ? undefined : wholePeriodOf(before, before.period_kind, before.effective_to)
    const period = wholePeriodOf(after, after.period_kind, after.effective_from)
    if (period?.starts_on === last?.starts_on && period?.ends_on === last?.ends_on && period !== undefined) {
      return { before, after, period }
    }
  }
  return null
}

/** A cap, and a period over which gifts count toward it. */
export interface CapPeriod {
  readonly cap_cents: number
  readonly within: Period
}

/** The period of a cap, which goes on where one law follows the other within it: figures change in a term, and gifts count in all of it. */
const acrossLaws = (regime: Regime, kind: PeriodKind, cut: Period, regimes: ReadonlyArray<Regime>): Period => {
  const whole = wholePeriodOf(regime, kind, cut.starts_on) ?? cut
  const { currency, jurisdiction } = regime
  const others = regimes.filter(
    (each) =>
      each.status === "IN_FORCE" &&
      each.jurisdiction === jurisdiction &&
      each.currency === currency &&
      each.cap_period_kind === kind
  )
  const hasWhole = (each: Regime, day: CalendarDate) => {
    const found = wholePeriodOf(each, kind, day)
    return found?.starts_on === whole.starts_on && found.ends_on === whole.ends_on
  }
  const firstOfAll = (first: CalendarDate): CalendarDate => {
    const last = addDays(first, -1)
    const before = others.find((each) => each.effective_to === last && hasWhole(each, last))
    return before === undefined ? first : firstOfAll(laterOf(whole.starts_on, before.effective_from))
  }
  const lastOfAll = (last: CalendarDate): CalendarDate => {
    const first = addDays(last, 1)
    const after = others.find((each) => each.effective_from === first && hasWhole(each, first))
    if (after === undefined) return last
    return after.effective_to === null ? whole.ends_on : lastOfAll(earlierOf(whole.ends_on, after.effective_to))
  }
  return { label: cut.label, starts_on: firstOfAll(cut.starts_on), ends_on: lastOfAll(cut.ends_on) }
}

/**
 * The caps of a kind of donors in a period, each with the period over which gifts count toward it: several where that of the
 * cap ends within this one, as an election term does within a year; none where the law has no cap. A law without a cap of this
 * kind has that of any donor for it. Among the laws are those that come before and after it within the period of a cap.
 * @example
 * const [, , next] = AustralianRegimes.australianRegimes
 * const period = Regime.calendarYearOf(CalendarDate.CalendarDate.make("2027-02-10"))
 * const laws = AustralianRegimes.australianRegimes
 * next && Regime.capsOf({ regime: next, period }, "PEAK_BODY", laws).map(({ cap_cents }) => cap_cents) // => [200_000_00]
 */
export const capsOf = (
  { period, regime }: { readonly period: Period; readonly regime: Regime },
  donor_kind: DonorKind,
  regimes: ReadonlyArray<Regime>
): ReadonlyArray<CapPeriod> => {
  const { cap_period_kind: kind, caps } = regime
  const of = (wanted: DonorKind) => caps.find((each) => each.donor_kind === wanted)
  const cap = of(donor_kind) ?? of(usualKind)
  return cap === undefined || kind === null
    ? []
    : periodsWithin(regime, kind, period).map((cut) => {
        return { cap_cents: cap.cap_cents, within: acrossLaws(regime, kind, cut, regimes) }
      })
}

/** The cap of a day among those of its period; undefined where the law has none on it. */
export const capOn = <A extends CapPeriod>(caps: ReadonlyArray<A>, day: CalendarDate): A | undefined =>
  caps.find(({ within }) => isWithin(day)(within))
