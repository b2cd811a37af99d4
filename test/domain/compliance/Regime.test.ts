import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import fc from "fast-check"
import { australianRegimes } from "../../../src/domain/compliance/AustralianRegimes.ts"
import * as Regime from "../../../src/domain/compliance/Regime.ts"
import { CalendarDate } from "../../../src/domain/kernel/CalendarDate.ts"
import { addDays, monthOf } from "../../../src/domain/kernel/Schedule.ts"
import { instant } from "../../../src/testing/Generators.ts"
import { forEvery, forEveryWith } from "../../support/Property.ts"

const date = (text: string): CalendarDate => CalendarDate.make(text)
const day = instant.map((at) => date(DateTime.formatIsoDateUtc(at)))
const regime = fc.constantFrom(...australianRegimes)

/** The days on which regimes and terms begin and end, and those next to them. */
const edges = australianRegimes
  .flatMap(({ effective_from, effective_to, terms }) => [
    effective_from,
    effective_to ?? effective_from,
    ...terms.flatMap(({ ends_on, starts_on }) => [starts_on, ends_on])
  ])
  .flatMap((each) => [-1, 0, 1].map((days) => addDays(each, days)))

/** Laws whose terms end within a year, with days between two of them. */
const ofTerms = australianRegimes
  .filter(({ cap_period_kind }) => cap_period_kind === "ELECTION_TERM")
  .map((each) => {
    const later = { label: "2027-2030", starts_on: date("2027-02-01"), ends_on: date("2030-11-30") }
    return { ...each, effective_to: null, terms: [later, ...each.terms] }
  })

/** A day of a few weeks: of such the one is often the first or the last of the other. */
const near = fc.nat(20).map((days) => addDays(date("2027-01-01"), days))

/** Laws of two jurisdictions that hold for some days, or without an end, and some that hold no more. */
const short = fc
  .record({
    jurisdiction: fc.constantFrom("AU", "NZ"),
    status: fc.constantFrom<Regime.Regime["status"]>("IN_FORCE", "IN_FORCE", "IN_FORCE", "SUSPENDED", "INVALIDATED"),
    effective_from: near,
    days: fc.option(fc.nat(8))
  })
  .map(({ days, effective_from, ...each }): Regime.Regime => {
    const effective_to = days === null ? null : addDays(effective_from, days)
    return { ...newScheme, ...each, effective_from, effective_to }
  })

const holdsOn = ({ effective_from, effective_to, status }: Regime.Regime, one: CalendarDate): boolean =>
  status === "IN_FORCE" && effective_from <= one && one <= (effective_to ?? one)

/** The days around the first one of a term that begins late. */
const ownEdges = [date("2027-01-31"), date("2027-02-01"), date("2027-02-02")]

const federal = (text: string): Regime.Regime => Regime.regimeOn(australianRegimes, "AU", date(text)) ?? assert.fail()
const newScheme = federal("2027-01-01")

