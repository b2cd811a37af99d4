import { Effect } from "effect"
import { PaymentStore } from "../../../ports/sharing/PaymentStore.ts"
import type { Reaction } from "../../kernel/reaction/Reactions.ts"
import { makeTransferCheck } from "../transfer/TransferCheck.ts"
import { makePaymentOutcome } from "./PaymentOutcome.ts"

/** The payments of a merged donor become the survivor's, and payments become what their charges are. decisions, section 4: Donors. */
export const paymentReactions = Effect.gen(function* () {
  const payments = yield* PaymentStore
  const chargeMoved = yield* makePaymentOutcome
  const transfersDoubted = yield* makeTransferCheck
  const reaction: Partial<Reaction> = {
    donorMerged: ({ at, duplicate, organisation_id, survivor }) =>
      payments.reassign(organisation_id, duplicate, survivor, at),
    chargeMoved,
    transfersDoubted
  }
  return reaction
})
