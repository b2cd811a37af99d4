import { DateTime, Duration, Schema } from "effect"
import { CalendarDate } from "../kernel/CalendarDate.ts"
import { type ChargeId, IntegrationId, OrganisationId } from "../kernel/Ids.ts"
import { instantAt } from "../kernel/InstantRange.ts"
import { addDays } from "../kernel/Schedule.ts"
import { Instant, Moment } from "../kernel/Timestamp.ts"

// Reconciliation of charges and books with their processors. money, section 8.

/** How far an account was reconciled. */
export class Reconciliation extends Schema.Opaque<Reconciliation>()(
  Schema.Struct({
    organisation_id: OrganisationId,
    integration_id: IntegrationId,
    /** The processor's charges that were made until then were looked at; null before the first time. */
    listed_until: Schema.NullOr(Instant),
    /** When charges that had been silent were looked for last. */
    silent_at: Schema.NullOr(Instant),
    /** Where the processor's next notices begin, as it said. */
    notices_cursor: Schema.NullOr(Schema.String),
    /** The last day, in UTC, on which its statement was compared with the books. */
    compared_until: Schema.NullOr(CalendarDate),
    /** When all of it was done last. */
    reconciled_at: Schema.NullOr(Instant)
  }).annotate({ identifier: "Reconciliation" })
) {}

/** An account that was never reconciled. */
export const never = (organisation_id: OrganisationId, integration_id: IntegrationId): Reconciliation => ({
  organisation_id,
  integration_id,
  listed_until: null,
  silent_at: null,
  notices_cursor: null,
  compared_until: null,
  reconciled_at: null
})

/** The request for a reconciliation. */
export const ReconciliationRequest = Schema.Struct({
  since: Schema.optionalKey(Schema.NullOr(Moment))
}).annotate({
  identifier: "ReconciliationAsked",
  meanings: {
    since:
      "Look again at everything since then: RFC 3339, or a date in UTC. What was not looked at yet, and the week before, when not given."
  }
})
export type ReconciliationRequest = typeof ReconciliationRequest.Type

/** Counts of a reconciliation: compared, repaired and left, over all organisations. */
export const ReconciliationReport = Schema.Struct({
  /** Accounts that were reconciled. */
  accounts: Schema.Int,
  /** Accounts that another reconciliation has now. */
  accounts_busy: Schema.Int,
  /** Accounts whose processor was not reached to the end: the next reconciliation goes on there. */
  accounts_unreached: Schema.Int,
  /** Charges that the processors listed. */
  charges_listed: Schema.Int,
  /** Charges that were made to agree with their processors. */
  charges_looked_at: Schema.Int,
  /** Those of them on which something changed. */
  charges_repaired: Schema.Int,
  /** Notices of the processors that had not arrived, and were applied. */
  notices_applied: Schema.Int,
  /** Lines of the processors' statements that were read. */
  movements_read: Schema.Int,
  /** Days whose statements were compared with the books. */
  days_compared: Schema.Int,
  /** Exceptions that a person must look at now. */
  exceptions_raised: Schema.Int
}).annotate({ identifier: "Reconciled" })
export type ReconciliationReport = typeof ReconciliationReport.Type

/** Nothing yet. */
export const emptyReport: ReconciliationReport = {
  accounts: 0,
  accounts_busy: 0,
  accounts_unreached: 0,
  charges_listed: 0,
  charges_looked_at: 0,
  charges_repaired: 0,
  notices_applied: 0,
  movements_read: 0,
  days_compared: 0,
  exceptions_raised: 0
}

/**
 * The counts of a reconciliation, on one line.
 * @example
 * Reconciliation.lineOf({ ...Reconciliation.emptyReport, accounts: 2 }).startsWith("accounts=2 accounts_busy=0") // => true
 */
export const lineOf = (reconciled: ReconciliationReport): string =>
  Object.entries(reconciled)
    .map(([name, count]) => `${name}=${count}`)
    .join(" ")

/** Charges that may have been made during a comparison are compared again. money, section 8. */
export const overlap = Duration.days(1)

/** Charges that are silent are looked for once a day. */
export const silentEvery = Duration.days(1)