describe("periods", () => {
  it("hold their day, and every day of a period has the same", () =>
    forEveryWith({ numRuns: 300 }, regime, day, fc.nat(1_500), (each, one, offset) => {
      const period = Regime.periodOf(each, one)
      if (period === undefined) return
      assert.isTrue(period.starts_on <= one && one <= period.ends_on)
      const other = addDays(period.starts_on, offset)
      const isWithin = other <= period.ends_on
      assert.strictEqual(Regime.periodOf(each, other)?.label === period.label, isWithin)
      if (isWithin) assert.deepStrictEqual(Regime.periodOf(each, other), period)
    }))

  it("end with their regime", () =>
    forEveryWith(
      {
        numRuns: 400,
        examples: australianRegimes.flatMap((each) => edges.map((one): [Regime.Regime, CalendarDate] => [each, one]))
      },
      regime,
      day,
      (each, one) => {
        const period = Regime.periodOf(each, one)
        const isEffective = each.effective_from <= one && (each.effective_to === null || one <= each.effective_to)
        assert.strictEqual(period !== undefined, isEffective)
        if (period === undefined) return
        assert.isTrue(period.starts_on >= each.effective_from)
        assert.isTrue(each.effective_to === null || period.ends_on <= each.effective_to)
      }
    ))

  it("of election terms hold all days from the first to the last of a term", () => {
    const [victoria = assert.fail()] = australianRegimes.filter(({ jurisdiction }) => jurisdiction === "AU-VIC")
    const open = { ...victoria, effective_from: date("2018-11-25"), effective_to: null }
    for (const one of edges) {
      const term = Regime.periodOf(open, one, "ELECTION_TERM")
      assert.strictEqual(term !== undefined, one >= "2018-11-25" && one <= "2026-11-28", one)
      if (term !== undefined) assert.isTrue(term.starts_on <= one && one <= term.ends_on, one)
    }
  })

  it("of financial years begin in a month that there is", () => {
    const isRegime = Schema.is(Regime.Regime)
    for (let month = -1; month <= 14; month++) {
      assert.strictEqual(isRegime({ ...newScheme, financial_year_month: month }), month >= 1 && month <= 12)
    }
  })

  it("of financial years run for twelve months from their month", () =>
    forEvery(day, fc.integer({ min: 1, max: 12 }), (one, month) => {
      const year = Regime.financialYearOf(one, month)
      assert.strictEqual(monthOf(year.starts_on), month)
      assert.strictEqual(year.starts_on.slice(8), "01")
      const next = Regime.financialYearOf(addDays(year.ends_on, 1), month)
      assert.strictEqual(next.starts_on, addDays(year.ends_on, 1))
      assert.strictEqual(next.starts_on.slice(5), year.starts_on.slice(5))
      if (month === 1) assert.deepStrictEqual(year, Regime.calendarYearOf(one))
    }))

  it("up to a day are all that a day of them lies in, the latest twenty, in their order", () =>
    forEvery(
      fc.constantFrom(...australianRegimes, ...ofTerms),
      fc.constantFrom<Regime.PeriodKind>("FINANCIAL_YEAR", "CALENDAR_YEAR", "ELECTION_TERM"),
      fc.boolean(),
      fc.oneof(
        fc.nat(40 * 366).map((days) => addDays(date("2025-06-01"), days)),
        fc.constantFrom(...edges, ...ownEdges)
      ),
      (each, period_kind, isOver, today) => {
        const effective_to = isOver ? each.effective_to : null
        const one = { ...each, period_kind, effective_to }
        const found = new Map<string, Regime.Period>()
        // Years begin with a month, and terms with the day that is written.
        const firsts = Array.from({ length: 46 * 12 }, (_, month) =>
          Regime.firstOf(2024 + Math.floor(month / 12), (month % 12) + 1)
        )
        for (const begun of [each.effective_from, ...firsts, ...each.terms.map(({ starts_on }) => starts_on)]) {
          const period = begun <= today ? Regime.periodOf(one, begun) : undefined
          if (period !== undefined) found.set(period.starts_on, period)
        }
        const all = [...found.values()].sort((a, b) => (a.starts_on < b.starts_on ? -1 : 1))
        assert.deepStrictEqual(Regime.periodsUntil(one, today), all.slice(-20))
      }
    ))

  it("are none in the calendar's last years, whose terms would end after it", () => {
    assert.isUndefined(Regime.periodOf(newScheme, date("9990-01-01")))
    assert.strictEqual(Regime.periodOf(newScheme, date("9989-12-31"))?.ends_on, "9989-12-31")
  })

  it("are named as people name them", () => {
    const names = (text: string) => [
      Regime.financialYearOf(date(text), 7).label,
      Regime.calendarYearOf(date(text)).label
    ]
    assert.deepStrictEqual(names("2026-06-30"), ["2025-26", "2026"])
    assert.deepStrictEqual(names("2026-07-01"), ["2026-27", "2026"])
    assert.deepStrictEqual(names("1999-12-31"), ["1999-00", "1999"])
    const [victoria = assert.fail()] = australianRegimes.filter(({ jurisdiction }) => jurisdiction === "AU-VIC")
    assert.strictEqual(Regime.periodOf(victoria, date("2025-07-01"), "ELECTION_TERM")?.label, "2022-2026")
  })
})

describe("caps", () => {
  it("hold on each day of their own period, whatever the period of the threshold is", () =>
    forEveryWith(
      { numRuns: 400 },
      // One names the period of its caps, and no cap.
      fc.constantFrom(...australianRegimes, ...ofTerms, ...ofTerms, { ...newScheme, caps: [] }),
      day,
      fc.constantFrom<Regime.DonorKind>("ANY", "PEAK_BODY"),
      (each, one, kind) => {
        const period = Regime.periodOf(each, one)
        if (period === undefined) return
        const own = each.cap_period_kind === null ? undefined : Regime.periodOf(each, one, each.cap_period_kind)
        const has = (wanted: Regime.DonorKind) => each.caps.find(({ donor_kind }) => donor_kind === wanted)
        const cap = has(kind) ?? has("ANY")
        const caps = Regime.capsOf({ regime: each, period }, kind, [each])
        const expected = own === undefined || cap === undefined ? undefined : { cap_cents: cap.cap_cents, within: own }
        assert.deepStrictEqual(Regime.capOn(caps, one), expected)
        for (const [index, { within }] of caps.entries()) {
          assert.isTrue(within.starts_on <= period.ends_on && period.starts_on <= within.ends_on)
          assert.isTrue(index === 0 || String(caps[index - 1]?.within.ends_on) < within.starts_on)
        }
      }
    ))
})

