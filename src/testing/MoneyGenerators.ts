import type { DateTime } from "effect"
import fc from "fast-check"
import { dayOf } from "../domain/kernel/CalendarDate.ts"
import { ChargeId, InvoiceId } from "../domain/kernel/Ids.ts"
import { Limits } from "../domain/kernel/Limits.ts"
import { dueDay } from "../domain/kernel/Schedule.ts"
import { Charge } from "../domain/payments/Charge.ts"
import { Dispute } from "../domain/payments/Dispute.ts"
import { Invoice } from "../domain/payments/Invoice.ts"
import { LedgerEntry, SingleAccount } from "../domain/payments/Ledger.ts"
import { Mandate } from "../domain/payments/Mandate.ts"
import { Notice } from "../domain/payments/Notice.ts"
import { PaymentException } from "../domain/payments/PaymentException.ts"
import { Subscription } from "../domain/payments/Subscription.ts"
import { Tariff } from "../domain/payments/Tariff.ts"
import { Payment } from "../domain/sharing/Payment.ts"
import { Allocation, RecommendationSet, totalCents } from "../domain/sharing/RecommendationSet.ts"
import { type Transfer, Status as TransferStatus } from "../domain/sharing/Transfer.ts"
import { TransferAttempt } from "../domain/sharing/TransferAttempt.ts"
import { arbitraryOf } from "./Arbitraries.ts"
import { counter, recordsOf, storedRecord, text } from "./StoredRecords.ts"
import * as Subjects from "./Subjects.ts"
import { submittedPayment } from "./subjects/Payments.ts"

/** Any charge; its fields fit its status. */
export const charge: fc.Arbitrary<Charge> = fc
  .tuple(Subjects.charges.conform(arbitraryOf(Charge)), counter)
  .map(([given, looks]) => ({
    ...storedRecord({
      ...given,
      sealed_token: given.ending === null ? given.sealed_token : null,
      waiting_since: given.status === "WAITING" ? (given.waiting_since ?? given.created_at) : given.waiting_since
    }),
    looks
  }))

/** Any dispute. */
export const dispute: fc.Arbitrary<Dispute> = recordsOf(Subjects.disputes, Dispute)

/** Any recurring gift; its fields fit its status, and the newest charge is of the due day before the next one. */
export const subscription: fc.Arbitrary<Subscription> = fc
  .tuple(recordsOf(Subjects.subscriptions, Subscription), fc.integer({ min: 0, max: 60 }), arbitraryOf(InvoiceId))
  .map(([given, count, invoice_id]) => {
    // The day on which it was made: any day of the calendar may be too late for the last charges.
    const anchor_day = dayOf(given.created_at, "UTC")
    const chargedOn = (charge: number) => dueDay(anchor_day, given.frequency, charge)
    return {
      ...given,
      anchor_day,
      next_charge_on: given.next_charge_on === null ? null : chargedOn(count),
      last_charged_on: given.last_charged_on === null || count === 0 ? null : chargedOn(count - 1),
      last_paid_invoice_id:
        given.status === "ACTIVE" ? (given.last_paid_invoice_id ?? invoice_id) : given.last_paid_invoice_id,
      donor_cancel_reason: given.donor_cancel_reason_code === null ? null : given.donor_cancel_reason
    }
  })

/** Any invoice of a recurring gift; its fields fit its status, and failures are dated. */
export const invoice: fc.Arbitrary<Invoice> = fc
  .tuple(Subjects.invoices.conform(arbitraryOf(Invoice)), counter, arbitraryOf(ChargeId))
  .map(([given, count, charge_id]) => {
    const failures = given.failed_at === null ? 0 : count
    const wasCharged = failures > 0 || given.status === "PAID"
    return storedRecord({
      ...given,
      failures,
      charge_id: wasCharged ? (given.charge_id ?? charge_id) : given.charge_id,
      failed_donation_id: failures > 0 ? given.failed_donation_id : null
    })
  })

/** Any mandate; its fields fit its status. */
export const mandate: fc.Arbitrary<Mandate> = fc
  .tuple(recordsOf(Subjects.mandates, Mandate), text())
  .map(([given, reference]) => ({
    ...given,
    reference: given.status === "ACTIVE" ? (given.reference ?? reference) : given.reference
  }))

/** Any transfer attempt; its fields fit its status. */
export const transferAttempt: fc.Arbitrary<TransferAttempt> = fc
  .tuple(Subjects.transferAttempts.conform(arbitraryOf(TransferAttempt)), text())
  .map(([given, reference]) => ({
    ...storedRecord({
      ...given,
      sent_at: given.status === "NEW" ? given.sent_at : (given.sent_at ?? given.created_at)
    }),
    reference: given.status === "SUCCEEDED" ? reference : null,
    reversed_id: null,
    cause: null
  }))

