import { type DateTime, Effect, Option } from "effect"
import { isRefunded } from "../../../domain/giving/SharedRefund.ts"
import { isDue, type Transfer } from "../../../domain/sharing/Transfer.ts"
import { RefundStore } from "../../../ports/giving/RefundStore.ts"
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
  const refunds = yield* RefundStore
  const reversing = yield* makeTransferReversal
  const shares = yield* makeUnsentShares

  /** A transfer is reversed; what was held instead of one is the organisation's, which the chargeback took. */
  const lose = Effect.fnUntraced(function* (paid: ChargedPayment, transfer: Transfer, at: DateTime.Utc) {
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

  return Effect.fnUntraced(function* (paid: ChargedPayment, became: "LOST" | "WON", at: DateTime.Utc) {
    for (const transfer of paid.payment.allocations.filter(isDue)) {
      if (became === "LOST") yield* lose(paid, transfer, at)
      else if (yield* wasTaken(paid, transfer)) yield* shares.holdAgain(paid, transfer, at)
    }
  })
})
