import { type DateTime, Schema } from "effect"
import type { Donation } from "../giving/Donation.ts"
import { type Refund, refundedCents } from "../giving/Refund.ts"
import * as Rule from "../kernel/Rule.ts"
import { platformFeeOf } from "./Books.ts"
import { type Charge, unendedRule } from "./Charge.ts"
import type { Dispute } from "./Dispute.ts"
import type { Invoice } from "./Invoice.ts"
import { balancesOf, type LedgerEntry } from "./Ledger.ts"

/** Differences between the books and the records: of a charge, but for `unpaid` and `record`. */
export const What = Schema.Literals([
  "taken",
  "credits",
  "fees",
  "refunded",
  "disputed",
  "transferred",
  "attempts",
  "recipients",
  "invoice",
  "gift",
  "currency",
  "unpaid",
  "record"
]).annotate({ identifier: "LedgerDisagreement" })
export type What = typeof What.Type

/** A charge, or another record, of which the books say something else than the records do. */
export const Disagreement = Schema.Struct({ subject_id: Schema.String, what: What })
export type Disagreement = typeof Disagreement.Type

type Gift = Pick<
  Donation,
  "amount_cents" | "charge_id" | "currency" | "id" | "refunded_amount_cents" | "status" | "subscription_id"
>

/** A transfer to a recipient, or a reversal of one. */
interface Attempt {
  readonly status: string
  readonly reversed_id: string | null
  readonly cause: string | null
  readonly sent_at: DateTime.Utc | null
}

const { every, has, is, lacks, some } = Rule.rulesOf<Attempt>()

/** Transfers and reversals whose money moved. */
export const movedRule = is("status", "SUCCEEDED")

/** Transfers to a recipient that have not ended. */
export const underWayRule = every(is("status", "NEW"), lacks("reversed_id"))

/** Payments to sets whose money arrived. */
export const settledRule = Rule.rulesOf<{ readonly payment_status: string }>().is("payment_status", "SUCCEEDED")

/** Reversals that have not ended. */
export const returningRule = every(is("status", "NEW"), has("reversed_id"))

/** Those that the processor makes, and states: others people make by hand. */
export const statedRule = some(has("sent_at"), is("cause", "processor"))

/** A recipient's part of a payment, with its gift and its transfers. */
export interface SharedPart {
  readonly gross_amount_cents: number
  readonly net_amount_cents: number
  readonly transfer_status: "pending" | "succeeded" | "failed" | "reversed"
  /** The gift that it names, at the recipient; null where it names none, or one that is not there. */
  readonly gift: Gift | null
  /** How many gifts of the recipient's are of this part, and neither failed nor given back. */
  readonly live_gifts: number
  /** How many there are, whatever became of them: one for each time that its transfer was begun. */
  readonly gifts: number
  readonly series: number
  /** The sum that transfers brought less what reversals took back, minor units. */
  readonly brought_cents: number
  /** How many transfers have not ended. */
  readonly under_way: number
}

/** A payment that is shared among recipients. */
export interface SharedPayment {
  readonly currency: string
  /** Whether its transfers were begun. */
  readonly isBegun: boolean
  /** Whether it says that it is paid. */
  readonly isPaid: boolean
  readonly total_amount_cents: number
  readonly parts: ReadonlyArray<SharedPart>
}

/** The invoice that a charge pays. */
export interface PaidInvoice extends Pick<Invoice, "amount_cents" | "charge_id" | "currency" | "status"> {
  /** The gift that paid it; null where there is none. */
  readonly gift: Gift | null
}

