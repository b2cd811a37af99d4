import { type DateTime, Schema } from "effect"
import { ChargeId, DonationId, OrganisationId, PaymentExceptionId } from "../kernel/Ids.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { type Births, birth, define, type MachineType } from "../kernel/Machine.ts"
import { Cents, Currency } from "../kernel/Money.ts"
import * as Rule from "../kernel/Rule.ts"
import { Instant } from "../kernel/Timestamp.ts"
import * as PaymentMessages from "./PaymentMessages.ts"

/** The states of a payment exception. */
export const Status = Schema.Literals(["OPEN", "RESOLVED"]).annotate({ identifier: "PaymentExceptionStatus" })
export type Status = typeof Status.Type

/** Why a person must look. money, section 2: Exception. */
export const Kind = Schema.Literals([
  "late_success",
  "unmatched_credit",
  "underpaid",
  "overpaid",
  "transfer_given_up",
  "transfer_reversed",
  "fee_exceeds_gift",
  "refund_failed",
  "unrecovered",
  "account_disabled",
  "mismatch",
  "skipped_invoice",
  "statement_missing",
  "disclosure_differs",
  "cards_closed"
]).annotate({ identifier: "PaymentExceptionKind" })
export type Kind = typeof Kind.Type

/** Something about money that a person must look at: nothing of that is only logged. money, section 2: Exception. */
export class PaymentException extends Schema.Opaque<PaymentException>()(
  Schema.Struct({
    id: PaymentExceptionId,
    organisation_id: OrganisationId,
    kind: Kind,
    status: Status,
    charge_id: Schema.NullOr(ChargeId),
    /** The refund, credit, dispute, allocation, account, recurring gift or donor that it is about; the charge where it is none. */
    subject_id: Schema.String,
    amount_cents: Cents,
    /** How much of it is held until it is resolved. */
    held_cents: Cents,
    currency: Currency,
    /** The reason, in words. */
    reason: Schema.String,
    note: Schema.NullOr(Schema.String),
    /** The gift that what it held was booked as. */
    donation_id: Schema.NullOr(DonationId),
    /** The actor of the audit. */
    resolved_by: Schema.NullOr(Schema.String),
    resolved_at: Schema.NullOr(Instant),
    created_at: Instant,
    updated_at: Instant
  }).annotate({ identifier: "StoredPaymentException" })
) {}

/** The list of exceptions. */
export const listing = {
  filters: {
    status: { kind: "enum", values: Status.literals, description: "Whether somebody has to look still" },
    kind: { kind: "enum", values: Kind.literals, description: "What is the matter" },
    created_at: { kind: "timestamp", description: "When it was found" }
  },
  defaults: { status: "OPEN" }
} as const satisfies ListSpec

/** The commands of the machine of a payment exception. */
export const Command = Schema.TaggedUnion({
  Resolve: { at: Instant, note: Schema.String, by: Schema.String, donation_id: Schema.NullOr(DonationId) }
})
export type Command = typeof Command.Type

const rule = "money, section 2: Exception"

/** How exceptions come to be. */
export const births = {
  raised: { by: "money does not go as it should", to: "OPEN", emits: [], rule }
} as const satisfies Births<Status, never>

const defined = define({
  name: "Payment exception",
  state: PaymentException,
  command: Command,
  events: {},
  wording: PaymentMessages.paymentException,
  statuses: Status.literals,
  rule,
  births,
  table: {
    Resolve: {
      from: ["OPEN"],
      to: "RESOLVED",
      patch: (_, { at, by, donation_id, note }) => ({
        note,
        donation_id,
        resolved_by: by,
        resolved_at: at,
        updated_at: at
      })
    }
  },
  statusOf: (exception) => exception.status,
  enter: (status) => ({ status })
})

export interface machine extends MachineType<typeof defined> {}
/** money, section 2: Exception. */
export const machine: machine = defined

/** Exceptions that nobody has resolved: what they hold is held. money, section 2: Ledger entry. */
export const unresolvedRule = Rule.rulesOf<PaymentException>().is("status", "OPEN")

type Unlooked = "status" | "note" | "donation_id" | "resolved_by" | "resolved_at" | "created_at" | "updated_at"

/** A new exception, at which nobody has looked. */
export const openException = (what: Omit<PaymentException, Unlooked>, at: DateTime.Utc): PaymentException =>
  birth(machine, births.raised, (status) => ({
    ...what,
    status,
    note: null,
    donation_id: null,
    resolved_by: null,
    resolved_at: null,
    created_at: at,
    updated_at: at
  })).state
