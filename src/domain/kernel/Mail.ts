import { DateTime, Duration, Schema } from "effect"
import { MailId, OrganisationId, UserId } from "./Ids.ts"
import { addTime } from "./InstantRange.ts"
import { Limits } from "./Limits.ts"
import type { ListSpec } from "./Listing.ts"
import * as Rule from "./Rule.ts"
import { Instant } from "./Timestamp.ts"

/**
 * PENDING until it is sent; DROPPED when its occasion is gone, as after a revocation; FAILED when the receiver's
 * server refused it for good, or when days of trying did not help.
 */
export const Status = Schema.Literals(["PENDING", "SENT", "DROPPED", "FAILED"])
export type Status = typeof Status.Type

/** The texts that mails are made of when they are sent. */
export const Template = Schema.Literals([
  "introduction",
  "endpoint_disabled",
  "disclosure_duties",
  "receipt",
  "receipt_correction",
  "payment_summary",
  "payment_summary_correction",
  "card_code",
  "yearly_summary",
  "payment_processing",
  "payment_failed",
  "cards_closed"
])
export type Template = typeof Template.Type

/**
 * The mails that are sent one after the other: no lane waits for another. What its reader has *asked* for is sent within minutes
 * or never, what is *owed* to its reader has no budget, and what others wrote to somebody has. The summaries of a year are
 * owed, too: they come all at once, and no receipt waits for them. pages, section 2.
 */
export const Lane = Schema.Literals(["asked", "owed", "written", "yearly"])
export type Lane = typeof Lane.Type

const lanesOfTemplates: { readonly [T in Template]: Lane } = {
  introduction: "written",
  endpoint_disabled: "owed",
  disclosure_duties: "owed",
  receipt: "owed",
  receipt_correction: "owed",
  payment_summary: "owed",
  payment_summary_correction: "owed",
  card_code: "asked",
  yearly_summary: "yearly",
  payment_processing: "owed",
  payment_failed: "owed",
  cards_closed: "owed"
}

/** The templates of which a record has one mail, whoever writes it again. */
export const singleTemplates: ReadonlyArray<Template> = ["receipt", "payment_summary", "yearly_summary"]

/** The lane that a mail is sent in. */
export const laneOf = ({ template }: Pick<Mail, "template">): Lane => lanesOfTemplates[template]

/** Whether mails of a lane draw on budgets, and count toward them. */
export const hasBudgets = (lane: Lane): boolean => lane === "written"

/** The budgets that a mail draws on when its sending begins: its organisation's, and its address's over all organisations. */
export const Budget = Schema.Literals(["organisation_budget", "address_budget"])
export type Budget = typeof Budget.Type

/**
 * A mail that is to be sent. It refers to the record that it is about and holds nothing of it: address, text and links are
 * made when it is sent, so that no secret and no personal data rest here.
 */
export class Mail extends Schema.Opaque<Mail>()(
  Schema.Struct({
    id: MailId,
    organisation_id: OrganisationId,
    template: Template,
    /** The record that the mail is about. */
    subject_id: Schema.String,
    /** The user that it goes to; null where the record itself names the recipient. */
    recipient_id: Schema.NullOr(UserId),
    status: Status,
    /** Attempts that were begun. */
    attempt_count: Schema.Int,
    /** The budget that the mail waits for; null when it waits for none. */
    delayed_by: Schema.NullOr(Budget),
    /**
     * When the next attempt is due; during an attempt, when that counts as lost; while a budget delays the mail, when
     * the budget has room again, for this mail or for an earlier one. Null once the mail has ended.
     */
    next_attempt_at: Schema.NullOr(Instant),
    created_at: Instant,
    completed_at: Schema.NullOr(Instant)
  }).annotate({ identifier: "Mail" })
) {}

const nullableInstant = Schema.NullOr(Instant)

/**
 * A mail as operators see it. Any row can be shown as one, even a row that this version cannot read as a mail: its
 * status is `UNREADABLE`, and it is set aside.
 */
export const MailRecord = Schema.Struct({
  id: Schema.String,
  template: Schema.String,
  subject_id: Schema.String,
  recipient_id: Schema.NullOr(Schema.String),
  status: Schema.String,
  attempt_count: Schema.Int,
  delayed_by: Schema.NullOr(Schema.String),
  next_attempt_at: nullableInstant,
  created_at: nullableInstant,
  completed_at: nullableInstant
}).annotate({ identifier: "MailRecord" })
export type MailRecord = typeof MailRecord.Type

/** The list of mails. */
export const listing = {
  filters: {
    status: { kind: "enum", values: [...Status.literals, "UNREADABLE"], description: "How far the mail is" },
    delayed_by: { kind: "enum", values: Budget.literals, description: "The budget that the mail waits for" },
    created_at: { kind: "timestamp", description: "When the mail was made" }
  }
} as const satisfies ListSpec