/** A charge, all entries of its money, and all records that it left. */
export interface ChargeRecords {
  readonly charge: Charge
  /** Whether its money came after it had ended. */
  readonly isLate: boolean
  /** Null where it pays no gift. */
  readonly gift: Gift | null
  /** How many gifts say that it took their money. */
  readonly gifts: number
  /** Null where it pays no payment to a set. */
  readonly shared: SharedPayment | null
  /** Null where it pays no invoice. */
  readonly invoice: PaidInvoice | null
  /** How many invoices say that it paid them. */
  readonly paid_invoices: number
  /** The sum of the payments to a bank account that count towards it, less what of them is too much, minor units. */
  readonly credited_cents: number
  readonly refunds: ReadonlyArray<Refund>
  readonly disputes: ReadonlyArray<Dispute>
  /** The sum that the transfers of its payment brought to recipients, minor units. */
  readonly transferred_cents: number
  readonly entries: ReadonlyArray<LedgerEntry>
}

const sumOf = (all: ReadonlyArray<{ readonly amount_cents: number }>): bigint =>
  all.reduce((sum, { amount_cents }) => sum + BigInt(amount_cents), 0n)

const feesAgree = ({ charge, disputes, entries }: ChargeRecords): boolean => {
  const caused = (cause: LedgerEntry["cause"]) => balancesOf(entries.filter((each) => each.cause === cause))
  const [own, ofDisputes] = [caused("charge"), caused("dispute")]
  const { processor_fee_cents } = charge
  const platform =
    charge.status === "SUCCEEDED" && processor_fee_cents !== null ? platformFeeOf(charge, processor_fee_cents) : 0
  return (
    own.processor_fees === BigInt(processor_fee_cents ?? 0) &&
    own.platform_fees === BigInt(platform) &&
    ofDisputes.processor_fees === disputes.reduce((sum, { fee_cents }) => sum + BigInt(fee_cents ?? 0), 0n)
  )
}

const giftStatuses: Readonly<Record<Charge["status"], ReadonlyArray<Donation["status"]>>> = {
  NEW: ["PENDING"],
  WAITING: ["PENDING"],
  PROCESSING: ["PENDING"],
  SUCCEEDED: ["CONFIRMED", "REFUNDED"],
  FAILED: ["FAILED"],
  CANCELLED: ["FAILED"]
}

const isGiftOf = ({ charge, refunds }: ChargeRecords, gift: Gift | null): boolean =>
  gift !== null &&
  gift.charge_id === charge.id &&
  gift.amount_cents === charge.amount_cents &&
  gift.currency === charge.currency &&
  giftStatuses[charge.status].includes(gift.status) &&
  gift.refunded_amount_cents === refundedCents(refunds)

const giftAgrees = (recorded: ChargeRecords): boolean =>
  recorded.gifts <= 1 && (recorded.charge.purpose !== "donation" || isGiftOf(recorded, recorded.gift))

/** An invoice is paid with its newest charge, and by nothing else. */
const invoiceAgrees = (recorded: ChargeRecords): boolean => {
  const { charge, gift, invoice, paid_invoices } = recorded
  if (paid_invoices > 1) return false
  if (invoice === null) {
    const isRepeated = charge.status === "SUCCEEDED" && gift !== null && gift.subscription_id !== null
    return charge.purpose !== "invoice" && !isRepeated
  }
  const isDue = invoice.amount_cents === charge.amount_cents && invoice.currency === charge.currency
  if (charge.status === "SUCCEEDED") return isDue && invoice.status === "PAID" && isGiftOf(recorded, invoice.gift)
  return isDue && (invoice.status !== "PAID" || invoice.charge_id !== charge.id)
}

/** The status of a recipient's gift by that of its part. */
export const partStatuses: Readonly<Record<SharedPart["transfer_status"], Donation["status"]>> = {
  pending: "PENDING",
  succeeded: "CONFIRMED",
  failed: "FAILED",
  reversed: "REFUNDED"
}

const attemptsAgree =
  ({ isBegun }: SharedPayment) =>
  ({ brought_cents, net_amount_cents, transfer_status, under_way }: SharedPart): boolean =>
    brought_cents === (transfer_status === "succeeded" ? net_amount_cents : 0) &&
    under_way === (isBegun && transfer_status === "pending" && net_amount_cents > 0 ? 1 : 0)

