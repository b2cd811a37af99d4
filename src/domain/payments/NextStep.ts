import { Schema } from "effect"
import { Cents, Currency } from "../kernel/Money.ts"

/** The donor's next step for a charge to go on, for the page to show. money, section 3: begin. */
export const NextStep = Schema.TaggedUnion({
  /** Open this address, at which the donor's bank asks for consent. */
  Redirect: { url: Schema.String },
  /** Hand this token to the processor's own component on the page. */
  Component: { token: Schema.String },
  /** Approve it in the bank's own app. */
  Approval: {},
  /** Transfer the amount to this account, with the reference as its text. */
  BankTransfer: {
    account_name: Schema.String,
    bsb: Schema.String,
    account_number: Schema.String,
    reference: Schema.String,
    amount_cents: Cents,
    currency: Currency
  }
})
export type NextStep = typeof NextStep.Type
