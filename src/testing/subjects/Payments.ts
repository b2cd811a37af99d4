import fc from "fast-check"
import { breakdownOf, type Rates } from "../../domain/payments/Fees.ts"
import * as Payment from "../../domain/sharing/Payment.ts"
import * as Transfer from "../../domain/sharing/Transfer.ts"
import * as TransferAttempt from "../../domain/sharing/TransferAttempt.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import type { Subject } from "../Laws.ts"
import { type ContractSubject, subjectOf } from "../SubjectOf.ts"
import { dayMillis, instant, millis } from "./Month.ts"

const transferStates: fc.Arbitrary<Transfer.Transfer> = fc
  .record({
    given: arbitraryOf(Transfer.Transfer),
    net_amount_cents: fc.integer({ min: 0, max: 3 }),
    fee_cents: fc.integer({ min: 0, max: 1 }),
    retry_count: fc.integer({ min: 0, max: 3 }),
    at: instant
  })
  .map(({ at, fee_cents, given, net_amount_cents, retry_count }): Transfer.Transfer => {
    const { transfer_status } = given
    return {
      ...given,
      // An allocation of 0 cents gets no transfer, so it stays pending.
      net_amount_cents: transfer_status === "pending" ? net_amount_cents : net_amount_cents + 1,
      gross_amount_cents: net_amount_cents + 1 + fee_cents,
      retry_count,
      failure_code: transfer_status === "failed" ? "account_closed" : null,
      succeeded_at: transfer_status === "succeeded" || transfer_status === "reversed" ? at : null,
      failed_at: transfer_status === "failed" ? at : null,
      reversed_at: transfer_status === "reversed" ? at : null
    }
  })

const isNothing = ({ net_amount_cents }: Transfer.Transfer): boolean => net_amount_cents === 0

const isSomething = (transfer: Transfer.Transfer): boolean => !isNothing(transfer)

/** Transfers of every status, for the laws; some have nothing to transfer. */
export const transfers: Subject<Transfer.Transfer, Transfer.Command> = subjectOf(Transfer.machine, {
  states: transferStates,
  // decisions, section 5: Transfer. money, section 6. Another series has another donation.
  rows: `
    * → pending
    Retry: pending → pending ?; retry_count + 1, failure_code
    Succeed: pending → succeeded [recommendation_set.distribution_succeeded] ?; succeeded_at = at, processor_reference,
      failure_code = null
    Fail: pending → failed [recommendation_set.distribution_failed] ?; failed_at = at, failure_code
    Skip: pending → succeeded ?; succeeded_at = at
    Restart: failed, reversed → pending; series + 1, retry_count = 0, donation_id, failure_code = null
    Reverse: succeeded → reversed; reversed_at = at
    [*]: allocation_id = its id, recipient_org_account_link_id, amount_cents = its net_amount_cents, gross_amount_cents,
      transfer_status, donation_id, failure_code`,
  when: { Retry: isSomething, Succeed: isSomething, Fail: isSomething, Skip: isNothing }
})

const rate = fc.record({
  basis_points: fc.integer({ min: 0, max: 1_000 }),
  fixed_cents: fc.integer({ min: 0, max: 50 })
})

/** Any rates with fees of up to 10 percent and 50 minor units each. */
export const rates: fc.Arbitrary<Rates> = fc.record({ platform: rate, processor: rate })

/** Transfers of a payment, not started yet; their ids differ. */
const fresh = fc
  .uniqueArray(fc.tuple(arbitraryOf(Transfer.Transfer), fc.integer({ min: 0, max: 1_000 })), {
    selector: ([{ id }]) => id,
    minLength: 1,
    maxLength: 5
  })
  .filter((parts) => parts.some(([, gross]) => gross > 0))

/**
 * Any payment that was just submitted: fees and net amounts come from rates and add up to the total, and no transfer
 * has started.
 */
