import fc from "fast-check"
import * as Donation from "../../domain/giving/Donation.ts"
import * as Refund from "../../domain/giving/Refund.ts"
import { arbitraryOf } from "../Arbitraries.ts"
import { instant as anyInstant } from "../Generators.ts"
import type { Subject } from "../Laws.ts"
import { dayMillis, instant, millis } from "./Month.ts"

/** Donations with small amounts, so that parts, rests and excesses of a gift are all common. */
const donationStates: fc.Arbitrary<Donation.Donation> = fc
  .record({
    donation: arbitraryOf(Donation.Donation),
    payment_method: fc.constantFrom("card", "bank_transfer", "payto", "au_becs_debit"),
    amount_cents: fc.integer({ min: 1, max: 4 }),
    refunded: fc.integer({ min: 0, max: 3 }),
    created_at: instant
  })
  .map(({ amount_cents, created_at, donation, payment_method, refunded }): Donation.Donation => {
    const part = donation.status === "CONFIRMED" ? refunded % amount_cents : 0
    const refunded_amount_cents = donation.status === "REFUNDED" ? amount_cents : part
    return { ...donation, payment_method, amount_cents, refunded_amount_cents, created_at }
  })

const donationCommands: fc.Arbitrary<Donation.Command> = fc
  .tuple(arbitraryOf(Donation.Command), instant, fc.integer({ min: 1, max: 4 }))
  .map(
    ([command, at, amount_cents]): Donation.Command =>
      "amount_cents" in command ? { ...command, at, amount_cents } : { ...command, at }
  )

/** Donations of every status, for the laws. */
export const donations: Subject<Donation.Donation, Donation.Command> = {
  schema: Donation.Donation,
  states: donationStates,
  commands: donationCommands,
  // service-spec, States and transitions: Donation; decisions, section 5: Donation; money, sections 2 and 10.
  expect: {
    EnterNetwork: {
      from: ["PENDING"],
      to: "PENDING",
      events: ["donation.processing"],
      when: ({ payment_method }) => payment_method === "payto" || payment_method === "au_becs_debit",
      changes: (_, { at }) => ({ updated_at: at })
    },
    Settle: {
      from: ["PENDING"],
      to: "CONFIRMED",
      events: ["donation.succeeded"],
      when: ({ payment_method }) => payment_method !== "bank_transfer",
      changes: (_, { at, received_on }) => ({ received_date: at, received_day: received_on, updated_at: at })
    },
    SettleTransfer: {
      from: ["PENDING"],
      to: "CONFIRMED",
      events: ["donation.succeeded"],
      when: ({ payment_method }) => payment_method === "bank_transfer",
      changes: (_, { arrived_at, arrived_on, at }) => ({
        donation_date: arrived_at,
        donation_day: arrived_on,
        received_date: arrived_at,
        received_day: arrived_on,
        updated_at: at
      })
    },
    Fail: {
      from: ["PENDING"],
      to: "FAILED",
      events: ["donation.failed"],
      changes: (_, { at, failure_code }) => ({ failure_code, updated_at: at })
    },
    Lapse: {
      from: ["PENDING"],
      to: "FAILED",
      events: ["donation.failed"],
      when: ({ created_at, payment_method }, { at }) =>
        payment_method === "bank_transfer" && millis(at) - millis(created_at) >= 14 * dayMillis,
      changes: (_, { at }) => ({ failure_code: "bank_transfer_lapsed", updated_at: at })
    },
    RefundPart: {
      from: ["CONFIRMED"],
      to: "CONFIRMED",
      events: ["donation.refunded"],
      when: (gift, { amount_cents }) => gift.refunded_amount_cents + amount_cents < gift.amount_cents,
      changes: (gift, { amount_cents, at }) => ({
        refunded_amount_cents: gift.refunded_amount_cents + amount_cents,
        updated_at: at
      })
    },
    RefundRest: {
      from: ["CONFIRMED"],
      to: "REFUNDED",
      events: ["donation.refunded"],
      when: (gift, { amount_cents }) => gift.refunded_amount_cents + amount_cents === gift.amount_cents,
      changes: (gift, { at }) => ({ refunded_amount_cents: gift.amount_cents, updated_at: at })
    },
    ReverseRefund: {
      from: ["CONFIRMED", "REFUNDED"],
      to: "CONFIRMED",
      events: ["donation.refund_reversed"],
      when: (gift, { amount_cents }) => gift.refunded_amount_cents >= amount_cents,
      changes: (gift, { amount_cents, at }) => ({
        refunded_amount_cents: gift.refunded_amount_cents - amount_cents,
        updated_at: at
      })
    },
    LoseChargeback: {
      from: ["CONFIRMED"],
      to: "REFUNDED",
      events: ["donation.refunded"],
      when: (gift, { amount_cents }) => gift.refunded_amount_cents + amount_cents === gift.amount_cents,
      changes: (gift, { at }) => ({ refunded_amount_cents: gift.amount_cents, updated_at: at })
    },
    LoseChargebackPart: {
      from: ["CONFIRMED"],
      to: "CONFIRMED",
      events: ["donation.refunded"],
      when: (gift, { amount_cents }) => gift.refunded_amount_cents + amount_cents < gift.amount_cents,
      changes: (gift, { amount_cents, at }) => ({
        refunded_amount_cents: gift.refunded_amount_cents + amount_cents,
        updated_at: at
      })
    }
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
}

const refundStates: fc.Arbitrary<Refund.Refund> = fc
  .tuple(arbitraryOf(Refund.Refund), anyInstant)
  .map(([refund, at]) => ({
    ...refund,
    refunded_at: refund.status === "SUCCEEDED" ? at : refund.status === "PENDING" ? null : refund.refunded_at
  }))

const refundCommands: fc.Arbitrary<Refund.Command> = fc
  .tuple(arbitraryOf(Refund.Command), anyInstant)
  .map(([command, at]): Refund.Command => ({ ...command, at }))

/** Refunds of every status, for the laws. */
export const refunds: Subject<Refund.Refund, Refund.Command> = {
  schema: Refund.Refund,
  states: refundStates,
  commands: refundCommands,
  // decisions, section 4: Refunds; section 5: Refund; money, section 2: Refund.
  expect: {
    Succeed: {
      from: ["PENDING"],
      to: "SUCCEEDED",
      changes: (_, { at, processor_reference }) => ({ refunded_at: at, processor_reference, updated_at: at })
    },
    Fail: {
      from: ["PENDING", "SUCCEEDED"],
      to: "FAILED",
      changes: (_, { at }) => ({ updated_at: at })
    }
  },
  invariants: {
    "a refund is dated once the money went back, and not before": ({ refunded_at, status }) =>
      status === "FAILED" || (status === "SUCCEEDED") === (refunded_at !== null)
  },
  steps: { "the amount of a refund never changes": ({ after, before }) => after.amount_cents === before.amount_cents }
}
