import { CalendarDate } from "../kernel/CalendarDate.ts"
import { Regime } from "./Regime.ts"

const day = (text: string): CalendarDate => CalendarDate.make(text)

/** Australian financial years begin in July. */
const july = 7

const checked_on = day("2026-11-28")

/** The Commission's comparison of the schemes, its questions and answers, and its fact sheet. */
const pages = {
  comparison: "https://aec.gov.au/FADReform/changing-obligations.htm",
  answers: "https://www.aec.gov.au/FADReform/faqs.htm"
} as const

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
  caps: [],
  cap_period_kind: null,
  action_within_weeks: null,
  notice: null,
  returns: [
    { who: "parties, significant third parties, associated entities", month: 10, day: 20 },
    { who: "members of parliament, third parties, donors", month: 11, day: 17 }
  ],
  source_url: pages.comparison,
  checked_on
} as const

/**
 * The disclosure regimes of Australia that are shipped; others are added as data. A tool, not legal advice. law, sections 1
 * and 2.
 */
export const australianRegimes: ReadonlyArray<Regime> = [
  Regime.make({
    ...federalCurrent,
    key: "au-2025-26",
    effective_from: day("2025-07-01"),
    effective_to: day("2026-06-30"),
    source: "More than AUD 17,300 for 2025-26; returns of parties on 20 October, of others on 17 November",
    confidence: "PUBLISHED",
    review_by: day("2027-07-01")
  }),
  Regime.make({
    ...federalCurrent,
    key: "au-2026-07",
    effective_from: day("2026-07-01"),
    effective_to: day("2026-12-31"),
    source:
      "No figure was found for these months: that of 2025-26 is carried forward until the new scheme begins. Thresholds are indexed upwards, so it discloses no less than a published one would",
    confidence: "PROVISIONAL",
    review_by: day("2026-12-31")
  }),
  Regime.make({
    key: "au-2027",
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
    caps: [
      { donor_kind: "ANY", cap_cents: 5_000_000 },
      { donor_kind: "PEAK_BODY", cap_cents: 20_000_000 }
    ],
    cap_period_kind: "CALENDAR_YEAR",
    action_within_weeks: 6,
    notice: { usual: { day_of_next_month: 21 }, election_within_days: 7, expedited_within_hours: 24 },
    returns: [],
    source:
      "From 1 January 2027, by the Commission's questions and answers; its fact sheets of February 2026 still print 1 July 2026. More than AUD 5,000 in a calendar year, indexed each January after a general election. Whether an election cuts the cap's year was not found",
    source_url: pages.answers,
    confidence: "PARTLY",
    checked_on,
    review_by: day("2027-01-01")
  }),
  Regime.make({
    key: "au-vic-2025-26",
    jurisdiction: "AU-VIC",
    name: "Victoria: former scheme",
    effective_from: day("2025-07-01"),
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
    threshold_cents: 124_000,
    comparison: "AT_LEAST",
    caps: [{ donor_kind: "ANY", cap_cents: 497_000 }],
    cap_period_kind: "ELECTION_TERM",
    action_within_weeks: null,
    notice: { usual: { within_days: 21 }, election_within_days: null, expedited_within_hours: null },
    returns: [],
    source: "The figures of 2025-26 as a court report has them; invalidated on 15 April 2026",
    source_url: null,
    confidence: "REPORTED",
    checked_on,
    review_by: day("2027-07-01")
  })
]

/** A jurisdiction of Australia, and why no regime in force is shipped for it; null where one is. */
export interface Jurisdiction {
  readonly code: string
  readonly name: string
  readonly not_shipped: string | null
}

const unread = "Its law was not read for this version: bring its figures in REGIMES_FILE"

/** The nine jurisdictions of Australia: federal, six states, two territories. law, section 2. */
export const australianJurisdictions: ReadonlyArray<Jurisdiction> = [
  { code: "AU", name: "Australia, federal", not_shipped: null },
  { code: "AU-NSW", name: "New South Wales", not_shipped: unread },
  {
    code: "AU-VIC",
    name: "Victoria",
    not_shipped:
      "The former scheme was invalidated on 15 April 2026. An Act is reported in force and back-dated; its assent and its figures were not found: bring them in REGIMES_FILE"
  },
  { code: "AU-QLD", name: "Queensland", not_shipped: unread },
  { code: "AU-WA", name: "Western Australia", not_shipped: unread },
  { code: "AU-SA", name: "South Australia", not_shipped: unread },
  { code: "AU-TAS", name: "Tasmania", not_shipped: unread },
  { code: "AU-ACT", name: "Australian Capital Territory", not_shipped: unread },
  { code: "AU-NT", name: "Northern Territory", not_shipped: unread }
]
