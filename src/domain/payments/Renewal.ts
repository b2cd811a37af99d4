import { DateTime, Order, Result } from "effect"
import * as Donation from "../giving/Donation.ts"
import { type CalendarDate, dayOf } from "../kernel/CalendarDate.ts"
import type { DonationId } from "../kernel/Ids.ts"
import { addTime } from "../kernel/InstantRange.ts"
import { Limits } from "../kernel/Limits.ts"
import { birth, decide, type Refusal } from "../kernel/Machine.ts"
import { addDays, dueAt } from "../kernel/Schedule.ts"
import type { Charge } from "./Charge.ts"
import type { Invoice } from "./Invoice.ts"
import { nextChargeOn, type Subscription } from "./Subscription.ts"

/** The gift of a charge that pays an invoice: it is written when the charge ends. money, section 7. */
export interface Renewal {
  /** The gift, as if it were under way. */
  readonly draft: Donation.Donation
  /** Whether a failure is the invoice's first one, of which is told; that of a later attempt is not. */
  readonly isFirstFailure: boolean
}

/** A gift that was written, with its events. */
export interface WrittenGift {
  readonly state: Donation.Donation
  readonly events: ReadonlyArray<Donation.DonationEmission>
}

/** When a charge that pays an invoice ended. */
interface Ended {
  readonly at: DateTime.Utc
  /** Its day in the organisation's timezone. */
  readonly today: CalendarDate
}

/** The gift of a charge that pays an invoice: dated by the charge's start, with what the subscription keeps. */
export const renewalGiftOf = (
  subscription: Subscription,
  charge: Charge,
  { id, timezone }: { readonly id: DonationId; readonly timezone: string }
): Donation.Donation =>
  Donation.bare({
    id,
    organisation_id: subscription.organisation_id,
    donor_id: subscription.donor_id,
    source: "PAYMENT_PROCESSOR",
    status: "PENDING",
    amount_cents: charge.amount_cents,
    currency: charge.currency,
    donation_date: charge.created_at,
    donation_day: dayOf(charge.created_at, timezone),
    payment_method: charge.method,
    revenue_code: subscription.revenue_code,
    revenue_code_id: subscription.revenue_code_id,
    subscription_id: subscription.id,
    is_recurring: true,
    donation_form_id: subscription.donation_form_id,
    campaign_id: subscription.campaign_id,
    consent_given: subscription.consent_given,
    consent_responses: subscription.consent_responses,
    language: subscription.language,
    charge_id: charge.id,
    created_at: charge.created_at,
    updated_at: charge.created_at
  })

/** The gift of a charge that has succeeded: CONFIRMED, with `donation.created` and `donation.succeeded`. */
export const paidGift = ({ draft }: Renewal, { at, today }: Ended): WrittenGift =>
  birth(
    Donation.machine,
    Donation.births.written,
    (status): Donation.Donation => ({
      ...draft,
      status,
      received_date: at,
      received_day: today,
      created_at: at,
      updated_at: at
    })
  )

/** The gift of a charge that has failed: PENDING and FAILED at once, with `donation.created` and `donation.failed`. */
export const failedGift = (
  { draft }: Renewal,
  { at, failure_code }: { readonly at: DateTime.Utc; readonly failure_code: string }
): Result.Result<WrittenGift, Refusal> => {
  const born = birth(
    Donation.machine,
    Donation.births.submitted,
    (status): Donation.Donation => ({ ...draft, status, created_at: at, updated_at: at })
  )
  return Result.map(decide(Donation.machine, born.state, { _tag: "Fail", at, failure_code }), ({ events, state }) => ({
    state,
    events: [...born.events, ...events]
  }))
}

/** The due days that have come, of which there is no invoice yet: those that get one, and those that get none any more. */
export interface DueDays {
  readonly made: ReadonlyArray<CalendarDate>
  readonly skipped: ReadonlyArray<CalendarDate>
}

/**
 * The due days up to a day. The latest one always gets an invoice, and of the older ones those of the last 7 days: the rest
 * lie too far back to be charged without being asked for. money, section 7.
 */
export const dueDaysOf = (subscription: Subscription, today: CalendarDate): DueDays => {
  const due: Array<CalendarDate> = []
  for (let day = subscription.next_charge_on; day !== null && day <= today; day = nextChargeOn(subscription, day)) {
    due.push(day)
  }
  const latest = due.at(-1)
  const since = addDays(today, -Limits.invoiceLateDays)
  return {
    made: due.filter((day) => day === latest || day >= since),
    skipped: due.filter((day) => day !== latest && day < since)
  }
}

/** A recurring gift as the worker loads it. */
export interface RenewalState {
  readonly now: DateTime.Utc
  readonly timezone: string
  /** Invoices that may be paid still. */
  readonly open: ReadonlyArray<Invoice>
}

const lastDueFirst: Order.Order<Invoice> = Order.flip(Order.mapInput(Order.String, ({ due_on }) => due_on))

const todayOf = ({ now, timezone }: RenewalState): CalendarDate => dayOf(now, timezone)

/**
 * The invoice that is charged at this time: the one that was due last; undefined where none is, and where the gift was
 * charged on this day already. money, section 7: never two charges on one day.
 */
export const attemptOf = ({ last_charged_on }: Subscription, looked: RenewalState): Invoice | undefined =>
  last_charged_on === todayOf(looked)
    ? undefined
    : looked.open
        .filter(
          ({ next_attempt_at }) => next_attempt_at !== null && DateTime.isLessThanOrEqualTo(next_attempt_at, looked.now)
        )
        .toSorted(lastDueFirst)[0]

/**
 * When the first charge of a recurring gift may be tried again no more; null where an attempt is under way, or none has
 * failed. money, section 7: 24 h after the last failure.
 */
export const lapsesAt = ({ failed_at }: Pick<Invoice, "failed_at">): DateTime.Utc | null =>
  failed_at === null ? null : addTime(failed_at, { hours: Limits.firstInvoiceHours })

const earliest = (times: ReadonlyArray<DateTime.Utc | null>): DateTime.Utc | null =>
  times.reduce<DateTime.Utc | null>(
    (first, each) => (first === null || (each !== null && DateTime.isLessThan(each, first)) ? each : first),
    null
  )

/**
 * When the worker looks at a recurring gift next: at its next due day and at the next attempt of an invoice, not before
 * the day after its last charge. Null once it ended.
 */
export const nextPollAt = (subscription: Subscription, looked: RenewalState): DateTime.Utc | null => {
  const { last_charged_on, next_charge_on } = subscription
  const { open, timezone } = looked
  const attempts = earliest(open.map(({ next_attempt_at }) => next_attempt_at))
  const mayCharge = last_charged_on === null ? null : dueAt(addDays(last_charged_on, 1), timezone)
  const attempt = attempts !== null && mayCharge !== null ? DateTime.max(attempts, mayCharge) : attempts
  return earliest([next_charge_on === null ? null : dueAt(next_charge_on, timezone), attempt])
}
