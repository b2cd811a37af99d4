import { Charge, type Command, machine } from "../../domain/payments/Charge.ts"
import * as Dispute from "../../domain/payments/Dispute.ts"
import * as Notice from "../../domain/payments/Notice.ts"
import * as PaymentException from "../../domain/payments/PaymentException.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import { type ContractSubject, subjectOf } from "../SubjectOf.ts"

/** Charges of every status, for the laws. */
export const charges: ContractSubject<Charge, Command> = subjectOf(machine, {
  states: arbitraryOf(Charge).map(
    (given): Charge => ({ ...given, sealed_token: given.ending === null ? given.sealed_token : null })
  ),
  // money, sections 1, 2 and 5.
  rows: `
    * → NEW
    Refer: NEW, FAILED, CANCELLED → same ?; reference
    Confirm: NEW, WAITING → same ?; confirmed_at = at
    Wait: NEW → WAITING; waiting_since = at, *
    Process: NEW, WAITING → PROCESSING; ending = null, sealed_token = null
    Succeed: NEW, WAITING, PROCESSING → SUCCEEDED; ending = null, sealed_token = null, ended_at = at
    Fail: NEW, WAITING, PROCESSING → FAILED; failure_code, sealed_token = null, ended_at = at
    End: NEW, WAITING, PROCESSING → same; ending = failure_code, sealed_token = null, look_at = at, looks = 0
    Cancel: NEW, WAITING → CANCELLED; failure_code, sealed_token = null, ended_at = at
    LearnFee: SUCCEEDED, FAILED, CANCELLED → same ?; processor_fee_cents
    ended_at: SUCCEEDED, FAILED, CANCELLED
    failure_code: FAILED, CANCELLED
    sealed_token: NEW, WAITING or none
    waiting_since: WAITING, PROCESSING, SUCCEEDED, FAILED, CANCELLED or none
    ending: NEW, WAITING, PROCESSING, FAILED, CANCELLED or none
    processor_fee_cents: SUCCEEDED, FAILED, CANCELLED or none`,
  when: {
    Refer: ({ reference }) => reference === null,
    Confirm: ({ confirmed_at }) => confirmed_at === null,
    LearnFee: (charge, learned) => charge.processor_fee_cents !== learned.processor_fee_cents
  },
  changes: { Wait: ({ confirmed_at }) => (confirmed_at === null ? {} : { sealed_token: null }) },
  invariants: {
    "what the donor pays with is kept no longer than it is needed": ({ ending, sealed_token }) =>
      sealed_token === null || ending === null
  }
})

/** Disputes of every status, for the laws. */
export const disputes: ContractSubject<Dispute.Dispute, Dispute.Command> = subjectOf(Dispute.machine, {
  // money, sections 2 and 11: Dispute. One that was lost may be won after all, and one that was won lost; a fee may come back.
  rows: `
    * → OPEN
    * → LOST
    Win: OPEN, LOST → WON; ended_at = at
    Lose: OPEN, WON → LOST; refund_id, ended_at = at
    LearnFee: OPEN, WON, LOST → same ?; fee_cents
    ended_at: WON, LOST
    refund_id: WON, LOST or none`,
  when: { LearnFee: (dispute, learned) => dispute.fee_cents !== learned.fee_cents }
})

/** Payment exceptions of every status, for the laws. */
export const paymentExceptions: ContractSubject<PaymentException.PaymentException, PaymentException.Command> =
  subjectOf(PaymentException.machine, {
    states: arbitraryOf(PaymentException.PaymentException).map(
      (given): PaymentException.PaymentException => ({
        ...given,
        held_cents: given.held_cents % (given.amount_cents + 1)
      })
    ),
    // money, section 2: Exception.
    rows: `
      * → OPEN
      Resolve: OPEN → RESOLVED; note, donation_id, resolved_by = by, resolved_at = at
      note, resolved_by, resolved_at: RESOLVED
      donation_id: RESOLVED or none`
  })

/** Notices of every status, for the laws. */
export const notices: ContractSubject<Notice.Notice, Notice.Command> = subjectOf(Notice.machine, {
  // money, section 2: Notice.
  rows: `
    * → RECEIVED
    Apply: RECEIVED, WAITING → APPLIED; error = null, apply_at = null, ended_at = at
    Ignore: RECEIVED, WAITING → IGNORED; error = null, apply_at = null, ended_at = at
    Wait: RECEIVED, WAITING → WAITING; error = null, apply_at
    Delay: RECEIVED, WAITING → same; attempts + 1, error, apply_at
    Fail: RECEIVED, WAITING → FAILED; error, apply_at = null, ended_at = at
    Retry: IGNORED, FAILED → RECEIVED; error = null, attempts = 0, apply_at = at, ended_at = null
    apply_at: RECEIVED, WAITING
    ended_at: APPLIED, IGNORED, FAILED
    error: RECEIVED, WAITING, FAILED or none`
})
