import { type DateTime, Option, Schema } from "effect"
import type { Organisation } from "../access/Organisation.ts"
import { financialYearOf, type Period } from "../compliance/Regime.ts"
import { Donation, receiptedRule, undeletedRule } from "../giving/Donation.ts"
import type { Donor } from "../giving/Donor.ts"
import { CalendarDate, dayOf } from "../kernel/CalendarDate.ts"
import { DonorId, OrganisationId } from "../kernel/Ids.ts"
import { Limits } from "../kernel/Limits.ts"
import { Cents } from "../kernel/Money.ts"
import * as Rule from "../kernel/Rule.ts"
import { addDays, addMonths } from "../kernel/Schedule.ts"
import { Instant } from "../kernel/Timestamp.ts"

/** The first month of a financial year: July. */
const firstMonth = 7

/**
 * The financial year that a day lies in.
 * @example YearlySummary.yearOf(CalendarDate.CalendarDate.make("2026-06-30")).label // => "2025-26"
 */
export const yearOf = (day: CalendarDate): Period => financialYearOf(day, firstMonth)

/**
 * The financial year of a name; none where it names none.
 * @example
 * Option.map(YearlySummary.yearNamed("2025-26"), ({ ends_on }) => ends_on) // => Option.some("2026-06-30")
 * YearlySummary.yearNamed("2025-27") // => Option.none()
 */
export const yearNamed = (label: string): Option.Option<Period> => {
  // The last year of the calendar does not end in it.
  if (!/^[1-9]\d{3}-\d\d$/.test(label) || label.startsWith("9999")) return Option.none()
  const year = yearOf(CalendarDate.make(`${label.slice(0, 4)}-07-01`))
  return year.label === label ? Option.some(year) : Option.none()
}

/** The first and the last day of a year. */
export type YearDays = Pick<Period, "starts_on" | "ends_on">

/** How far an organisation's summaries of a financial year are: donors get theirs in the order of their ids. pages, section 2. */
export class YearlySummary extends Schema.Opaque<YearlySummary>()(
  Schema.Struct({
    organisation_id: OrganisationId,
    /** The last day of the year. */
    ends_on: CalendarDate,
    /** The last donor who was looked at; empty before the first. */
    after_donor_id: Schema.String,
    /** Donors whose mail was written. */
    mail_count: Schema.Int,
    begun_at: Instant,
    /** When the last donor was looked at; null until then. */
    completed_at: Schema.NullOr(Instant)
  }).annotate({ identifier: "StoredYearlySummary" })
) {}

/** The name of a financial year from 1 July to 30 June, such as `2025-26`. */
export const YearLabel = Schema.String.check(
  Schema.makeFilter((label) => Option.isSome(yearNamed(label)), {
    expected: "a financial year from 1 July to 30 June, such as 2025-26",
    arbitraryConstraint: { patterns: [{ source: "^20(?:24-25|25-26|26-27)$", flags: "" }] }
  })
)

/** The summaries of a year as staff see them. */
export const YearlySummaryRecord = Schema.Struct({
  year: Schema.String,
  starts_on: CalendarDate,
  ends_on: CalendarDate,
  mail_count: Schema.Int,
  begun_at: Instant,
  completed_at: Schema.NullOr(Instant)
}).annotate({
  identifier: "YearlySummary",
  meanings: {
    year: "Name of the financial year, such as 2025-26.",
    starts_on: "Its first day, 1 July.",
    ends_on: "Its last day, 30 June.",
    mail_count: "Donors whose summary was written. None is where receipts were switched off, or before this was there.",
    begun_at: "When the first was written.",
    completed_at: "When all were; `null` until then."
  }
})
export type YearlySummaryRecord = typeof YearlySummaryRecord.Type

/** The last financial year that was over on a day. */
export const lastYearBefore = (today: CalendarDate): Period => yearOf(addMonths(today, -12))

