import { type DateTime, Duration, Order, Schema } from "effect"
import { CalendarDate } from "../kernel/CalendarDate.ts"
import { DonationId, DonorId } from "../kernel/Ids.ts"
import { addTime } from "../kernel/InstantRange.ts"
import { Cents } from "../kernel/Money.ts"
import { addDays, addMonths, endOfDay, monthOf, yearOf } from "../kernel/Schedule.ts"
import { Instant } from "../kernel/Timestamp.ts"
import { firstOf, type Regime, type ReturnDue } from "./Regime.ts"

/** The kinds of duties: to give notice, to amend what was lodged, to act on a gift over the cap, to lodge a return. law, section 4. */
export const DutyKind = Schema.Literals(["NOTICE", "AMENDMENT", "ACTION", "RETURN"]).annotate({
  identifier: "DutyKind"
})
export type DutyKind = typeof DutyKind.Type

/** How duties end: lodged, acted on, without a cause any more, or carried to another donor's disclosure. law, section 4. */
export const DutyEnd = Schema.Literals(["LODGED", "ACTED", "NOT_NEEDED", "MOVED"]).annotate({ identifier: "DutyEnd" })
export type DutyEnd = typeof DutyEnd.Type

/** Something that a disclosure asks its recipient to do by an instant. law, section 4. */
export const Duty = Schema.Struct({
  number: Schema.Int,
  kind: DutyKind,
  donation_id: Schema.NullOr(DonationId),
  due_at: Schema.NullOr(Instant),
  opened_at: Instant,
  closed_at: Schema.NullOr(Instant),
  end: Schema.NullOr(DutyEnd),
  lodged_on: Schema.NullOr(CalendarDate),
  reference: Schema.NullOr(Schema.String),
  note: Schema.NullOr(Schema.String)
}).annotate({
  identifier: "DisclosureDuty",
  meanings: {
    number: "Its number within the disclosure, from 1.",
    kind: "Give NOTICE of a gift, lodge an AMENDMENT of what was lodged, take ACTION on a gift over the cap, lodge a RETURN.",
    donation_id: "The gift that caused it; null for a return.",
    due_at: "The last instant in time; null where no term is known.",
    opened_at: "When it was first known.",
    closed_at: "When it ended; null while it is open.",
    end: "How it ended: LODGED, ACTED on, NOT_NEEDED any more, or MOVED to the disclosure of another donor.",
    lodged_on: "The day on which it was lodged, as staff say.",
    reference: "The authority's reference of the lodgement.",
    note: "What staff say that they did."
  }
})
export type Duty = typeof Duty.Type

/** A gift as the authority was last told of it. */
export const LodgedGift = Schema.Struct({
  donation_id: DonationId,
  donor_id: DonorId,
  donation_day: CalendarDate,
  cents: Cents
})
export type LodgedGift = typeof LodgedGift.Type

/** Whether a duty is open. */
export const isOpen = ({ closed_at }: Duty): boolean => closed_at === null

/** Whether a duty was fulfilled: lodged, or acted on. */
export const isFulfilled = ({ end }: Duty): boolean => end === "LODGED" || end === "ACTED"

const earliest = Order.min<DateTime.Utc>(Order.mapInput(Order.Number, ({ epochMilliseconds }) => epochMilliseconds))

/** The earlier of two instants, of which null is none. */
export const earlierOf = (a: DateTime.Utc | null, b: DateTime.Utc | null): DateTime.Utc | null =>
  a === null ? b : b === null ? a : earliest(a, b)

/** The earliest instant at which an open duty is due; null where none is. */
export const dueAtOf = (duties: ReadonlyArray<Duty>): DateTime.Utc | null =>
  duties.filter(isOpen).reduce<DateTime.Utc | null>((due, duty) => earlierOf(due, duty.due_at), null)

/** The time zone of the authorities, who are in Canberra. */
const authorityTimezone = "Australia/Sydney"

/** The last moment of a day: the earlier of the organisation's and Canberra's. law, section 4. */
export const lastMomentOf = (day: CalendarDate, timezone: string): DateTime.Utc =>
  earliest(endOfDay(day, timezone), endOfDay(day, authorityTimezone))

/** Where a day lies: outside of an election, between writ and polling day, or in the expedited part. law, section 1. */
export type ElectionPhase = "NONE" | "ELECTION" | "EXPEDITED"

/** A gift's day and instant, the phase of elections on that day, and the recipient's time zone. */
export interface Occasion {
  readonly day: CalendarDate
  readonly at: DateTime.Utc
  readonly phase: ElectionPhase
  readonly timezone: string
}

/** Counted from January, which has every day that may be named: a shorter month has its last one. */
const usualDay = ({ usual }: NonNullable<Regime["notice"]>, day: CalendarDate): CalendarDate =>
  "within_days" in usual
    ? addDays(day, usual.within_days)
    : addMonths(addDays(firstOf(yearOf(day), 1), usual.day_of_next_month - 1), monthOf(day))

/**
 * The last instant for the notice of a gift, by the rule in force on the gift's day: usually, between writ and polling day
 * within days, in the expedited part within hours of the gift itself. Calendar days, with no extension for weekends. Null
 * where the law asks for no notice. law, sections 1 and 4.
 */
export const noticeDueAt = ({ notice }: Pick<Regime, "notice">, occasion: Occasion): DateTime.Utc | null => {
  if (notice === null) return null
  const { at, day, phase, timezone } = occasion
  const usual = lastMomentOf(usualDay(notice, day), timezone)
  const { election_within_days: days, expedited_within_hours: hours } = notice
  if (phase === "EXPEDITED" && hours !== null) return earliest(usual, addTime(at, Duration.hours(hours)))
  return phase === "NONE" || days === null ? usual : earliest(usual, lastMomentOf(addDays(day, days), timezone))
}

/** The last instant for acceptable action on a gift over the cap; null where no term is known. law, section 1. */
export const actionDueAt = (
  { action_within_weeks: weeks }: Pick<Regime, "action_within_weeks">,
  { day, timezone }: Pick<Occasion, "day" | "timezone">
): DateTime.Utc | null => (weeks === null ? null : lastMomentOf(addDays(day, 7 * weeks), timezone))

const nextOf = ({ day, month }: ReturnDue, after: CalendarDate): CalendarDate => {
  const inYear = (year: number) => addDays(firstOf(year, month), day - 1)
  const year = yearOf(after)
  return inYear(year) > after ? inYear(year) : inYear(year + 1)
}

/** The last instant for a return of a period that ended on a day: by the first of the dates that the law names. law, section 1. */
export const returnDueAt = (
  { returns }: Pick<Regime, "returns">,
  ends_on: CalendarDate,
  timezone: string
): DateTime.Utc | null =>
  returns.reduce<DateTime.Utc | null>(
    (due, each) => earlierOf(due, lastMomentOf(nextOf(each, ends_on), timezone)),
    null
  )
