import { Schema } from "effect"
import type { Donation } from "../giving/Donation.ts"
import { type Refund, refundedCents } from "../giving/Refund.ts"
import { ChargeId } from "../kernel/Ids.ts"
import { platformFeeOf } from "./Books.ts"
import type { Charge } from "./Charge.ts"
import type { Dispute } from "./Dispute.ts"
import { balancesOf, type LedgerEntry } from "./Ledger.ts"

/** Differences between the books and the records. */
export const What = Schema.Literals([
  "taken",
  "fees",
  "refunded",
  "disputed",
  "transferred",
  "gift",
  "currency"
]).annotate({ identifier: "LedgerDisagreement" })
export type What = typeof What.Type

/** A charge of which the books say something else than the records do. */
export const Disagreement = Schema.Struct({ charge_id: ChargeId, what: What })
export type Disagreement = typeof Disagreement.Type

/** A charge, all entries of its money, and all records that it left. */
export interface ChargeRecords {
  readonly charge: Charge
  /** Whether its money came after it had ended. */
  readonly isLate: boolean
  /** Null where it pays no gift. */
  readonly gift: Donation | null
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

const giftAgrees = ({ charge, gift, refunds }: ChargeRecords): boolean =>
  charge.purpose !== "donation" ||
  (gift !== null &&
    gift.amount_cents === charge.amount_cents &&
    gift.currency === charge.currency &&
    giftStatuses[charge.status].includes(gift.status) &&
    gift.refunded_amount_cents === refundedCents(refunds))

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

/** The first thing that the books say otherwise than the records of a charge; null where they agree. */
export const disagreementOf = (recorded: ChargeRecords): What | null => {
  const { charge, entries } = recorded
  if (entries.some(({ currency }) => currency !== charge.currency)) return "currency"
  if (!takenAgrees(recorded)) return "taken"
  if (!feesAgree(recorded)) return "fees"
  if (!refundsAgree(recorded)) return "refunded"
  if (!disputesAgree(recorded)) return "disputed"
  if (balancesOf(entries).recipients !== BigInt(recorded.transferred_cents)) return "transferred"
  return giftAgrees(recorded) ? null : "gift"
}