/** Any movement of money between two accounts. */
export const ledgerEntry: fc.Arbitrary<LedgerEntry> = fc
  .tuple(arbitraryOf(LedgerEntry), fc.shuffledSubarray([...SingleAccount.literals], { minLength: 2, maxLength: 2 }))
  .map(([given, [from_account = given.from_account, to_account = given.to_account]]) => ({
    ...storedRecord(given),
    from_account,
    to_account
  }))

/** Any payment exception; it holds at most its amount. */
export const paymentException: fc.Arbitrary<PaymentException> = recordsOf(
  Subjects.paymentExceptions,
  PaymentException
).map((given) => ({ ...given, held_cents: given.held_cents % (given.amount_cents + 1) }))

/** Any notice; its fields fit its status, and it was sent before it came. */
export const notice: fc.Arbitrary<Notice> = fc
  .tuple(recordsOf(Subjects.notices, Notice), counter)
  .map(([given, attempts]) => ({
    ...given,
    attempts: given.error === null ? given.attempts : attempts,
    sent_at: given.created_at
  }))

/** Any tariff of one plan. */
export const tariff: fc.Arbitrary<Tariff> = arbitraryOf(Tariff).map(storedRecord)

const cents = fc.integer({ min: 1, max: Math.floor(Limits.donationMaximumCents / 3) })

/** Any recommendation set with one to three allocations whose amounts keep its rules. */
export const recommendationSet: fc.Arbitrary<RecommendationSet> = fc
  .tuple(
    arbitraryOf(RecommendationSet),
    fc.uniqueArray(arbitraryOf(Allocation), {
      selector: ({ recipient_org_account_link_id }) => recipient_org_account_link_id,
      minLength: 1,
      maxLength: 3
    }),
    fc.tuple(cents, cents, cents),
    fc.option(cents)
  )
  .map(([given, parts, amounts, floor]) => {
    const isOpen = given.amount_mode === "OPEN"
    const allocations = parts.map((part, index) => ({ ...part, amount_cents: isOpen ? 0 : (amounts[index] ?? 1) }))
    const most = given.amount_mode === "FIXED" ? totalCents(allocations) : Number.POSITIVE_INFINITY
    return {
      ...storedRecord(given),
      allocations,
      min_total_cents: floor === null ? null : Math.min(floor, most),
      is_active: given.is_active && given.archived_at === null
    }
  })

/** A transfer of a payment as it stands, all at the same instant. */
const transferAt = (
  transfer: Transfer,
  {
    at,
    failure_code,
    retry_count,
    transfer_status
  }: Pick<Transfer, "failure_code" | "retry_count" | "transfer_status"> & {
    readonly at: DateTime.Utc
  }
): Transfer => ({
  ...transfer,
  transfer_status,
  retry_count,
  failure_code: transfer_status === "failed" ? failure_code : null,
  succeeded_at: transfer_status === "succeeded" || transfer_status === "reversed" ? at : null,
  failed_at: transfer_status === "failed" ? at : null,
  reversed_at: transfer_status === "reversed" ? at : null
})

/** Any payment to a recommendation set; its amounts add up, and its transfers go on once it was paid. */
export const payment: fc.Arbitrary<Payment> = fc
  .record({
    born: submittedPayment,
    given: Subjects.payments.conform(arbitraryOf(Payment)),
    code: text(),
    retry_count: counter,
    standings: fc.array(fc.constantFrom(...TransferStatus.literals), { minLength: 5, maxLength: 5 })
  })
  .map(({ born, code, given, retry_count, standings }) => {
    const { payment_method_type, payment_status, transfers_begun_at } = given
    const [isPaid, isAwaited] = [payment_status === "SUCCEEDED", /^(?:AWAITING_FUNDS|LAPSED)$/u.test(payment_status)]
    const kept = storedRecord({
      ...given,
      transfers_begun_at: isPaid ? (transfers_begun_at ?? given.created_at) : null,
      failure_code: given.failed_at === null ? null : code,
      payment_method_type: isAwaited ? "bank_transfer" : payment_method_type
    })
    const allocations = born.allocations.map((each, index) => {
      const isNothing = each.net_amount_cents === 0
      const transfer_status = isPaid && !isNothing ? (standings[index] ?? "pending") : "pending"
      return transferAt(storedRecord(each), { at: kept.updated_at, failure_code: code, retry_count, transfer_status })
    })
    const { platform_fee_cents, processor_fee_cents, total_amount_cents } = born
    return { ...kept, platform_fee_cents, processor_fee_cents, total_amount_cents, allocations }
  })