const recipientAgrees =
  ({ currency }: SharedPayment) =>
  ({ gift, gifts, gross_amount_cents, live_gifts, net_amount_cents, series, transfer_status }: SharedPart): boolean => {
    if (gross_amount_cents === 0) return gift === null && gifts === 0
    return (
      gift !== null &&
      // A part of which the fees leave nothing is begun anew with the gift that it had.
      gifts === (net_amount_cents > 0 ? series : 1) &&
      gift.amount_cents === gross_amount_cents &&
      gift.currency === currency &&
      gift.status === partStatuses[transfer_status] &&
      live_gifts === (transfer_status === "pending" || transfer_status === "succeeded" ? 1 : 0)
    )
  }

/** What is wrong about the recipients of a payment that was paid. */
const sharedDisagreement = ({ charge, shared }: ChargeRecords): "attempts" | "recipients" | null => {
  if (charge.purpose !== "payment" || charge.status !== "SUCCEEDED") return null
  if (shared === null) return "recipients"
  if (!shared.parts.every(attemptsAgree(shared))) return "attempts"
  const gross = shared.parts.reduce((sum, { gross_amount_cents }) => sum + gross_amount_cents, 0)
  const isWhole =
    shared.isPaid &&
    shared.total_amount_cents === charge.amount_cents &&
    gross === charge.amount_cents &&
    shared.currency === charge.currency
  return isWhole && shared.parts.every(recipientAgrees(shared)) ? null : "recipients"
}

/** Lost disputes wrote refunds that the books have as theirs. */
const refundsAgree = ({ disputes, entries, refunds }: ChargeRecords): boolean => {
  const ofDisputes = new Set(disputes.map(({ refund_id }) => refund_id))
  const { donor } = balancesOf(entries.filter(({ cause }) => cause === "refund"))
  return donor === sumOf(refunds.filter(({ id, status }) => status === "SUCCEEDED" && !ofDisputes.has(id)))
}

const disputesAgree = ({ disputes, entries }: ChargeRecords): boolean => {
  const { disputed, donor } = balancesOf(entries.filter(({ cause }) => cause === "dispute"))
  const inStatus = (wanted: Dispute["status"]) => sumOf(disputes.filter(({ status }) => status === wanted))
  return disputed === inStatus("OPEN") && donor === inStatus("LOST")
}

/** Money of a late bank transfer is booked as credits, each as it comes. */
const isTaken = ({ charge, isLate }: ChargeRecords): boolean =>
  charge.status === "SUCCEEDED" || (isLate && charge.method !== "bank_transfer")

const takenAgrees = (recorded: ChargeRecords): boolean => {
  const { charge, entries } = recorded
  const came = entries.filter(
    ({ cause, from_account }) => cause === "charge" && (from_account === "donor" || from_account === "unmatched")
  )
  return sumOf(came) === (isTaken(recorded) ? BigInt(charge.amount_cents) : 0n)
}

const creditsAgree = ({ charge, credited_cents }: ChargeRecords): boolean => {
  if (charge.status === "SUCCEEDED" && charge.method === "bank_transfer") return credited_cents === charge.amount_cents
  return !Rule.holds(unendedRule, charge) || credited_cents <= charge.amount_cents
}

/** The first thing that the books say otherwise than the records of a charge; null where they agree. */
export const disagreementOf = (recorded: ChargeRecords): What | null => {
  const { charge, entries } = recorded
  if (entries.some(({ currency }) => currency !== charge.currency)) return "currency"
  if (!takenAgrees(recorded)) return "taken"
  if (!creditsAgree(recorded)) return "credits"
  if (!feesAgree(recorded)) return "fees"
  if (!refundsAgree(recorded)) return "refunded"
  if (!disputesAgree(recorded)) return "disputed"
  if (balancesOf(entries).recipients !== BigInt(recorded.transferred_cents)) return "transferred"
  const shared = sharedDisagreement(recorded)
  if (shared !== null) return shared
  if (!invoiceAgrees(recorded)) return "invoice"
  return giftAgrees(recorded) ? null : "gift"
}
