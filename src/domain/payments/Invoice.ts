import { type DateTime, Schema, Struct } from "effect"
import { CalendarDate } from "../kernel/CalendarDate.ts"
import { ChargeId, DonationId, InvoiceId, OrganisationId, SubscriptionId } from "../kernel/Ids.ts"
import { addTime } from "../kernel/InstantRange.ts"
import { Limits } from "../kernel/Limits.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { type Births, byField, define, type MachineType } from "../kernel/Machine.ts"
import { Currency, DonationCents } from "../kernel/Money.ts"
import * as Rule from "../kernel/Rule.ts"
import { Instant } from "../kernel/Timestamp.ts"
import * as Wording from "./SubscriptionMessages.ts"

/** The states of an invoice. */
export const Status = Schema.Literals(["OPEN", "PAID", "FAILED"]).annotate({ identifier: "InvoiceStatus" })
export type Status = typeof Status.Type

const meanings = {
  due_on: "The day on which it is due, in the organisation's timezone.",
  amount_cents: "How much is due, in minor units of the currency.",
  status: "OPEN while it may be paid, then PAID, or FAILED where it was given up.",
  charge_id: "The newest attempt to take its money; null before the first.",
  failures: "How many attempts have failed.",
  failed_at: "When the last attempt failed; null where none has.",
  next_attempt_at: "When its money is tried for next; null while an attempt is under way, and once no more is made.",
  failed_donation_id: "The gift that failed with the first attempt that did.",
  donation_id: "The gift that paid it; null before.",
  ended_at: "When it was paid or given up; null before."
}

/** One due payment of a recurring gift. A subscription has one for each due day. money, sections 2 and 7. */
export class Invoice extends Schema.Opaque<Invoice>()(
  Schema.Struct({
    id: InvoiceId,
    organisation_id: OrganisationId,
    subscription_id: SubscriptionId,
    due_on: CalendarDate,
    amount_cents: DonationCents,
    currency: Currency,
    status: Status,
    charge_id: Schema.NullOr(ChargeId),
    failures: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
    failed_at: Schema.NullOr(Instant),
    next_attempt_at: Schema.NullOr(Instant),
    /** The gift that failed, of which `subscription.payment_failed` told; null where none has. */
    failed_donation_id: Schema.NullOr(DonationId),
    donation_id: Schema.NullOr(DonationId),
    ended_at: Schema.NullOr(Instant),
    created_at: Instant,
    updated_at: Instant
  }).annotate({ identifier: "StoredInvoice", meanings })
) {}

/** An invoice as callers see it. */
export const InvoiceRecord = Invoice.mapFields(Struct.omit(["organisation_id"])).annotate({
  identifier: "Invoice",
  meanings
})

/** The list of a recurring gift's invoices. It goes beyond the contract. */
export const listing = {
  filters: {
    status: { kind: "enum", values: Status.literals, description: "Status of the invoice" },
    created_at: { kind: "timestamp", description: "When it was made" }
  }
} as const satisfies ListSpec

/** The commands of the machine of an invoice. */
export const Command = Schema.TaggedUnion({
  Attempt: { at: Instant, charge_id: ChargeId },
  FailAttempt: { at: Instant, donation_id: Schema.NullOr(DonationId), next_attempt_at: Schema.NullOr(Instant) },
  Pay: { at: Instant, donation_id: DonationId },
  GiveUp: { at: Instant }
})
export type Command = typeof Command.Type

const rule = "money, section 7"

/** How invoices come to be. */
export const births = {
  made: { by: "a due day of a recurring gift comes", to: "OPEN", emits: [], rule }
} as const satisfies Births<Status, never>

const defined = define({
  name: "Invoice",
  state: Invoice,
  command: Command,
  wording: Wording.invoice,
  ...byField(Status),
  rule,
  births,
  table: {
    Attempt: {
      from: ["OPEN"],
      to: "same",
      patch: (_, { at, charge_id }) => ({ charge_id, next_attempt_at: null, updated_at: at })
    },
    FailAttempt: {
      from: ["OPEN"],
      to: "same",
      patch: (self, { at, donation_id, next_attempt_at }) => ({
        failures: self.failures + 1,
        failed_at: at,
        failed_donation_id: self.failed_donation_id ?? donation_id,
        next_attempt_at,
        updated_at: at
      })
    },
    Pay: {
      from: ["OPEN"],
      to: "PAID",
      patch: (_, { at, donation_id }) => ({ donation_id, next_attempt_at: null, ended_at: at, updated_at: at })
    },
    GiveUp: {
      from: ["OPEN"],
      to: "FAILED",
      patch: (_, { at }) => ({ next_attempt_at: null, ended_at: at, updated_at: at })
    }
  },
  milestones: { ended_at: ["PAID", "FAILED"] }
})

export interface machine extends MachineType<typeof defined> {}
/** money, section 7. PAID and FAILED are final. Its events are those of its gifts and of the subscription. */
export const machine: machine = defined

/** Invoices that may be paid still. */
export const unendedRule = Rule.rulesOf<Invoice>().is("status", "OPEN")

/** Invoices that were paid. */
export const paidRule = Rule.rulesOf<Invoice>().is("status", "PAID")

/** The period of a new invoice, and when its first payment is due. */
type Due = Pick<
  Invoice,
  "id" | "organisation_id" | "subscription_id" | "due_on" | "amount_cents" | "currency" | "next_attempt_at"
>

/** A new invoice, of which nothing was taken. */
export const newInvoice = (due: Due, at: DateTime.Utc): Invoice => ({
  id: due.id,
  organisation_id: due.organisation_id,
  subscription_id: due.subscription_id,
  due_on: due.due_on,
  amount_cents: due.amount_cents,
  currency: due.currency,
  status: births.made.to,
  charge_id: null,
  failures: 0,
  failed_at: null,
  next_attempt_at: due.next_attempt_at,
  failed_donation_id: null,
  donation_id: null,
  ended_at: null,
  created_at: at,
  updated_at: at
})

/**
 * When its money is tried for again after an attempt that fails now; null where no more is made. money, section 7: 3, 5 and
 * 7 days after the failure before.
 * @example
 * Invoice.retryAt({ failures: 0 }, at) // => DateTime.add(at, { days: 3 })
 * Invoice.retryAt({ failures: 2 }, at) // => DateTime.add(at, { days: 7 })
 * Invoice.retryAt({ failures: 3 }, at) // => null
 */
export const retryAt = ({ failures }: Pick<Invoice, "failures">, at: DateTime.Utc): DateTime.Utc | null => {
  const days = Limits.invoiceRetryDays[failures]
  return days === undefined ? null : addTime(at, { days })
}
