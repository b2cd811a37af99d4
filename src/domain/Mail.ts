import { DateTime, Duration, Schema } from "effect"
import { MailId, OrganisationId, UserId } from "./Ids.ts"
import { Instant } from "./Timestamp.ts"

/**
 * PENDING until it is sent; DROPPED when there is nothing left to say, as after a revocation; FAILED when the receiver's
 * server refused it for good, or when days of trying did not help.
 */
export const Status = Schema.Literals(["PENDING", "SENT", "DROPPED", "FAILED"])
export type Status = typeof Status.Type

/** What a mail is made from when it is sent. */
export const Template = Schema.Literals(["introduction", "endpoint_disabled"])
export type Template = typeof Template.Type

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
    /** The user that it goes to; null where the record itself says to whom. */
    recipient_id: Schema.NullOr(UserId),
    status: Status,
    /** Attempts that were begun. */
    attempt_count: Schema.Int,
    /** When an attempt is due; while one is under way: when it counts as lost. Null once the mail has ended. */
    next_attempt_at: Schema.NullOr(Instant),
    created_at: Instant,
    completed_at: Schema.NullOr(Instant)
  }).annotate({ identifier: "Mail" })
) {}

/** How long an attempt may take before another worker makes the next one, seconds. */
export const leaseSeconds = 120

/** For how long a mail is tried, hours. */
export const giveUpAfterHours = 72

/** How long a mail is kept after its end, days. */
export const keptDays = 30

const firstDelaySeconds = 60
const longestDelaySeconds = 6 * 3_600

/** The wait after an attempt that failed: a minute, then twice as long each time, six hours at most. */
export const delayAfter = (attempt_count: number): Duration.Duration =>
  Duration.seconds(Math.min(longestDelaySeconds, firstDelaySeconds * 2 ** Math.min(20, Math.max(0, attempt_count - 1))))

/** A new mail, due at once. */
export const create = (
  given: Pick<Mail, "id" | "organisation_id" | "template" | "subject_id" | "recipient_id">,
  at: DateTime.Utc
): Mail => ({
  ...given,
  status: "PENDING",
  attempt_count: 0,
  next_attempt_at: at,
  created_at: at,
  completed_at: null
})

/** The mail as it is when an attempt begins that counts as lost at `lease_until`. */
export const attempted = (mail: Mail, lease_until: DateTime.Utc): Mail => ({
  ...mail,
  attempt_count: mail.attempt_count + 1,
  next_attempt_at: lease_until
})

/** The mail after its end. */
export const ended = (mail: Mail, status: Exclude<Status, "PENDING">, at: DateTime.Utc): Mail => ({
  ...mail,
  status,
  next_attempt_at: null,
  completed_at: at
})

/** The mail after an attempt that failed: tried again later, or given up. */
export const failed = (mail: Mail, at: DateTime.Utc): Mail => {
  const next = DateTime.addDuration(at, delayAfter(mail.attempt_count))
  const last = DateTime.addDuration(mail.created_at, Duration.hours(giveUpAfterHours))
  return DateTime.isGreaterThan(next, last) ? ended(mail, "FAILED", at) : { ...mail, next_attempt_at: next }
}
