import { Option, Schema } from "effect"
import { Currency } from "../../../domain/kernel/Money.ts"
import type { ChargeSnapshot, DisputeSnapshot, RefundSnapshot } from "../../../domain/payments/Snapshot.ts"
import { isAtOneAccount } from "./Intents.ts"
import * as Metadata from "./Metadata.ts"
import { type Dispute, type Intent, idOf, type Refund } from "./Objects.ts"

export interface StripeCharge {
  readonly intent: Intent
  readonly refunds: ReadonlyArray<Refund>
  readonly disputes: ReadonlyArray<Dispute>
}

const readCurrency = Schema.decodeUnknownOption(Currency)

type Status = ChargeSnapshot["status"]

export const statuses: Readonly<Record<string, Status>> = {
  requires_payment_method: "created",
  requires_confirmation: "created",
  requires_action: "waiting",
  processing: "processing",
  canceled: "cancelled",
  succeeded: "succeeded"
}

/**
 * The state of an intent, by https://docs.stripe.com/payments/paymentintents/lifecycle: one that asks for another means of
 * payment after an error was declined. None for a state in which an intent of ours cannot be, as one that waits to be
 * captured.
 */
export const statusOf = ({ last_payment_error, status }: Intent): Option.Option<Status> =>
  status === "requires_payment_method" && last_payment_error !== null
    ? Option.some("failed")
    : knownIn(statuses, status)

/** By https://docs.stripe.com/api/refunds/object; null is one that is not decided yet. */
const refundStatuses: Readonly<Record<string, RefundSnapshot["status"]>> = {
  pending: "pending",
  requires_action: "pending",
  succeeded: "succeeded",
  failed: "failed",
  canceled: "failed"
}

/** What a table says of a word of Stripe's; none where it does not have it. */
export const knownIn = <A>(known: Readonly<Record<string, A>>, status: string): Option.Option<A> =>
  Object.hasOwn(known, status) ? Option.fromUndefinedOr(known[status]) : Option.none()

const refundSnapshot = ({ amount, id, metadata, status }: Refund): Option.Option<RefundSnapshot> =>
  Option.map(knownIn(refundStatuses, status ?? "pending"), (found) => ({
    reference: id,
    refund_id: Option.getOrNull(Metadata.refundOf(metadata)),
    amount_cents: amount,
    status: found
  }))

/**
 * By https://docs.stripe.com/api/disputes/object. Early warnings, and inquiries that took no money, are no disputes: money,
 * section 2. One that is appealed is examined again. One that was prevented is decided by what became of its money.
 */
export const disputeStatuses: Readonly<Record<string, DisputeSnapshot["status"] | "none" | "by its money">> = {
  warning_needs_response: "none",
  warning_under_review: "none",
  warning_closed: "none",
  needs_response: "open",
  under_review: "open",
  appeal_needs_response: "open",
  appeal_under_review: "open",
  prevented: "by its money",
  won: "won",
  lost: "lost"
}

/** What a dispute took of the balance, and did not give back. */
const takenBy = ({ balance_transactions: moved = [] }: Dispute): number =>
  -moved.reduce((sum, { amount }) => sum + amount, 0)

/** Stripe's fee for the dispute itself, less what it gave back. */
const disputeFeeOf = ({ balance_transactions: moved }: Dispute): number | null =>
  moved === undefined || moved.length === 0
    ? null
    : Math.max(
        0,
        moved.reduce((sum, { fee }) => sum + fee, 0)
      )

const disputeSnapshots = (dispute: Dispute): Option.Option<ReadonlyArray<DisputeSnapshot>> =>
  Option.map(knownIn(disputeStatuses, dispute.status), (found) => {
    if (found === "none") return []
    const status = found === "by its money" ? (takenBy(dispute) > 0 ? "lost" : "won") : found
    return [{ reference: dispute.id, amount_cents: dispute.amount, status, fee_cents: disputeFeeOf(dispute) }]
  })

/**
 * Stripe's fee; null until it says so, and where it counts in another currency, which is told. Of charges to one account it
 * takes none: the platform pays Stripe out of its own fee. https://docs.stripe.com/connect/destination-charges
 */
const feeOf = (intent: Intent): Pick<ChargeSnapshot, "fee_cents" | "fee_currency"> => {
  if (isAtOneAccount(intent)) return { fee_cents: 0 }
  const { currency, latest_charge } = intent
  const moved = typeof latest_charge === "object" ? latest_charge?.balance_transaction : null
  if (typeof moved !== "object" || moved === null) return { fee_cents: null }
  if (moved.currency === currency) return { fee_cents: moved.fee }
  const other = readCurrency(moved.currency.toUpperCase())
  return { fee_cents: null, ...(Option.isSome(other) ? { fee_currency: other.value } : {}) }
}

/** The amount that was taken, or is to be: a captured part is reported as it is, not as it was asked for. */
const amountOf = ({ amount, amount_received, status }: Intent): number =>
  status === "succeeded" ? amount_received : amount

/**
 * The saved means of payment: of a debit the donor's authority, which tells later whether it still holds, and of a card
 * the card. Null where nothing was to be saved.
 */
const mandateOf = ({ latest_charge, payment_method, setup_future_usage }: Intent): string | null => {
  if (setup_future_usage !== "off_session") return null
  const details = typeof latest_charge === "object" ? latest_charge?.payment_method_details : null
  const debited = details?.au_becs_debit ?? details?.payto
  return debited === undefined || debited === null ? idOf(payment_method) : (debited.mandate ?? null)
}

/**
 * The snapshot of a charge at Stripe; none for a state that an intent of ours cannot have, and where the status of a refund
 * or a dispute is not known here: what is unknown is not taken for nothing.
 */
export const snapshotOf = (found: StripeCharge): Option.Option<ChargeSnapshot> => {
  const { intent } = found
  const parts = {
    status: statusOf(intent),
    refunds: Option.all(found.refunds.map(refundSnapshot)),
    disputes: Option.all(found.disputes.map(disputeSnapshots))
  }
  return Option.map(Option.all(parts), ({ disputes, refunds, status }) => ({
    status,
    reference: intent.id,
    amount_cents: amountOf(intent),
    currency: intent.currency.toUpperCase(),
    ...(status === "succeeded" ? feeOf(intent) : { fee_cents: null }),
    failure_code: status === "failed" ? failureCodeOf(intent) : null,
    refunds,
    disputes: disputes.flat(),
    mandate_reference: status === "succeeded" ? mandateOf(intent) : null
  }))
}

const failureCodeOf = ({ last_payment_error: error }: Intent): string | null =>
  error?.decline_code ?? error?.code ?? null