/** Mails that are still to be sent. */
export const inFlight = Rule.rulesOf<Mail>().is("status", "PENDING")

/** How long an attempt may take before another worker makes the next one, seconds. */
export const leaseSeconds = 120

/** For how long a mail is tried, by its lane. */
const triedFor: { readonly [L in Lane]: Duration.Duration } = {
  asked: Duration.minutes(Limits.emailCodeMinutes),
  owed: Duration.hours(72),
  written: Duration.hours(72),
  yearly: Duration.hours(72)
}

/** How long a mail is kept after its end, days. */
export const keptDays = 30

const firstDelaySeconds = 60
const longestDelaySeconds = 6 * 3_600

/**
 * The wait after an attempt that failed: a minute, then twice as long each time, six hours at most.
 * @example
 * Duration.toSeconds(Mail.delayAfter(3)) // => 240
 * Duration.toHours(Mail.delayAfter(20)) // => 6
 */
export const delayAfter = (attempt_count: number): Duration.Duration =>
  Duration.seconds(Math.min(longestDelaySeconds, firstDelaySeconds * 2 ** Math.max(0, attempt_count - 1)))

/** A new mail, due at once. */
export const create = (
  given: Pick<Mail, "id" | "organisation_id" | "template" | "subject_id" | "recipient_id">,
  at: DateTime.Utc
): Mail => ({
  ...given,
  status: "PENDING",
  attempt_count: 0,
  delayed_by: null,
  next_attempt_at: at,
  created_at: at,
  completed_at: null
})

/** The mail when an attempt begins, which counts as lost at `lease_until`. */
export const beginAttempt = (mail: Mail, lease_until: DateTime.Utc): Mail => ({
  ...mail,
  attempt_count: mail.attempt_count + 1,
  delayed_by: null,
  next_attempt_at: lease_until
})

const budgetWindow = Duration.hours(Limits.mailBudgetHours)

const { liesAhead } = Rule.rulesOf<AttemptStart>()

/** How many mails a budget has room for within the window. */
export const budgetSizes: { readonly [B in Budget]: number } = {
  organisation_budget: Limits.mailsPerOrganisation,
  address_budget: Limits.mailsPerAddress
}

/** When the sending of a mail was last begun; null while it was not. */
export interface AttemptStart {
  readonly begun_at: DateTime.Utc | null
}

/** Mails that count toward budgets: those begun within the window. decisions, section 4: Mail budgets. */
export const budgetRule = liesAhead("begun_at", budgetWindow)

/**
 * When a budget that is used up has room again: when the mail begun at `begun` leaves the window. That mail is as many
 * places before the newest as the budget is large.
 * @example
 * DateTime.formatIso(Mail.roomAt(DateTime.makeUnsafe("2026-04-02T09:00:00Z"))) // => "2026-04-03T09:00:00.000Z"
 */
export const roomAt = (begun: DateTime.Utc): DateTime.Utc => addTime(begun, budgetWindow)

/** The mail when a budget has no room for it: its attempt was not begun, and it waits. */
export const delayMail = (mail: Mail, by: Budget, until: DateTime.Utc): Mail => ({
  ...mail,
  attempt_count: mail.attempt_count - 1,
  delayed_by: by,
  next_attempt_at: until
})

/**
 * How far ahead a pending mail's `next_attempt_at` can lie, seconds. One that lies further ahead was written before a clock
 * was set back.
 * @example
 * Mail.aheadAtMostSeconds(0, false) // => 0
 * Mail.aheadAtMostSeconds(2, false) // => 120
 */
export const aheadAtMostSeconds = (attempt_count: number, isLeased: boolean): number => {
  if (isLeased) return leaseSeconds
  return attempt_count === 0 ? 0 : Duration.toSeconds(delayAfter(attempt_count))
}

/** The mail after its end. */
export const endMail = (mail: Mail, status: Exclude<Status, "PENDING">, at: DateTime.Utc): Mail => ({
  ...mail,
  status,
  next_attempt_at: null,
  completed_at: at
})

const lastAt = (mail: Mail): DateTime.Utc => addTime(mail.created_at, triedFor[laneOf(mail)])

/** Whether a mail came too late: nobody waits any more for what they asked for. Others are sent whenever they can be. */
export const isLate = (mail: Mail, now: DateTime.Utc): boolean =>
  laneOf(mail) === "asked" && !DateTime.isLessThan(now, lastAt(mail))

/** The mail after an attempt that failed: tried again later, or given up. */
export const failAttempt = (mail: Mail, at: DateTime.Utc): Mail => {
  const next = addTime(at, delayAfter(mail.attempt_count))
  const last = lastAt(mail)
  return DateTime.isGreaterThan(next, last) ? endMail(mail, "FAILED", at) : { ...mail, next_attempt_at: next }
}