export const submittedPayment: fc.Arbitrary<Payment.Payment> = fc
  .record({
    given: arbitraryOf(Payment.Payment),
    parts: fresh,
    rates,
    created_at: instant,
    payment_method_type: fc.constantFrom("card", "bank_transfer", "payto")
  })
  .map(({ created_at, given, parts, payment_method_type, rates }): Payment.Payment => {
    const gross = parts.map(([, gross]) => gross)
    const { net_amounts_cents, platform_fee_cents, processor_fee_cents, total_amount_cents } = breakdownOf(gross, rates)
    const allocations = parts.map(
      ([transfer, gross_amount_cents], index): Transfer.Transfer => ({
        ...transfer,
        gross_amount_cents,
        net_amount_cents: net_amounts_cents[index] ?? 0,
        transfer_status: "pending",
        failure_code: null,
        processor_reference: null,
        series: 1,
        retry_count: 0,
        succeeded_at: null,
        failed_at: null,
        reversed_at: null
      })
    )
    return {
      ...given,
      payment_status: "PENDING",
      payment_method_type,
      total_amount_cents,
      platform_fee_cents,
      processor_fee_cents,
      allocations,
      failure_code: null,
      succeeded_at: null,
      failed_at: null,
      transfers_begun_at: null,
      created_at,
      updated_at: created_at
    }
  })

/** Statuses that only a bank transfer has. */
const awaited: ReadonlySet<Payment.Status> = new Set(["AWAITING_FUNDS", "LAPSED"])

const paymentStates: fc.Arbitrary<Payment.Payment> = fc
  .tuple(submittedPayment, fc.constantFrom(...Payment.Status.literals))
  .map(
    ([payment, payment_status]): Payment.Payment => ({
      ...payment,
      payment_status,
      payment_method_type: awaited.has(payment_status) ? "bank_transfer" : payment.payment_method_type
    })
  )

/** No transfer of a payment begins before its event was told. decisions, section 5: Distribution. */
const distributed = () => ({ distribution_status: "PENDING" })

/** Payments of every status, for the laws. */
export const payments: ContractSubject<Payment.Payment, Payment.Command> = subjectOf(Payment.machine, {
  states: paymentStates,
  // service-spec, Recommendation set payment; decisions, section 5: Recommendation-set payment.
  rows: `
    * → PENDING
    AwaitFunds: PENDING → AWAITING_FUNDS ?
    Succeed: PENDING, AWAITING_FUNDS → SUCCEEDED [recommendation_set.payment_succeeded]; succeeded_at = at
    Fail: PENDING, AWAITING_FUNDS → FAILED [recommendation_set.payment_failed]; failed_at = at, failure_code
    Lapse: AWAITING_FUNDS → LAPSED [recommendation_set.payment_failed] ?; failed_at = at,
      failure_code = "bank_transfer_lapsed"
    succeeded_at: SUCCEEDED
    failed_at: FAILED, LAPSED
    [*]: recommendation_set_payment_id = its id, recommendation_set_id, donor_id, payment_status, total_amount_cents,
      ask_total_cents, payment_method_type, failure_code, *`,
  data: { "*": distributed },
  when: {
    AwaitFunds: ({ payment_method_type }) => payment_method_type === "bank_transfer",
    Lapse: ({ created_at }, { at }) => millis(at) - millis(created_at) >= 14 * dayMillis
  },
  invariants: {
    "fees and net amounts are the total, to the cent": (payment) =>
      payment.allocations.reduce((sum, each) => sum + each.net_amount_cents, 0) +
        payment.platform_fee_cents +
        payment.processor_fee_cents ===
      payment.total_amount_cents,
    "only a bank transfer's funds are awaited": ({ payment_method_type, payment_status }) =>
      payment_status !== "AWAITING_FUNDS" || payment_method_type === "bank_transfer"
  }
})

/** Transfer attempts of every status, sent or not, for the laws. */
export const transferAttempts: ContractSubject<TransferAttempt.TransferAttempt, TransferAttempt.Command> = subjectOf(
  TransferAttempt.machine,
  {
    states: fc
      .tuple(arbitraryOf(TransferAttempt.TransferAttempt), instant)
      .map(([given, at]) => ({ ...given, sent_at: given.status === "NEW" ? given.sent_at : at })),
    // money, section 2: transfer attempt. One whose outcome is unknown stays NEW.
    rows: `
    * → NEW
    Send: NEW → NEW ?; sent_at = at
    Succeed: NEW → SUCCEEDED; reference, look_at = null, ended_at = at
    Refuse: NEW → FAILED; failure_code, look_at = null, ended_at = at
    reference: SUCCEEDED or none
    failure_code: FAILED
    look_at: NEW
    ended_at: SUCCEEDED, FAILED`,
    when: { Send: ({ sent_at }) => sent_at === null }
  }
)
