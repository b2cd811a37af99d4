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

/** Laws whose terms end within a year, with days between two of them. */
const ofTerms = australianRegimes
  .filter(({ cap_period_kind }) => cap_period_kind === "ELECTION_TERM")
  .map((each) => {
    const later = { label: "2027-2030", starts_on: date("2027-02-01"), ends_on: date("2030-11-30") }
    return { ...each, effective_to: null, terms: [later, ...each.terms] }
  })

describe("caps", () => {
  it("hold on each day of their own period, whatever the period of the threshold is", () =>
    forEveryWith(
      { numRuns: 400 },
      fc.constantFrom(...australianRegimes, ...ofTerms, ...ofTerms),
      day,
      fc.constantFrom<Regime.DonorKind>("ANY", "PEAK_BODY"),
      (each, one, kind) => {
        const period = Regime.periodOf(each, one)
        if (period === undefined) return
        const own = each.cap_period_kind === null ? undefined : Regime.periodOf(each, one, each.cap_period_kind)
        const has = (wanted: Regime.DonorKind) => each.caps.find(({ donor_kind }) => donor_kind === wanted)
        const cap = has(kind) ?? has("ANY")
        const caps = Regime.capsOf({ regime: each, period }, kind)
        const expected = own === undefined || cap === undefined ? undefined : { cap_cents: cap.cap_cents, within: own }
        assert.deepStrictEqual(Regime.capOn(caps, one), expected)
        for (const [index, { within }] of caps.entries()) {
          assert.isTrue(within.starts_on <= period.ends_on && period.starts_on <= within.ends_on)
          assert.isTrue(index === 0 || String(caps[index - 1]?.within.ends_on) < within.starts_on)
        }
      }
    ))
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
    }))
})
