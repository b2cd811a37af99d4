import { type DateTime, Effect } from "effect"
import { isRefunded } from "../../../domain/giving/SharedRefund.ts"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import { decide } from "../../../domain/kernel/Machine.ts"
import * as Books from "../../../domain/payments/Books.ts"
import * as Payment from "../../../domain/sharing/Payment.ts"
import * as Transfer from "../../../domain/sharing/Transfer.ts"
import * as TransferAttempt from "../../../domain/sharing/TransferAttempt.ts"
import { PaymentStore } from "../../../ports/sharing/PaymentStore.ts"
import { TransferAttemptStore } from "../../../ports/sharing/TransferAttemptStore.ts"
import { ChangeLog } from "../../access/change/Change.ts"
import { makeLedgerWriter } from "../../payments/ledger/LedgerWriter.ts"
import { makeRecipientGifts, type Occasion } from "../payment/RecipientGifts.ts"
import { abandonReason, makeUnsentShares } from "../transfer/UnsentShares.ts"
import type { ReturnedMoney } from "./ReturnedMoney.ts"
import { makeTransferReversal } from "./TransferReversal.ts"

/** A locked attempt, with its payment, its transfer, and the disputes and refunds of the charge. */
export interface LockedAttempt {
  readonly attempt: TransferAttempt.TransferAttempt
  readonly payment: Payment.Payment
  readonly transfer: Transfer.Transfer
  readonly taken: ReturnedMoney
}

const whyOf = (code: string): string =>
  abandonReason(code, "take it back from the recipient", "taken back from the recipient")

const refusedFor = {
  refund: (code: string) =>
    `${whyOf(code)} The donor got nothing of it: ask for the refund again, or pay it in another way.`,
  chargeback: (code: string) => `${whyOf(code)} The donor's bank has it, and the organisation bears it.`
}

/** Writes the outcomes of reversals, in the surrounding transaction. money, section 6. */
export const makeReversalOutcome = Effect.gen(function* () {
  const attempts = yield* TransferAttemptStore
  const gifts = yield* makeRecipientGifts
  const changeLog = yield* ChangeLog
  const payments = yield* PaymentStore
  const reversing = yield* makeTransferReversal
  const shares = yield* makeUnsentShares
  const writeLedger = yield* makeLedgerWriter

  /** The consequence of returned money: the donor has it, gets it, or it is held since the dispute was won meanwhile. */
  const follow = Effect.fnUntraced(function* (held: LockedAttempt, reversed: Transfer.Transfer, at: DateTime.Utc) {
    const { attempt, payment, taken } = held
    const paid = { payment, charge_id: attempt.charge_id }
    if (taken.isChargedBack) return
    if (attempt.cause === "chargeback") return yield* shares.holdAgain(paid, reversed, at)
    if (!isRefunded(taken.refunds, reversed)) yield* reversing.payBack(paid, reversed, at)
  })

  const succeed = Effect.fnUntraced(function* (held: LockedAttempt, occasion: Occasion) {
    const { attempt, payment, transfer } = held
    const { at, operation } = occasion
    const decided = decide(Transfer.machine, transfer, { _tag: "Reverse", at })
    const { state } = yield* Effect.orDie(Effect.fromResult(decided))
    yield* payments.update(Payment.withTransfer(payment, state, at))
    yield* changeLog.write({ operation, subject_id: attempt.id, at, events: [] })
    const postings = Books.shareReversed(transfer.recipient_org_account_link_id, attempt.amount_cents)
    yield* writeLedger(attempt, [{ cause: "reversal", cause_id: attempt.id, postings }], at)
    yield* gifts.giveBack(state, attempt.cause, occasion)
    yield* follow(held, state, at)
  })

  const giveUp = Effect.fnUntraced(function* (held: LockedAttempt, failure_code: string, at: DateTime.Utc) {
    const { attempt, payment, transfer } = held
    if (failure_code === "dispute_won") return
    const paid = { payment, charge_id: attempt.charge_id }
    const isLost = attempt.cause === "chargeback" || held.taken.isChargedBack
    const what = isLost
      ? {
          kind: "unrecovered" as const,
          amount_cents: attempt.amount_cents,
          reason: refusedFor.chargeback(failure_code)
        }
      : {
          kind: "refund_failed" as const,
          amount_cents: transfer.gross_amount_cents,
          reason: refusedFor.refund(failure_code)
        }
    yield* shares.raise(paid, transfer, { ...what, held_cents: 0 }, at)
  })

  const refuse = Effect.fnUntraced(function* (held: LockedAttempt, failure_code: string, { at, operation }: Occasion) {
    const { attempt } = held
    yield* changeLog.write({ operation, subject_id: attempt.id, at, events: [] })
    const after = TransferAttempt.nextAfter(attempt, failure_code)
    if (after === null) return yield* giveUp(held, failure_code, at)
    yield* reversing.again(attempt, addTime(yield* attempts.now, after), at)
  })

  return { succeed, refuse } as const
})
