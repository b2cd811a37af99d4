import { Effect, Option } from "effect"
import { anewOf } from "../../../domain/sharing/Payment.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { PaymentStore } from "../../../ports/sharing/PaymentStore.ts"
import type { Reaction } from "../../kernel/reaction/Reactions.ts"
import { makeTransferCheck } from "../transfer/TransferCheck.ts"
import { makePaymentOutcome } from "./PaymentOutcome.ts"

/** The payments of a merged donor become the survivor's, and payments become what their charges are. decisions, section 4: Donors. */
export const paymentReactions = Effect.gen(function* () {
  const payments = yield* PaymentStore
  const tokens = yield* Tokens
  const chargeMoved = yield* makePaymentOutcome
  const transfersDoubted = yield* makeTransferCheck
  const reaction: Partial<Reaction> = {
    donorMerged: ({ at, duplicate, organisation_id, survivor }) =>
      payments.reassign(organisation_id, duplicate, survivor, at),
    chargeMoved,
    transfersDoubted,
    paymentAnew: Effect.fnUntraced(function* ({ at, id, lapsed_id, organisation_id }) {
      const lapsed = yield* payments.find(organisation_id, lapsed_id)
      if (Option.isNone(lapsed)) return yield* Effect.die(new Error(`There is no payment ${lapsed_id}`))
      const allocations = yield* Effect.forEach(lapsed.value.allocations, (transfer) =>
        Effect.map(tokens.id("paymentAllocation"), (fresh) => ({ ...transfer, id: fresh }))
      )
      yield* payments.insert(anewOf(lapsed.value, { allocations, at, id }))
    })
  }
  return reaction
})
