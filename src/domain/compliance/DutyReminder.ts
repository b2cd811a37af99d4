import type { DateTime } from "effect"
import { type CalendarDate, dayOf, startOfDay } from "../kernel/CalendarDate.ts"
import type { DonorId } from "../kernel/Ids.ts"
import { subtractTime } from "../kernel/InstantRange.ts"
import { Limits } from "../kernel/Limits.ts"
import { type MailContent, onOneLine } from "../kernel/MailContent.ts"
import { addDays, daysBetween } from "../kernel/Schedule.ts"
import { compareCodePoints } from "../kernel/Text.ts"
import type { Disclosure } from "./Disclosure.ts"
import { type DutyKind, isOpen } from "./Duty.ts"

/** A duty that the admins are reminded of, by the calendar of their organisation. */
export interface DutyReminder {
  readonly donor_id: DonorId
  readonly jurisdiction: string
  readonly period: string
  readonly kind: DutyKind
  readonly due_on: CalendarDate
}

/** The last instant at which a duty is due that is reminded of on a day. */
export const remindedUntil = (today: CalendarDate, timezone: string): DateTime.Utc =>
  startOfDay(addDays(today, Math.max(...Limits.dutyReminderDays) + 1), timezone)

const isRemindedOn = (due_on: CalendarDate, today: CalendarDate): boolean => {
  const left = Math.max(0, daysBetween(today, due_on))
  return Limits.dutyReminderDays.some((days) => days === left)
}

/** The open duties of a disclosure that are reminded of on a day: some days before they are due, and daily when late. law, section 5. */
export const remindersOf = (
  { donor_id, duties, jurisdiction, period }: Disclosure,
  today: CalendarDate,
  timezone: string
): ReadonlyArray<DutyReminder> =>
  duties.flatMap((duty) => {
    if (!isOpen(duty) || duty.due_at === null) return []
    // What is due at midnight is due by the end of the day before.
    const due_on = dayOf(subtractTime(duty.due_at, { milliseconds: 1 }), timezone)
    return isRemindedOn(due_on, today) ? [{ donor_id, jurisdiction, period, kind: duty.kind, due_on }] : []
  })

/** What the mail about duties tells. */
export interface DutyReminderMail {
  readonly organisation_name: string
  readonly today: CalendarDate
  /** The first to be due of them, with their donors' names. */
  readonly listed: ReadonlyArray<DutyReminder & { readonly donor_name: string }>
  /** How many there are in all. */
  readonly count: number
}

/** Reminders in the order of their urgency. */
export const byDueDay = (a: DutyReminder, b: DutyReminder): number => compareCodePoints(a.due_on, b.due_on)

const kinds: { readonly [K in DutyKind]: string } = {
  NOTICE: "give notice of a gift",
  AMENDMENT: "lodge an amendment",
  ACTION: "act on a gift over the cap",
  RETURN: "lodge a return"
}

/** The mail that reminds an organisation's admins of duties. A tool, not legal advice. law, section 5. */
export const dutyReminderMail = ({ count, listed, organisation_name, today }: DutyReminderMail): MailContent => {
  const organisation = onOneLine(organisation_name)
  const duties = count === 1 ? "1 duty" : `${count} duties`
  const lines = listed.map(({ donor_name, due_on, jurisdiction, kind, period }) => {
    const due = due_on < today ? `was due on ${due_on}` : `is due on ${due_on}`
    return `${onOneLine(donor_name)}, ${jurisdiction} ${period}: ${kinds[kind]}; it ${due}.`
  })
  const more = count > listed.length ? [`There are ${count - listed.length} more.`] : []
  return {
    language: "en-AU",
    subject: `${duties} to disclose gifts to ${organisation}`,
    parts: [
      `By its records, ${organisation} has ${duties} that ${count === 1 ? "is" : "are"} late, or due soon:`,
      ...lines,
      ...more,
      "Lodge them with the authority, and say so: almoner disclosure lodge. This is a tool, not legal advice."
    ]
  }
}
