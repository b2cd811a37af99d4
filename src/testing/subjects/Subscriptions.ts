import { DateTime } from "effect"
import fc from "fast-check"
import { CalendarDate } from "../../domain/kernel/CalendarDate.ts"
import * as Invoice from "../../domain/payments/Invoice.ts"
import * as Mandate from "../../domain/payments/Mandate.ts"
import { type Command, machine, Subscription } from "../../domain/payments/Subscription.ts"
import { arbitraryOf, instant } from "../Arbitraries.ts"
import { type ContractSubject, subjectOf } from "../SubjectOf.ts"

/** Days between 2000 and 2060. */
const day: fc.Arbitrary<CalendarDate> = instant.map((at) => CalendarDate.make(DateTime.formatIsoDateUtc(at)))

/** Few due days, so that an invoice of the one that is next is common. */
const dueDay = fc.constantFrom(CalendarDate.make("2026-01-31"), CalendarDate.make("2026-02-28"))

/** Few invoices, so that notices of the one that was last paid are common. */
const invoiceId = fc.constantFrom("invoice-1", "invoice-2")

/** Recurring gifts: exactly those that have ended are dated, have reasons and no next charge. */
/** Recurring gifts of which exactly those that have ended may have reasons, and the donor's words come with a code. */
const states: fc.Arbitrary<Subscription> = arbitraryOf(Subscription).map(
  (given): Subscription => ({
    ...given,
    donor_cancel_reason: given.donor_cancel_reason_code === null ? null : given.donor_cancel_reason
  })
)

const monthsOf = { MONTHLY: 1, QUARTERLY: 3, ANNUALLY: 12 }
const daysOf = { WEEKLY: 7, FORTNIGHTLY: 14 }

/** The due days of a gift, one after another from its anchor: the last of the month where a month is shorter. */
function* dueDays({ anchor_day, frequency }: Subscription): Generator<CalendarDate> {
  const anchor = DateTime.makeUnsafe(`${anchor_day}T00:00:00Z`)
  for (let count = 0; ; count++) {
    const due =
      frequency === "WEEKLY" || frequency === "FORTNIGHTLY"
        ? DateTime.add(anchor, { days: count * daysOf[frequency] })
        : DateTime.add(anchor, { months: count * monthsOf[frequency] })
    yield CalendarDate.make(DateTime.formatIsoDateUtc(due))
  }
}

const nextDue = (subscription: Subscription, charged_on: CalendarDate): CalendarDate | null => {
  for (const due of dueDays(subscription)) if (due > charged_on) return due
  return null
}

/** Recurring gifts of every status, for the laws. */
export const subscriptions: ContractSubject<Subscription, Command> = subjectOf(machine, {
  states,
  stateFields: { anchor_day: day, next_charge_on: dueDay, last_paid_invoice_id: fc.option(invoiceId) },
  commandFields: { invoice_id: invoiceId, due_on: dueDay },
  // service-spec, subscription.* data; decisions, section 5: Subscription.
  rows: `
    * → INCOMPLETE [subscription.created]
    Activate: INCOMPLETE, PAST_DUE → ACTIVE; last_paid_invoice_id = invoice_id
    Renew: ACTIVE → same; last_paid_invoice_id = invoice_id
    MakeInvoice: INCOMPLETE, ACTIVE, PAST_DUE → same ?; *
    FailInvoice: INCOMPLETE, ACTIVE, PAST_DUE → PAST_DUE [subscription.payment_failed] ?
    Retry: INCOMPLETE, PAST_DUE → same ?; ...repeated
    Cancel: INCOMPLETE, ACTIVE, PAST_DUE → CANCELLED [subscription.cancelled] ?; cancel_reason = reason,
      donor_cancel_reason_code, donor_cancel_reason, next_charge_on = null, cancelled_at = at
    next_charge_on: INCOMPLETE, ACTIVE, PAST_DUE
    cancelled_at: CANCELLED
    cancel_reason, donor_cancel_reason_code, donor_cancel_reason: CANCELLED or none
    last_paid_invoice_id: ACTIVE, PAST_DUE, CANCELLED or none
    [*]: id, donor_id, status, amount_cents, currency, frequency, donation_form_id, campaign_id, created_at, updated_at,
      cancel_reason, donor_cancel_reason_code, donor_cancel_reason`,
  when: {
    MakeInvoice: ({ next_charge_on }, { due_on }) => next_charge_on === due_on,
    FailInvoice: ({ last_paid_invoice_id }, { invoice_id }) => last_paid_invoice_id !== invoice_id,
    Retry: ({ last_paid_invoice_id }) => last_paid_invoice_id === null,
    Cancel: (_, { donor_cancel_reason, donor_cancel_reason_code }) =>
      !(donor_cancel_reason !== null && donor_cancel_reason_code === null)
  },
  changes: { MakeInvoice: (subscription, { due_on }) => ({ next_charge_on: nextDue(subscription, due_on) }) },
  invariants: {
    "a donor's words come with a code": ({ donor_cancel_reason, donor_cancel_reason_code }) =>
      donor_cancel_reason === null || donor_cancel_reason_code !== null
  },
  steps: {
    "no day is due twice: the next one lies after the one of which an invoice was made": ({ after, command }) =>
      command._tag !== "MakeInvoice" || (after.next_charge_on !== null && after.next_charge_on > command.due_on)
  }
})

/** Mandates of every status, for the laws. */
export const mandates: ContractSubject<Mandate.Mandate, Mandate.Command> = subjectOf(Mandate.machine, {
  // money, section 2: Mandate.
  rows: `
    * → PENDING
    Activate: PENDING → ACTIVE; reference
    Revoke: PENDING, ACTIVE → REVOKED; revoked_at = at
    reference: ACTIVE, REVOKED or none
    revoked_at: REVOKED`
})

/** Invoices of every status, for the laws. */
export const invoices: ContractSubject<Invoice.Invoice, Invoice.Command> = subjectOf(Invoice.machine, {
  // money, section 7.
  rows: `
    * → OPEN
    Attempt: OPEN → same; charge_id, next_attempt_at = null
    FailAttempt: OPEN → same; failures + 1, failed_at = at, next_attempt_at, *
    Pay: OPEN → PAID; donation_id, next_attempt_at = null, ended_at = at
    GiveUp: OPEN → FAILED; next_attempt_at = null, ended_at = at
    donation_id: PAID
    next_attempt_at: OPEN or none
    ended_at: PAID, FAILED`,
  changes: {
    FailAttempt: ({ failed_donation_id }, { donation_id }) => ({
      failed_donation_id: failed_donation_id ?? donation_id
    })
  }
})
