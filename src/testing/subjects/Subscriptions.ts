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

/** Recurring gifts of every status, for the laws. */
export const subscriptions: Subject<Subscription, Command> = { schema: Subscription, states, commands }