describe("the period of a cap", () => {
  const term = { label: "2027-30", starts_on: date("2027-01-01"), ends_on: date("2030-12-31") }
  const law = (from: string, to: string | null, more: Partial<Regime.Regime> = {}): Regime.Regime => ({
    ...newScheme,
    terms: [term],
    cap_period_kind: "ELECTION_TERM",
    effective_from: date(from),
    effective_to: to === null ? null : date(to),
    ...more
  })
  /** The days of the cap in 2028, under the law of that year, among others. */
  const daysIn2028 = (...others: ReadonlyArray<Regime.Regime>): ReadonlyArray<string | undefined> => {
    const regime = law("2028-01-01", "2028-12-31")
    const [cap, ...more] = Regime.capsOf({ regime, period: Regime.calendarYearOf(date("2028-05-05")) }, "ANY", [
      ...others,
      regime
    ])
    assert.isEmpty(more)
    return [cap?.within.starts_on, cap?.within.ends_on]
  }

  it("goes on over the laws that follow one another in it", () => {
    const [first, third, last] = [
      law("2026-06-01", "2027-12-31"),
      law("2029-01-01", "2029-12-31"),
      law("2030-01-01", null)
    ]
    assert.deepStrictEqual(daysIn2028(), ["2028-01-01", "2028-12-31"])
    assert.deepStrictEqual(daysIn2028(first), ["2027-01-01", "2028-12-31"])
    assert.deepStrictEqual(daysIn2028(third), ["2028-01-01", "2029-12-31"])
    assert.deepStrictEqual(daysIn2028(last, first, third), ["2027-01-01", "2030-12-31"])
    assert.deepStrictEqual(daysIn2028(law("2027-07-01", "2027-12-31")), ["2027-07-01", "2028-12-31"])
  })

  it("ends where the next law is of another place, currency or kind, is not in force, begins later, or has other terms", () => {
    const others: ReadonlyArray<Partial<Regime.Regime>> = [
      { jurisdiction: "NZ" },
      { currency: "NZD" },
      { cap_period_kind: "CALENDAR_YEAR" },
      { cap_period_kind: null },
      { status: "INVALIDATED" },
      { terms: [{ ...term, starts_on: date("2028-01-01") }] },
      { terms: [{ ...term, ends_on: date("2031-12-31") }] }
    ]
    for (const more of others) {
      const days = daysIn2028(law("2027-01-01", "2027-12-31", more), law("2029-01-01", null, more))
      assert.deepStrictEqual(days, ["2028-01-01", "2028-12-31"], JSON.stringify(more))
    }
    const apart = [law("2027-01-01", "2027-12-30"), law("2029-01-02", null)]
    assert.deepStrictEqual(daysIn2028(...apart), ["2028-01-01", "2028-12-31"])
  })
})

