import { Schema } from "effect"

/** The numbers of records that a sweep handled, over all organisations. */
export const Swept = Schema.Struct({
  introductions_expired: Schema.Int,
  checkout_links_expired: Schema.Int,
  /** Endpoints that have failed for five days. */
  webhook_endpoints_disabled: Schema.Int,
  /** Organisations whose admins were reminded of duties to disclose. */
  organisations_reminded: Schema.Int,
  /** Donors whose summary of the last financial year was written. */
  yearly_summaries_written: Schema.Int,
  /** Idempotency records older than a day. */
  idempotency_records_forgotten: Schema.Int,
  /** Deliveries that ended longer ago than the configured time, with their attempts. */
  deliveries_trimmed: Schema.Int,
  /** Mails that ended more than thirty days ago. */
  mails_trimmed: Schema.Int,
  /** Notices of processors that came more than thirty days ago, and those of the test processor that it sent. */
  notices_trimmed: Schema.Int,
  /** Organisations whose failed passphrase exchanges no longer count. */
  passphrase_failures_trimmed: Schema.Int,
  /** Guards of cards under which nothing was tried for three days. */
  card_guards_trimmed: Schema.Int,
  /** Codes that were mailed more than an hour ago. */
  email_codes_trimmed: Schema.Int,
  /** Donors whose search words were made by an earlier version, and were made anew. */
  donors_reindexed: Schema.Int,
  /** Introductions and checkout links that are due and cannot be read: they are left as they are, and the log names them. */
  records_unreadable: Schema.Int
}).annotate({ identifier: "Swept" })
export type Swept = typeof Swept.Type

/** The interval of sweeps, and how long ended deliveries are kept. */
export interface SweepPlan {
  readonly interval_minutes: number
  /** How long a delivery is kept after its end. Events and the audit are kept for ever. */
  readonly delivery_retention_days: number
}

/** The plan unless another one is configured. */
export const standardPlan: SweepPlan = { interval_minutes: 60, delivery_retention_days: 90 }

/** The counts of a sweep, on one line. */
export const lineOf = (swept: Swept): string =>
  Object.entries(swept)
    .map(([name, count]) => `${name}=${count}`)
    .join(" ")
