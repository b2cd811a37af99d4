import type { NoticeManner, TestMandate, TransferManner } from "../../src/domain/payments/TestCharge.ts"
import type { Submission } from "../../src/domain/sharing/Checkout.ts"
import type { FieldsOf } from "../support/InputForms.ts"
import { numbers } from "../support/Numbers.ts"

// What the lives of gifts are made of that the crash tests stop anywhere and take up again. Each act may be done again after a
// crash, as people do it again: a submission under its id, a request of REST under its key, and the bank refuses what has
// happened already.

/** What a donor sends that other donors do not. */
export type DonorInput = FieldsOf<Submission>

/** A line of a bank statement: it names the gift unless it is nameless. */
export interface Line {
  readonly amount_cents: number
  readonly isNameless?: boolean
}

/** What is done in a gift's life. */
export type Act =
  | { readonly _tag: "open" }
  /** On the second page, somebody gives after the first. */
  | { readonly _tag: "submit"; readonly page?: 2; readonly given?: DonorInput }
  | { readonly _tag: "progress" }
  /** The worker looks at the charge. */
  | { readonly _tag: "work" }
  | { readonly _tag: "look" }
  /** What is due to recipients is transferred. */
  | { readonly _tag: "share" }
  /** The account of a recipient of the set takes transfers so. */
  | { readonly _tag: "recipient"; readonly transfers: TransferManner; readonly place: number }
  | { readonly _tag: "refund"; readonly amount_cents?: number }
  /** Staff give a set's payment back, all that is left of it. */
  | { readonly _tag: "refundPayment" }
  /** Staff have the transfer to the set's recipient begun anew. */
  | { readonly _tag: "beginAnew" }
  /** Staff say of the transfer to the set's recipient, or of its reversal, that its money has moved, or cannot be moved. */
  | { readonly _tag: "byHand"; readonly has: "moved" | "failed" }
  /** Staff say that the set's donor was paid back. */
  | { readonly _tag: "paidBack" }
  /** Somebody has looked at what had to be looked at; what is held is kept where nothing else is said. */
  | { readonly _tag: "resolve"; readonly money?: "kept" | "returned" | "gift" }
  /** A file of the account's statement is imported. */
  | { readonly _tag: "import"; readonly lines: ReadonlyArray<Line> }
  /** A line of the account's statement is recorded by hand. */
  | { readonly _tag: "record"; readonly line: Line }
  | { readonly _tag: "link"; readonly how: "cancel" | "archive" }
  /** What has expired is written. */
  | { readonly _tag: "sweep" }
  /** The bank tells of the gift, and a worker applies what it hears. */
  | { readonly _tag: "hear" }
  /** The processor tells of a charge that nobody has, or of something else. */
  | { readonly _tag: "stray"; readonly about: "charge" | "other" }
  /** Everything is compared with what the processor has. */
  | { readonly _tag: "reconcile" }
  /** The worker renews recurring gifts. */
  | { readonly _tag: "renew" }
  /** The worker looks at the charges of renewals. */
  | { readonly _tag: "workOnRenewals" }
  /** What the donor pays with does so from the next renewal on. */
  | { readonly _tag: "mandate"; readonly set: TestMandate }
  /** Something happens at the bank to the newest renewal. */
  | { readonly _tag: "renewal"; readonly how: "settle" | "dispute" | "loseDispute" }
  /** Staff end the recurring gift. */
  | { readonly _tag: "end" }
  /** The daily look at what accounts can do. */
  | { readonly _tag: "accounts" }
  | { readonly _tag: "bank"; readonly how: OutsideMoves }
  | {
      readonly _tag: "account"
      readonly set: {
        readonly reach?: "REACHED" | "LOST" | "ANSWER_LOST"
        readonly charges_enabled?: boolean
        readonly notices?: NoticeManner
      }
    }
  /** The time is within the financial year that is the life's own, or after it. */
  | { readonly _tag: "year"; readonly isOver: boolean }
  /** The summaries of the last financial year are written. */
  | { readonly _tag: "summarise" }
  /** The time is so many hours after the beginning. */
  | { readonly _tag: "hours"; readonly hours: number }

/** What donors, their banks and the processor's staff do. */
export type OutsideMoves =
  | "approve"
  | "decline"
  | "settle"
  | "fail"
  | "refund"
  | "failRefund"
  | "reverseTransfer"
  | "dispute"
  | "loseDispute"
  | "winDispute"
  /** The money of a charge that was cancelled comes all the same. */
  | "late"