describe("regimes", () => {
  it("overlap where some day has two of one jurisdiction in force", () =>
    forEveryWith({ numRuns: 400 }, fc.array(short, { maxLength: 4 }), (all) => {
      const days = Array.from({ length: 40 }, (_, index) => addDays(date("2027-01-01"), index))
      const isShared = days.some((one) =>
        ["AU", "NZ"].some((of) => all.filter((each) => each.jurisdiction === of && holdsOn(each, one)).length > 1)
      )
      const both = Regime.overlapOf(all)
      assert.strictEqual(both !== null, isShared)
      if (both === null) return
      const [one, other] = both
      assert.isTrue(all.indexOf(one) < all.indexOf(other) && one.jurisdiction === other.jurisdiction)
      assert.isTrue(days.some((each) => holdsOn(one, each) && holdsOn(other, each)))
    }))

  it("of which one is in force name their jurisdictions, each once and in order", () =>
    forEvery(fc.array(short, { maxLength: 6 }), (all) => {
      const expected = ["AU", "NZ"].filter((of) =>
        all.some(({ jurisdiction, status }) => jurisdiction === of && status === "IN_FORCE")
      )
      assert.deepStrictEqual(Regime.jurisdictionsInForce(all), expected)
    }))

  it("have to be reviewed from their day on, while they are in force and not over", () =>
    forEveryWith({ numRuns: 400 }, short, near, near, (each, review_by, today) => {
      const isOver = each.effective_to !== null && each.effective_to < today
      const isDue = each.status === "IN_FORCE" && !isOver && !(today < review_by)
      assert.strictEqual(Regime.isReviewDue({ ...each, review_by }, today), isDue)
    }))

  it("ask for returns on days that each year has", () => {
    const isReturn = Schema.is(Regime.ReturnDue)
    for (let month = 0; month <= 13; month++) {
      for (let day = 0; day <= 32; day++) {
        const there = new Date(Date.UTC(2023, month - 1, day))
        const isThere =
          there.getUTCFullYear() === 2023 && there.getUTCMonth() === month - 1 && there.getUTCDate() === day
        assert.strictEqual(isReturn({ who: "donors", month, day }), isThere, `${month} ${day}`)
      }
    }
  })

  it("hold what the table of limits says, and nothing beyond it", () => {
    const isRegime = Schema.is(Regime.Regime)
    const notice = { usual: { day_of_next_month: 31 }, election_within_days: 3_660, expedited_within_hours: 24 * 3_660 }
    const [cap] = newScheme.caps
    const most = {
      ...newScheme,
      name: "x",
      action_within_weeks: 522,
      notice,
      caps: Array.from({ length: 10 }, () => cap),
      returns: Array.from({ length: 10 }, () => ({ who: "donors", month: 12, day: 31 }))
    }
    assert.isTrue(isRegime(most))
    assert.isTrue(isRegime({ ...most, notice: { ...notice, usual: { within_days: 3_660 } } }))
    for (const more of [
      { name: "" },
      { action_within_weeks: 523 },
      { action_within_weeks: 0 },
      { caps: [...most.caps, cap] },
      { returns: [...most.returns, ...most.returns.slice(0, 1)] },
      { notice: { ...notice, usual: { day_of_next_month: 32 } } },
      { notice: { ...notice, usual: { within_days: 3_661 } } },
      { notice: { ...notice, election_within_days: 3_661 } },
      { notice: { ...notice, expedited_within_hours: 24 * 3_660 + 1 } }
    ]) {
      assert.isFalse(isRegime({ ...most, ...more }), JSON.stringify(more))
    }
  })
})

describe("Australia's regimes", () => {
  it("are at most one for a jurisdiction and a day", () =>
    forEveryWith({ numRuns: 200, examples: edges.map((one): [CalendarDate] => [one]) }, day, (one) => {
      const found = australianRegimes.filter(
        (each) => each.status === "IN_FORCE" && each.jurisdiction === "AU" && Regime.periodOf(each, one) !== undefined
      )
      assert.isAtMost(found.length, 1)
      assert.strictEqual(Regime.regimeOn(australianRegimes, "AU", one), found[0])
      assert.strictEqual(found.length === 1, one >= "2025-07-01")
    }))

  it("have the contract's figures", () => {
    assert.deepInclude(federal("2025-07-01"), {
      threshold_cents: 1_730_000,
      comparison: "OVER",
      period_kind: "FINANCIAL_YEAR"
    })
    assert.deepInclude(newScheme, {
      effective_from: date("2027-01-01"),
      threshold_cents: 500_000,
      comparison: "OVER",
      period_kind: "CALENDAR_YEAR",
      caps: [
        { donor_kind: "ANY", cap_cents: 5_000_000 },
        { donor_kind: "PEAK_BODY", cap_cents: 20_000_000 }
      ],
      cap_period_kind: "CALENDAR_YEAR"
    })
  })

  it("no longer include Victoria's", () =>
    forEvery(day, (one) => Regime.regimeOn(australianRegimes, "AU-VIC", one) === undefined))

  it("are crossed beyond the threshold, or at it", () =>
    forEvery(fc.integer({ min: 2, max: 100 }), fc.integer({ min: -2, max: 2 }), (threshold_cents, offset) => {
      const total = threshold_cents + offset
      assert.strictEqual(Regime.crosses({ threshold_cents, comparison: "OVER" }, total), offset > 0)
      assert.strictEqual(Regime.crosses({ threshold_cents, comparison: "AT_LEAST" }, total), offset >= 0)
      for (const comparison of ["OVER", "AT_LEAST"] as const) {
        const least = Regime.leastCrossingCents({ threshold_cents, comparison })
        assert.strictEqual(Regime.crosses({ threshold_cents, comparison }, total), total >= least)
      }
    }))
})
