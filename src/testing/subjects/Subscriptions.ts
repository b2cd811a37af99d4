import { DateTime } from "effect"
import fc from "fast-check"
import { CalendarDate } from "../../domain/kernel/CalendarDate.ts"
import { DonationId } from "../../domain/kernel/Ids.ts"
import * as Invoice from "../../domain/payments/Invoice.ts"
import * as Mandate from "../../domain/payments/Mandate.ts"
import { CancelReason, type Command, DonorCancelReasonCode, Subscription } from "../../domain/payments/Subscription.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import { instant } from "../Generators.ts"
import type { Subject } from "../Laws.ts"

/** Days between 2000 and 2060. */
const day: fc.Arbitrary<CalendarDate> = instant.map((at) => CalendarDate.make(DateTime.formatIsoDateUtc(at)))

/** Few due days, so that an invoice of the one that is next is common. */
const dueDay = fc.constantFrom(CalendarDate.make("2026-01-31"), CalendarDate.make("2026-02-28"))

/** Few invoices, so that notices of the one that was last paid are common. */
const invoiceId = fc.constantFrom("invoice-1", "invoice-2")

/** Recurring gifts: exactly those that have ended are dated, have reasons and no next charge. */
const states: fc.Arbitrary<Subscription> = fc
  .record({
    subscription: arbitraryOf(Subscription),
    anchor_day: day,
    next_charge_on: dueDay,
    paid: fc.option(invoiceId),
    cancelled_at: instant
  })
  .map(({ anchor_day, cancelled_at, next_charge_on, paid, subscription }): Subscription => {
    const isOver = subscription.status === "CANCELLED"
    const { cancel_reason, donor_cancel_reason, donor_cancel_reason_code } = subscription
    return {
      ...subscription,
      anchor_day,
      next_charge_on: isOver ? null : next_charge_on,
      last_paid_invoice_id: subscription.status === "INCOMPLETE" ? null : paid,
      cancelled_at: isOver ? cancelled_at : null,
      cancel_reason: isOver ? cancel_reason : null,
      donor_cancel_reason_code: isOver ? donor_cancel_reason_code : null,
      donor_cancel_reason: isOver && donor_cancel_reason_code !== null ? donor_cancel_reason : null
    }
  })

