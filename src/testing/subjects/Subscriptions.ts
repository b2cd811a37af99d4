import { DateTime } from "effect"
import fc from "fast-check"
import { CalendarDate } from "../../domain/kernel/CalendarDate.ts"
import { CancelReason, type Command, DonorCancelReasonCode, Subscription } from "../../domain/payments/Subscription.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import { instant } from "../Generators.ts"
import type { Subject } from "../Laws.ts"

/** Days between 2000 and 2060. */
const day: fc.Arbitrary<CalendarDate> = instant.map((at) => CalendarDate.make(DateTime.formatIsoDateUtc(at)))

/** Few invoices, so that notices of the one that was last paid are common. */
const invoiceId = fc.constantFrom("invoice-1", "invoice-2")

/** Recurring gifts: exactly those that have ended are dated, have reasons and no next charge. */
const states: fc.Arbitrary<Subscription> = fc
  .record({
    subscription: arbitraryOf(Subscription),
    anchor_day: day,
    next_charge_on: day,
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
    invoice_id: invoiceId,
    charged_on: day
  }),
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
  subscription: Subscription,
  { at, charged_on, invoice_id }: Extract<Command, { readonly _tag: "Activate" | "Renew" }>
): Partial<Subscription> => ({
  last_paid_invoice_id: invoice_id,
  next_charge_on: nextDue(subscription, charged_on),
  updated_at: at
})

/**
 * Recurring gifts of every status, for the laws.
 *
 * @example
 * ```ts
 * Laws.check(Subscription.machine, Subjects.subscriptions)
 * ```
 */
export const subscriptions: Subject<Subscription, Command> = {
  schema: Subscription,
  states,
  commands,
  // service-spec, subscription.* data; decisions, section 5: Subscription.
  expect: {
    Activate: { from: ["INCOMPLETE", "PAST_DUE"], to: "ACTIVE", changes: booked },
    Renew: { from: ["ACTIVE"], to: "ACTIVE", changes: booked },
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
    "no charge is due twice: the next one lies after the one that was paid": ({ after, command }) =>
      (command._tag !== "Renew" && command._tag !== "Activate") ||
      (after.next_charge_on !== null && after.next_charge_on > command.charged_on)
  }
}