/** How a recurring gift must have gone. */
export interface RecurringOutcome {
  /** What the gift, its mandate and each of its invoices are. */
  readonly statuses: ReadonlyArray<string>
  /** What the gifts after the first are. */
  readonly gifts: ReadonlyArray<string>
  /** What of the charges after the first the organisation still has, minor units, and how many of them were made. */
  readonly left: readonly [cents: number, charges: number]
  readonly told: ReadonlyArray<string>
}

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
  /** What came to the account, the least first. */
  readonly came?: ReadonlyArray<number>
  /** What was booked as gifts of their own. */
  readonly booked?: ReadonlyArray<number>
  /** What goes to the recipients of a set. */
  readonly transfers?: ReadonlyArray<string>
  /** What the recipients of a set have of it each: the gift, and its events; not compared where nothing is said. */
  readonly theirs?: ReadonlyArray<ReadonlyArray<string>>
  /** How many parts the bank sends on; not compared where nothing is said. */
  readonly sent?: number
  /** What became of a recurring gift beside its first gift. */
  readonly recurring?: RecurringOutcome
  /** How many summaries of its year its donor gets; not compared where nothing is said. */
  readonly summaries?: number
  /** What its link is, and the events of that. */
  readonly link?: ReadonlyArray<string>
  /** What became of the gift after it on its link: the charge, the gift and its events. */
  readonly next?: ReadonlyArray<string>
}

/** A gift from its submission to its end. */
export interface Life {
  readonly name: string
  /** Where it is given; on a form when not said. */
  readonly page?: "link" | "set"
  /** How many recipients its set has; one when not said. */
  readonly recipients?: number
  readonly expires?: boolean
  readonly given?: DonorInput
  readonly acts: ReadonlyArray<Act>
  /**
   * Whether it changes what belongs to all gifts, or which of two acts of two processes comes first decides what becomes of it, so
   * that two cannot live it side by side.
   */
  readonly isAlone?: boolean
  readonly outcome: Outcome
}

// Acts, each as its tag says above.
export const open: Act = { _tag: "open" }
export const submit: Act = { _tag: "submit" }
export const progress: Act = { _tag: "progress" }
export const work: Act = { _tag: "work" }
export const share: Act = { _tag: "share" }
export const recipient = (transfers: TransferManner, place = 0): Act => ({ _tag: "recipient", transfers, place })
export const look: Act = { _tag: "look" }
export const resolve: Act = { _tag: "resolve" }
export const accounts: Act = { _tag: "accounts" }
export const refund = (amount_cents?: number): Act => ({
  _tag: "refund",
  ...(amount_cents === undefined ? {} : { amount_cents })
})
export const refundPayment: Act = { _tag: "refundPayment" }
export const beginAnew: Act = { _tag: "beginAnew" }
export const byHand = (has: "moved" | "failed"): Act => ({ _tag: "byHand", has })
export const paidBack: Act = { _tag: "paidBack" }
export const bank = (how: OutsideMoves): Act => ({ _tag: "bank", how })
export const year = (isOver: boolean): Act => ({ _tag: "year", isOver })
export const summarise: Act = { _tag: "summarise" }
export const hours = (after: number): Act => ({ _tag: "hours", hours: after })
export const account = (set: Extract<Act, { _tag: "account" }>["set"]): Act => ({ _tag: "account", set })

/** What every gift of these lives is given. */
export const amount = 5_000

export const paidLife: Outcome = { charge: "SUCCEEDED", gift: "CONFIRMED", left: amount, told: ["donation.succeeded"] }

export const unpaid: Outcome = { charge: "FAILED", gift: "FAILED", left: 0, told: ["donation.failed"] }
/** It was paid back. */
export const givenBack: Outcome = {
  charge: "SUCCEEDED",
  gift: "REFUNDED",
  left: 0,
  told: ["donation.succeeded", "donation.refunded"],
  refunds: ["SUCCEEDED"]
}
/** Its refund came back. */
export const backAgain: Outcome = {
  ...paidLife,
  told: [...givenBack.told, "donation.refund_reversed"],
  refunds: ["FAILED"],
  raised: ["refund_failed"]
}
/** A donor who pays by debit. */
export const debit = { method: "au_becs_debit", payment_token: numbers.debit } as const
/** The same after the bank has worked on it. */
export const processingLife = (outcome: Outcome): Outcome => ({
  ...outcome,
  told: ["donation.processing", ...outcome.told]
})

/** A donor whose bank asks the holder. */
export const waits = { payment_token: numbers.waits } as const

/** How many gifts a life makes: its own, the next on its link, its renewals, and what was booked of money that named none. */
export const giftsOf = ({ outcome, page }: Life): number =>
  (page === "set" ? 0 : 1) +
  (outcome.next === undefined ? 0 : 1) +
  (outcome.recurring?.gifts.length ?? 0) +
  (outcome.booked?.length ?? 0)