const commands: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    _tag: fc.constantFrom("Activate" as const, "Renew" as const),
    at: instant,
    invoice_id: invoiceId
  }),
  fc.record({ _tag: fc.constant("MakeInvoice" as const), at: instant, due_on: dueDay }),
  fc.record({ _tag: fc.constant("FailInvoice" as const), at: instant, invoice_id: invoiceId }),
  fc.record({
    _tag: fc.constant("Cancel" as const),
    at: instant,
    reason: fc.option(fc.constantFrom(...CancelReason.literals)),
    donor_cancel_reason_code: fc.option(fc.constantFrom(...DonorCancelReasonCode.literals)),
    donor_cancel_reason: fc.option(fc.constantFrom("Too dear", "I moved"))
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

const booked = (
  _: Subscription,
  { at, invoice_id }: Extract<Command, { readonly _tag: "Activate" | "Renew" }>
): Partial<Subscription> => ({ last_paid_invoice_id: invoice_id, updated_at: at })

/** Recurring gifts of every status, for the laws. */
export const subscriptions: Subject<Subscription, Command> = {
  schema: Subscription,
  states,
  commands,
  // service-spec, subscription.* data; decisions, section 5: Subscription.
  expect: {
    Activate: { from: ["INCOMPLETE", "PAST_DUE"], to: "ACTIVE", changes: booked },
    Renew: { from: ["ACTIVE"], to: "ACTIVE", changes: booked },
    MakeInvoice: {
      from: ["INCOMPLETE", "ACTIVE", "PAST_DUE"],
      to: "same",
      when: ({ next_charge_on }, { due_on }) => next_charge_on === due_on,
      changes: (subscription, { at, due_on }) => ({ next_charge_on: nextDue(subscription, due_on), updated_at: at })
    },
    FailInvoice: {
      from: ["INCOMPLETE", "ACTIVE", "PAST_DUE"],
      to: "PAST_DUE",
      events: ["subscription.payment_failed"],
      when: ({ last_paid_invoice_id }, { invoice_id }) => last_paid_invoice_id !== invoice_id,
      changes: (_, { at }) => ({ updated_at: at })
    },
    Cancel: {
      from: ["INCOMPLETE", "ACTIVE", "PAST_DUE"],
      to: "CANCELLED",
      events: ["subscription.cancelled"],
      when: (_, { donor_cancel_reason, donor_cancel_reason_code }) =>
        !(donor_cancel_reason !== null && donor_cancel_reason_code === null),
      changes: (_, { at, donor_cancel_reason, donor_cancel_reason_code, reason }) => ({
        cancel_reason: reason,
        donor_cancel_reason,
        donor_cancel_reason_code,
        next_charge_on: null,
        cancelled_at: at,
        updated_at: at
      })
    }
  },
  invariants: {
    "what ended is never charged again": ({ next_charge_on, status }) =>
      (status === "CANCELLED") === (next_charge_on === null),
    "a donor's words come with a code": ({ donor_cancel_reason, donor_cancel_reason_code }) =>
      donor_cancel_reason === null || donor_cancel_reason_code !== null
  },
  steps: {
    "no day is due twice: the next one lies after the one of which an invoice was made": ({ after, command }) =>
      command._tag !== "MakeInvoice" || (after.next_charge_on !== null && after.next_charge_on > command.due_on)
  }
}

/** Mandates that have exactly what those of their status have. */
const mandateStates: fc.Arbitrary<Mandate.Mandate> = fc
  .record({ given: arbitraryOf(Mandate.Mandate), reference: fc.constantFrom("pm_1", "pm_2"), revoked_at: instant })
  .map(
    ({ given, reference, revoked_at }): Mandate.Mandate => ({
      ...given,
      reference: given.status === "PENDING" ? null : reference,
      revoked_at: given.status === "REVOKED" ? revoked_at : null
    })
  )

/** Mandates of every status, for the laws. */
export const mandates: Subject<Mandate.Mandate, Mandate.Command> = {
  schema: Mandate.Mandate,
  states: mandateStates,
  commands: fc.tuple(arbitraryOf(Mandate.Command), instant).map(([command, at]) => ({ ...command, at })),
  // money, section 2: Mandate.
  expect: {
    Activate: { from: ["PENDING"], to: "ACTIVE", changes: (_, { at, reference }) => ({ reference, updated_at: at }) },
    Revoke: { from: ["PENDING", "ACTIVE"], to: "REVOKED", changes: (_, { at }) => ({ revoked_at: at, updated_at: at }) }
  }
}

/** Invoices that have exactly what those of their status have. */
const invoiceStates: fc.Arbitrary<Invoice.Invoice> = fc
  .record({
    given: arbitraryOf(Invoice.Invoice),
    donation_id: arbitraryOf(DonationId),
    next_attempt_at: fc.option(instant),
    ended_at: instant
  })
  .map(
    ({ donation_id, ended_at, given, next_attempt_at }): Invoice.Invoice => ({
      ...given,
      donation_id: given.status === "PAID" ? donation_id : null,
      next_attempt_at: given.status === "OPEN" ? next_attempt_at : null,
      ended_at: given.status === "OPEN" ? null : ended_at
    })
  )

/** Invoices of every status, for the laws. */
export const invoices: Subject<Invoice.Invoice, Invoice.Command> = {
  schema: Invoice.Invoice,
  states: invoiceStates,
  commands: fc.tuple(arbitraryOf(Invoice.Command), instant).map(([command, at]) => ({ ...command, at })),
  // money, section 7.
  expect: {
    Attempt: {
      from: ["OPEN"],
      to: "same",
      changes: (_, { at, charge_id }) => ({ charge_id, next_attempt_at: null, updated_at: at })
    },
    FailAttempt: {
      from: ["OPEN"],
      to: "same",
      changes: ({ failed_donation_id, failures }, { at, donation_id, next_attempt_at }) => ({
        failures: failures + 1,
        failed_at: at,
        failed_donation_id: failed_donation_id ?? donation_id,
        next_attempt_at,
        updated_at: at
      })
    },
    Pay: {
      from: ["OPEN"],
      to: "PAID",
      changes: (_, { at, donation_id }) => ({ donation_id, next_attempt_at: null, ended_at: at, updated_at: at })
    },
    GiveUp: {
      from: ["OPEN"],
      to: "FAILED",
      changes: (_, { at }) => ({ next_attempt_at: null, ended_at: at, updated_at: at })
    }
  }
}
