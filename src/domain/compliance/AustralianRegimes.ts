import { CalendarDate } from "../kernel/CalendarDate.ts"
import { Regime } from "./Regime.ts"

const day = (text: string): CalendarDate => CalendarDate.make(text)

/** Australian financial years begin in July. */
const july = 7

const federalCurrent = {
  jurisdiction: "AU",
  name: "Australia, federal: current scheme",
  status: "IN_FORCE",
  status_decided_on: null,
  period_kind: "FINANCIAL_YEAR",
  financial_year_month: july,
  terms: [],
  currency: "AUD",
  threshold_cents: 1_730_000,
  comparison: "OVER",
  cap_cents: null,
  cap_period_kind: null,
  notice: null
} as const

/**
 * The disclosure regimes of Australia that are shipped; others are added as data. A tool, not legal advice. decisions,
 * section 11.
 */
export const australianRegimes: ReadonlyArray<Regime> = [
  Regime.make({
    ...federalCurrent,
    effective_from: day("2025-07-01"),
    effective_to: day("2026-06-30"),
    source: "decisions, section 11: more than AUD 17,300 for 2025-26"
  }),
  Regime.make({
    ...federalCurrent,
    effective_from: day("2026-07-01"),
    effective_to: day("2026-12-31"),
    source:
      "The figure of 2025-26 carried forward until the new scheme begins: thresholds are indexed upwards, so it discloses no less than the published one"
  }),
  Regime.make({
    jurisdiction: "AU",
    name: "Australia, federal: new scheme",
    effective_from: day("2027-01-01"),
    effective_to: null,
    status: "IN_FORCE",
    status_decided_on: null,
    period_kind: "CALENDAR_YEAR",
    financial_year_month: july,
    terms: [],
    currency: "AUD",
    threshold_cents: 500_000,
    comparison: "OVER",
    cap_cents: 5_000_000,
    cap_period_kind: "CALENDAR_YEAR",
    notice: { usual: { day_of_next_month: 21 }, election_within_days: 7, expedited_within_hours: 24 },
    source: "decisions, section 11: new scheme from 1 January 2027"
  }),
  Regime.make({
    jurisdiction: "AU-VIC",
    name: "Victoria: former scheme",
    effective_from: day("2018-11-25"),
    effective_to: day("2026-04-14"),
    status: "INVALIDATED",
    status_decided_on: day("2026-04-15"),
    period_kind: "FINANCIAL_YEAR",
    financial_year_month: july,
    terms: [
      { label: "2018-2022", starts_on: day("2018-11-25"), ends_on: day("2022-11-26") },
      { label: "2022-2026", starts_on: day("2022-11-27"), ends_on: day("2026-11-28") }
    ],
    currency: "AUD",
    threshold_cents: 100_000,
    comparison: "AT_LEAST",
    cap_cents: 400_000,
    cap_period_kind: "ELECTION_TERM",
    notice: { usual: { within_days: 21 }, election_within_days: null, expedited_within_hours: null },
    source: "Electoral Act 2002 (Vic), Part 12, before indexation; decisions, section 11: invalidated on 15 April 2026"
  })
]