/**
 * The last year whose summaries are due on a day: some days after it has ended, when the gifts that were on their way are there.
 * @example
 * YearlySummary.yearDueOn(CalendarDate.CalendarDate.make("2026-07-07")).label // => "2024-25"
 * YearlySummary.yearDueOn(CalendarDate.CalendarDate.make("2026-07-08")).label // => "2025-26"
 */
export const yearDueOn = (today: CalendarDate): Period => lastYearBefore(addDays(today, -Limits.summaryWaitDays))

/** The summaries of the year that is due by an organisation's calendar, none of them written. */
export const beginSummary = (
  { id, timezone }: Pick<Organisation, "id" | "timezone">,
  at: DateTime.Utc
): YearlySummary => ({
  organisation_id: id,
  ends_on: yearDueOn(dayOf(at, timezone)).ends_on,
  after_donor_id: "",
  mail_count: 0,
  begun_at: at,
  completed_at: null
})

/** The donors of a step: whom mails are owed to, and the last that was looked at; null where none is left after them. */
export interface SummaryStep {
  readonly donors: ReadonlyArray<DonorId>
  readonly last: DonorId | null
}

/** The summaries after a step. */
export const advanceSummary = (
  summary: YearlySummary,
  { donors, last }: SummaryStep,
  at: DateTime.Utc
): YearlySummary => ({
  ...summary,
  after_donor_id: last ?? summary.after_donor_id,
  mail_count: summary.mail_count + donors.length,
  completed_at: last === null ? at : null
})

/** The summaries as staff see them. */
export const summaryRecord = ({ begun_at, completed_at, ends_on, mail_count }: YearlySummary): YearlySummaryRecord => {
  const { label, starts_on } = yearOf(ends_on)
  return { year: label, starts_on, ends_on, mail_count, begun_at, completed_at }
}

/** Gifts that a summary lists: those that receipts were owed for and whose money came, also where it was given back. */
export const summarisedRule = Rule.rulesOf<Donation>().every(
  receiptedRule,
  undeletedRule,
  Rule.rulesOf<Donation>().is("status", "CONFIRMED", "REFUNDED")
)

/** Donors who get a summary without being asked: those with an address who did not ask to be left alone. */
export const readerRule = Rule.rulesOf<Donor>().every(
  Rule.rulesOf<Donor>().has("email"),
  Rule.rulesOf<Donor>().lacks("archived_at"),
  Rule.rulesOf<Donor>().is("do_not_contact", false)
)

const { amount_cents, currency, donation_day, id, refunded_amount_cents } = Donation.fields

/** A gift as a summary lists it. */
export const SummarisedGift = Schema.Struct({ id, donation_day, amount_cents, refunded_amount_cents, currency })
export type SummarisedGift = typeof SummarisedGift.Type

/** All gifts of a donor and a year in one currency. */
export const GiftSum = Schema.Struct({
  currency,
  gift_count: Schema.Int,
  amount_cents: Cents,
  refunded_amount_cents: Cents
})
export type GiftSum = typeof GiftSum.Type

/** What the mail of a summary is about. */
export interface SummarySubject {
  readonly donor_id: DonorId
  readonly year: Period
  /** The day on which it was asked for again; null for the one that is owed. */
  readonly again_on: CalendarDate | null
}

/** The subject of a summary's mail, in words: of equal ones there is one mail. */
export const subjectText = ({ again_on, donor_id, year }: SummarySubject): string =>
  [donor_id, year.label, ...(again_on === null ? [] : [again_on])].join(" ")

const asDonor = Schema.decodeUnknownOption(DonorId)
const asDay = Schema.decodeUnknownOption(CalendarDate)

/**
 * Reads {@link subjectText}.
 * @example YearlySummary.readSubject("a donor") // => Option.none()
 */
export const readSubject = (text: string): Option.Option<SummarySubject> => {
  const [donor = "", label = "", day] = text.split(" ")
  return Option.all({
    donor_id: asDonor(donor),
    year: yearNamed(label),
    again_on: day === undefined ? Option.some(null) : asDay(day)
  })
}
