import type { Submission } from "../../src/domain/sharing/Checkout.ts"
import { numbers } from "../support/Numbers.ts"

// The lives of gifts that the crash tests stop anywhere and take up again. Each act may be done again after a crash, as people
// do it again: a submission under its id, a request of REST under its key, and the bank refuses what has happened already.

/** What is done in a gift's life. */
export type Act =
  | { readonly _tag: "open" }
  | { readonly _tag: "submit" }
  | { readonly _tag: "progress" }
  /** The worker looks at the charge. */
  | { readonly _tag: "work" }
  | { readonly _tag: "look" }
  | { readonly _tag: "refund"; readonly amount_cents?: number }
  /** Somebody has looked at what had to be looked at. */
  | { readonly _tag: "resolve" }
  /** The daily look at what accounts can do. */
  | { readonly _tag: "accounts" }
  | { readonly _tag: "bank"; readonly how: Moving }
  | {
      readonly _tag: "account"
      readonly set: { readonly reach?: "REACHED" | "LOST"; readonly charges_enabled?: boolean }
    }
  /** The time is so many hours after the beginning. */
  | { readonly _tag: "hours"; readonly hours: number }

/** What donors, their banks and the processor's staff do. */
export type Moving =
  | "approve"
  | "decline"
  | "settle"
  | "fail"
  | "refund"
  | "failRefund"
  | "dispute"
  | "loseDispute"
  | "winDispute"
  /** The money of a charge that was cancelled comes all the same. */
  | "late"

/** How a life must have gone, wherever it was cut off. */
export interface Outcome {
  readonly charge: string
  readonly gift: string
  /** What of the gift the organisation still has, minor units. */
  readonly left: number
  /** The events of the gift after `donation.created`. */
  readonly told: ReadonlyArray<string>
  readonly refunds?: ReadonlyArray<string>
  readonly raised?: ReadonlyArray<string>
}

/** A gift from its submission to its end. */
export interface Life {
  readonly name: string
  readonly given?: Partial<Submission>
  readonly acts: ReadonlyArray<Act>
  /** Whether it changes what belongs to all gifts, so that two processes cannot live it side by side. */
  readonly isAlone?: boolean
  readonly outcome: Outcome
}

const open: Act = { _tag: "open" }
const submit: Act = { _tag: "submit" }
const progress: Act = { _tag: "progress" }
const work: Act = { _tag: "work" }
const look: Act = { _tag: "look" }
const resolve: Act = { _tag: "resolve" }
const accounts: Act = { _tag: "accounts" }
const refund = (amount_cents?: number): Act => ({
  _tag: "refund",
  ...(amount_cents === undefined ? {} : { amount_cents })
})
const bank = (how: Moving): Act => ({ _tag: "bank", how })
const hours = (after: number): Act => ({ _tag: "hours", hours: after })
const account = (set: Extract<Act, { _tag: "account" }>["set"]): Act => ({ _tag: "account", set })

/** What every gift of these lives is given. */
export const amount = 5_000

const paid: Outcome = { charge: "SUCCEEDED", gift: "CONFIRMED", left: amount, told: ["donation.succeeded"] }
const unpaid: Outcome = { charge: "FAILED", gift: "FAILED", left: 0, told: ["donation.failed"] }
const givenBack: Outcome = {
  charge: "SUCCEEDED",
  gift: "REFUNDED",
  left: 0,
  told: ["donation.succeeded", "donation.refunded"],
  refunds: ["SUCCEEDED"]
}
const backAgain: Outcome = {
  ...paid,
  told: [...givenBack.told, "donation.refund_reversed"],
  refunds: ["FAILED"],
  raised: ["refund_failed"]
}
const debit = { method: "au_becs_debit", payment_token: numbers.debit } as const
const processing = (outcome: Outcome): Outcome => ({ ...outcome, told: ["donation.processing", ...outcome.told] })

/** Every life. What a part of the program adds to what becomes of a gift is a line here. */
export const lives: ReadonlyArray<Life> = [
  { name: "succeeds", acts: [open, submit, progress, work], outcome: paid },
  { name: "is declined", given: { payment_token: numbers.declined }, acts: [submit, work], outcome: unpaid },
  {
    name: "is approved by its holder",
    given: { payment_token: numbers.waits },
    acts: [submit, progress, bank("approve"), work],
    outcome: paid
  },
  {
    name: "is refused by its holder",
    given: { payment_token: numbers.waits },
    acts: [submit, bank("decline"), work],
    outcome: unpaid
  },
  {
    name: "is abandoned",
    given: { payment_token: numbers.waits },
    acts: [submit, hours(25), work],
    outcome: { ...unpaid, charge: "CANCELLED" }
  },
  {
    name: "is a debit that settles",
    given: debit,
    acts: [submit, bank("settle"), work],
    outcome: processing(paid)
  },
  {
    name: "is a debit that is dishonoured",
    given: debit,
    acts: [submit, bank("fail"), work],
    outcome: processing(unpaid)
  },
  {
    name: "is an agreement that is approved",
    given: { method: "payto", payment_token: numbers.agreement },
    acts: [submit, bank("approve"), work, hours(1), work],
    outcome: processing(paid)
  },
  { name: "is refunded", acts: [submit, refund(), work], outcome: givenBack },
  {
    name: "is refunded in part",
    acts: [submit, refund(2_000), work],
    outcome: { ...givenBack, gift: "CONFIRMED", left: 3_000 }
  },
  {
    name: "is refunded at the processor",
    acts: [submit, bank("refund"), look],
    outcome: givenBack
  },
  {
    name: "has a refund that is paid later",
    given: { payment_token: numbers.refundWaits },
    acts: [submit, refund(), work, hours(1), work],
    outcome: givenBack
  },
  {
    name: "has a refund that comes back",
    acts: [submit, refund(), work, bank("failRefund"), work, resolve],
    outcome: backAgain
  },
  {
    name: "has a dispute that is lost",
    acts: [submit, bank("dispute"), work, bank("loseDispute"), work],
    outcome: givenBack
  },
  {
    name: "has a dispute that is won",
    acts: [submit, bank("dispute"), work, bank("winDispute"), work],
    outcome: paid
  },
  {
    name: "has a dispute that is won after it was lost",
    acts: [submit, bank("dispute"), bank("loseDispute"), work, bank("winDispute"), work],
    outcome: { ...paid, told: [...givenBack.told, "donation.refund_reversed"], refunds: ["FAILED"] }
  },
  {
    name: "has its fee later",
    given: { payment_token: numbers.feeLater },
    acts: [submit, hours(1), work],
    outcome: paid
  },
  {
    name: "is confirmed without an answer",
    given: { payment_token: numbers.answerLost },
    acts: [submit, work],
    outcome: paid
  },
  {
    name: "comes after its end",
    given: { payment_token: numbers.waits },
    acts: [submit, hours(25), work, bank("late"), look, work],
    outcome: { ...unpaid, charge: "CANCELLED", refunds: ["SUCCEEDED"], raised: ["late_success"] }
  },
  {
    name: "does not reach its processor",
    isAlone: true,
    acts: [account({ reach: "LOST" }), submit, hours(1), work, account({ reach: "REACHED" }), work],
    outcome: { ...unpaid, charge: "CANCELLED" }
  },
  {
    name: "is given while accounts are looked at",
    isAlone: true,
    acts: [account({ charges_enabled: false }), accounts, account({ charges_enabled: true }), accounts, submit],
    outcome: paid
  }
]
