import { Schema } from "effect"

/** How many records a sweep dealt with, of all organisations. */
export const Swept = Schema.Struct({
  introductions_expired: Schema.Int,
  checkout_links_expired: Schema.Int,
  /** Endpoints that have failed for five days. */
  webhook_endpoints_disabled: Schema.Int,
  /** Answers to idempotency keys of more than a day ago. */
  idempotency_records_forgotten: Schema.Int,
  /** Deliveries that ended so long ago as is configured, with their attempts. */
  deliveries_trimmed: Schema.Int,
  /** Mails that were sent or given up thirty days ago. */
  mails_trimmed: Schema.Int,
  /** Organisations whose failed passphrase exchanges no longer count. */
  passphrase_failures_trimmed: Schema.Int,
  /** Donors whose search words were of an earlier version, and were made anew. */
  donors_reindexed: Schema.Int,
  /** Introductions and checkout links that are due and cannot be read: they are left as they are, and the log names them. */
  records_unreadable: Schema.Int
}).annotate({ identifier: "Swept" })
export type Swept = typeof Swept.Type

/** How often is swept, and for how long what has ended is kept. */
export interface SweepPlan {
  readonly interval_minutes: number
  /** How long deliveries are kept after their end. Events and the audit are kept for good. */
  readonly delivery_retention_days: number
}

/** The plan when nobody says otherwise. */
export const standardPlan: SweepPlan = { interval_minutes: 60, delivery_retention_days: 90 }

/** The counts of a sweep, on one line. */
export const lineOf = (swept: Swept): string =>
  Object.entries(swept)
    .map(([name, count]) => `${name}=${count}`)
    .join(" ")