/**
 * The day of an instant in UTC, by which processors make their statements.
 * @example Reconciliation.dayIn(DateTime.makeUnsafe("2026-04-02T23:30:00-01:00")) // => "2026-04-03"
 */
export const dayIn = (at: DateTime.Utc): CalendarDate => CalendarDate.make(DateTime.formatIsoDateUtc(at))

/**
 * The first instant of a day in UTC.
 * @example
 * const day = CalendarDate.CalendarDate.make("2026-04-02")
 * Reconciliation.beginOf(day) // => DateTime.makeUnsafe("2026-04-02T00:00:00Z")
 */
export const beginOf = (day: CalendarDate): DateTime.Utc => instantAt(`${day}T00:00:00Z`)

/**
 * The day after.
 * @example Reconciliation.dayAfter(CalendarDate.CalendarDate.make("2024-02-28")) // => "2024-02-29"
 */
export const dayAfter = (day: CalendarDate): CalendarDate => addDays(day, 1)

/** Movements of a charge by the processor's statement: minor units, what came is positive. */
export interface StatementSums {
  readonly taken_cents: number
  readonly refunded_cents: number
  readonly disputed_cents: number
  /** Sent on to other accounts, and not taken back. */
  readonly transferred_cents: number
  readonly other_cents: number
  readonly fee_cents: number
  /** Lines in another currency than the charge's. */
  readonly foreign: number
}

/** The same by the books. */
export interface BookSums {
  readonly taken_cents: number
  readonly refunded_cents: number
  /** Refunds under way: the processor may have moved them already. */
  readonly refunding_cents: number
  readonly disputed_cents: number
  /** Sent on to other accounts by the processor, and not taken back. */
  readonly transferred_cents: number
  /** Transfers under way: the processor may have made them already. */
  readonly transferring_cents: number
  /** Reversals under way: the processor may have taken them back already. */
  readonly reversing_cents: number
  readonly fee_cents: number
}

/** A charge by its processor's statement and by the books. */
export interface Position {
  /** The processor's identifier of the charge. */
  readonly reference: string
  /** Null where this account has no such charge here. */
  readonly charge_id: ChargeId | null
  readonly theirs: StatementSums
  readonly booked: BookSums
}

/** How much of a difference there is, and which, in words. */
export interface Difference {
  readonly reason: string
  readonly amount_cents: number
}

/** A sum of a statement as the books have it, where what is under way explains the difference. */
const settledOf = (theirs: number, booked: number, under: { readonly more: number; readonly less: number }): number =>
  theirs >= booked - under.less && theirs <= booked + under.more ? booked : theirs

/**
 * How a statement differs from the books about a charge; null where it does not. It is compared over the whole
 * life of the charge: on which side of midnight somebody heard of it does not matter.
 */
export const differenceOf = ({ booked, reference, theirs }: Position): Difference | null => {
  // What is under way may stand in either.
  const refunded = settledOf(theirs.refunded_cents, booked.refunded_cents, { more: booked.refunding_cents, less: 0 })
  const transferred = settledOf(theirs.transferred_cents, booked.transferred_cents, {
    more: booked.transferring_cents,
    less: booked.reversing_cents
  })
  const compared = [
    ["taken", theirs.taken_cents, booked.taken_cents],
    ["refunded", refunded, booked.refunded_cents],
    ["disputed", theirs.disputed_cents, booked.disputed_cents],
    ["transferred", transferred, booked.transferred_cents],
    ["fees of", theirs.fee_cents, booked.fee_cents],
    ["otherwise moved", theirs.other_cents, 0]
  ] as const
  const differing = compared.filter(([, here, there]) => here !== there)
  const found = [
    ...differing.map(([what, here, there]) => `${what} ${here}, and the books ${there}`),
    ...(theirs.foreign === 0 ? [] : [`${theirs.foreign} lines in another currency`])
  ]
  if (found.length === 0) return null
  return {
    reason: `Of the charge ${reference} the processor's statement has ${found.join("; ")}.`,
    amount_cents: differing.reduce((sum, [, here, there]) => sum + Math.abs(here - there), 0)
  }
}
