import { Effect, Option } from "effect"
import { isRefunded } from "../../../domain/giving/SharedRefund.ts"
import { decide } from "../../../domain/kernel/Machine.ts"
import * as Payment from "../../../domain/sharing/Payment.ts"
import { type Command, isDue, isGiven, machine, type Transfer } from "../../../domain/sharing/Transfer.ts"
import { RefundStore } from "../../../ports/giving/RefundStore.ts"
import { makeRecipientGifts, type Occasion } from "../payment/RecipientGifts.ts"
import { type ChargedPayment, makeUnsentShares } from "../transfer/UnsentShares.ts"
import { makeTransferReversal } from "./TransferReversal.ts"

/** Who resolves exceptions whose money a chargeback took. */
const settler = "SYSTEM settler"

const note = "The donor's bank took the payment back."

/**
 * Has recipients give back the money of a lost chargeback, and keeps it for them where that was won after all, in the
 * surrounding transaction. Transfers that are under way see to themselves. money, section 6: Chargeback.
 */
export const makeChargeback = Effect.gen(function* () {
  const gifts = yield* makeRecipientGifts
  const refunds = yield* RefundStore
  const reversing = yield* makeTransferReversal
  const shares = yield* makeUnsentShares

  /** A transfer is reversed; what was held instead of one is the organisation's, which the chargeback took. */
  const lose = Effect.fnUntraced(function* (paid: ChargedPayment, transfer: Transfer, { at }: Occasion) {
    if (transfer.transfer_status === "succeeded") return yield* reversing.begin(paid, transfer, "chargeback", at)
    const open = yield* shares.openOf(paid.payment, transfer)
    if (Option.isSome(open)) yield* shares.release(open.value, { note, by: settler, at })
  })

  /** Whether a chargeback, and nobody by hand, took what was to go to a recipient. */
  const wasTaken = Effect.fnUntraced(function* ({ charge_id, payment }: ChargedPayment, transfer: Transfer) {
    const { failure_code, transfer_status } = transfer
    const known = yield* shares.givenUp(payment, transfer)
    if (known.some(({ status }) => status === "OPEN")) return false
    if (transfer_status === "reversed") {
      const rows = yield* refunds.ofCharge(payment.organisation_id, charge_id)
      return !isRefunded(rows, transfer)
    }
    const byChargeback = known.some(({ resolved_by }) => resolved_by === settler)
    return transfer_status === "failed" && (failure_code === "charged_back" || byChargeback)
  })

  const after = Effect.fnUntraced(function* (transfer: Transfer, ...commands: ReadonlyArray<Command>) {
    let state = transfer
    for (const command of commands) {
      state = (yield* Effect.orDie(Effect.fromResult(decide(machine, state, command)))).state
    }
    return state
  })

  /** The transfer of which the fees left nothing: there is none to reverse, and the recipient's gift follows at once. */
  const followUnsent = Effect.fnUntraced(function* (
    paid: ChargedPayment,
    transfer: Transfer,
    became: "LOST" | "WON",
    occasion: Occasion
  ) {
    const { donation_id, transfer_status } = transfer
    const { at } = occasion
    if (became === "LOST" && transfer_status === "succeeded") {
      yield* gifts.giveBack(transfer, "chargeback", occasion)
      return yield* after(transfer, { _tag: "Reverse", at })
    }
    if (became === "LOST" || donation_id === null || !(yield* wasTaken(paid, transfer))) return transfer
    yield* gifts.restore(transfer, occasion)
    return yield* after(transfer, { _tag: "Restart", at, donation_id }, { _tag: "Skip", at })
  })

  /** The payment after its recipients have followed what became of its dispute. */
  return Effect.fnUntraced(function* (paid: ChargedPayment, became: "LOST" | "WON", occasion: Occasion) {
    let { payment } = paid
    for (const transfer of paid.payment.allocations.filter(isGiven)) {
      if (isDue(transfer)) {
        if (became === "LOST") yield* lose(paid, transfer, occasion)
        else if (yield* wasTaken(paid, transfer)) yield* shares.holdAgain(paid, transfer, occasion.at)
      } else {
        const state = yield* followUnsent(paid, transfer, became, occasion)
        if (state !== transfer) payment = Payment.withTransfer(payment, state, occasion.at)
      }
    }
    return payment
  })
})
