import fc from "fast-check"
import * as Donation from "../../domain/giving/Donation.ts"
import * as Refund from "../../domain/giving/Refund.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import { type ContractSubject, subjectOf } from "../SubjectOf.ts"
import { dayMillis, instant, millis } from "./Month.ts"

/** Amounts so small that parts, rests and excesses of a gift are all common. */
const amount = fc.integer({ min: 1, max: 4 })

const donationStates: fc.Arbitrary<Donation.Donation> = fc
  .tuple(arbitraryOf(Donation.Donation), amount, fc.nat(3))
  .map(([donation, amount_cents, refunded]): Donation.Donation => {
    const part = donation.status === "CONFIRMED" ? refunded % amount_cents : 0
    return { ...donation, amount_cents, refunded_amount_cents: donation.status === "REFUNDED" ? amount_cents : part }
  })

type Gift = Donation.Donation

const isPart = (gift: Gift, { amount_cents }: { readonly amount_cents: number }): boolean =>
  gift.refunded_amount_cents + amount_cents < gift.amount_cents

const isRest = (gift: Gift, { amount_cents }: { readonly amount_cents: number }): boolean =>
  gift.refunded_amount_cents + amount_cents === gift.amount_cents

/** Donations of every status, for the laws. */
export const donations: ContractSubject<Donation.Donation, Donation.Command> = subjectOf(Donation.machine, {
  states: donationStates,
  stateFields: {
    payment_method: fc.constantFrom("card", "bank_transfer", "payto", "au_becs_debit"),
    created_at: instant
  },
  commandFields: { amount_cents: amount },
  // service-spec, States and transitions: Donation; decisions, section 5: Donation; money, sections 2 and 10.
  rows: `
    * → PENDING [donation.created]
    * → CONFIRMED [donation.created, donation.succeeded]
    EnterNetwork: PENDING → PENDING [donation.processing] ?
    Settle: PENDING → CONFIRMED [donation.succeeded] ?; received_date = at, received_day = received_on
    SettleTransfer: PENDING → CONFIRMED [donation.succeeded] ?; received_date = arrived_at, received_day = arrived_on,
      donation_date = arrived_at, donation_day = arrived_on
    Fail: PENDING → FAILED [donation.failed]; failure_code
    Lapse: PENDING → FAILED [donation.failed] ?; failure_code = "bank_transfer_lapsed"
    RefundPart: CONFIRMED → CONFIRMED [donation.refunded] ?; refunded_amount_cents + amount_cents
    RefundRest: CONFIRMED → REFUNDED [donation.refunded] ?; refunded_amount_cents = its amount_cents
    ReverseRefund: CONFIRMED, REFUNDED → CONFIRMED [donation.refund_reversed] ?; refunded_amount_cents - amount_cents
    LoseChargeback: CONFIRMED → REFUNDED [donation.refunded] ?; refunded_amount_cents = its amount_cents
    LoseChargebackPart: CONFIRMED → CONFIRMED [donation.refunded] ?; refunded_amount_cents + amount_cents
    [*]: id, donor_id, amount_cents, currency, refunded_amount_cents, source, status, donation_date, failure_code,
      revenue_code, revenue_code_id, tracking_code = its revenue_code, tracking_code_id = its revenue_code_id,
      subscription_id, is_recurring, donation_form_id, campaign_id, consent_given, consent_responses,
      differs_from_record, recommendation_set_id, allocation_id, updated_at
    failure_code: FAILED
    received_date, received_day: CONFIRMED, REFUNDED or none`,
  when: {
    EnterNetwork: ({ payment_method }) => payment_method === "payto" || payment_method === "au_becs_debit",
    Settle: ({ payment_method }) => payment_method !== "bank_transfer",
    SettleTransfer: ({ payment_method }) => payment_method === "bank_transfer",
    Lapse: ({ created_at, payment_method }, { at }) =>
      payment_method === "bank_transfer" && millis(at) - millis(created_at) >= 14 * dayMillis,
    RefundPart: isPart,
    RefundRest: isRest,
    ReverseRefund: (gift, { amount_cents }) => gift.refunded_amount_cents >= amount_cents,
    LoseChargeback: isRest,
    LoseChargebackPart: isPart
  },
  invariants: {
    "no more is refunded than was given": (gift) => gift.refunded_amount_cents <= gift.amount_cents,
    "a gift is REFUNDED exactly when all of it was given back": (gift) =>
      (gift.status === "REFUNDED") === (gift.refunded_amount_cents === gift.amount_cents)
  },
  steps: {
    "what was given, by whom and in which currency never changes": ({ after, before }) =>
      after.amount_cents === before.amount_cents &&
      after.currency === before.currency &&
      after.donor_id === before.donor_id,
    "every event tells of one change": ({ events }) => events.length === 1
  }
})

/** Refunds of every status, for the laws; one that failed may have succeeded before. */
export const refunds: ContractSubject<Refund.Refund, Refund.Command> = subjectOf(Refund.machine, {
  states: fc
    .tuple(arbitraryOf(Refund.Refund), instant)
    .map(([refund, at]) => ({ ...refund, refunded_at: refund.status === "SUCCEEDED" ? at : refund.refunded_at })),
  // decisions, section 4: Refunds; section 5: Refund; money, section 2: Refund.
  rows: `
    * → PENDING
    * → SUCCEEDED
    Succeed: PENDING → SUCCEEDED; refunded_at = at, processor_reference
    Fail: PENDING, SUCCEEDED → FAILED
    refunded_at: SUCCEEDED, FAILED or none`
})
