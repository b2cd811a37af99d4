import { Effect, Option } from "effect"
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
import { makeReturnedMoney } from "../refund/ReturnedMoney.ts"
import { type LockedAttempt, makeReversalOutcome } from "../refund/ReversalOutcome.ts"
import { makeTransferReversal } from "../refund/TransferReversal.ts"
import { makeDistribution } from "./Distribution.ts"
import { abandonReason, makeUnsentShares } from "./UnsentShares.ts"

/** The outcome of an attempt. */
export type Outcome = Extract<TransferAttempt.Command, { readonly _tag: "Succeed" | "Refuse" }>

/** Writes the outcomes of attempts, in the surrounding transaction. money, section 6. */
export const makeTransferOutcome = Effect.gen(function* () {
  const attempts = yield* TransferAttemptStore
  const gifts = yield* makeRecipientGifts
  const changeLog = yield* ChangeLog
  const payments = yield* PaymentStore
  const { plan } = yield* makeDistribution
  const reversal = yield* makeReversalOutcome
  const reversing = yield* makeTransferReversal
  const shares = yield* makeUnsentShares
  const takenBack = yield* makeReturnedMoney
  const writeLedger = yield* makeLedgerWriter

  /** The attempt, where its outcome is not written yet. The charge is locked first, then the payment, then the attempt. */
  const hold = Effect.fnUntraced(function* (known: TransferAttempt.TransferAttempt) {
    const { charge_id, id, organisation_id, payment_id } = known
    const taken = yield* takenBack(organisation_id, charge_id)
    const payment = yield* payments.findForUpdate(organisation_id, payment_id)
    const attempt = yield* attempts.findForUpdate(organisation_id, id)
    return Option.flatMap(Option.all({ payment, attempt }), (found) => {
      const transfer = found.payment.allocations.find((each) => each.id === found.attempt.allocation_id)
      const from = TransferAttempt.isReversal(found.attempt) ? "succeeded" : "pending"
      const isOpen = found.attempt.status === "NEW" && transfer?.transfer_status === from
      const held: Option.Option<LockedAttempt> =
        transfer !== undefined && isOpen ? Option.some({ ...found, taken, transfer }) : Option.none()
      return held
    })
  })

  const decided = (transfer: Transfer.Transfer, command: Transfer.Command) =>
    Effect.orDie(Effect.fromResult(decide(Transfer.machine, transfer, command)))

  /** Writes the transfer, with the event for the recommending organisation. */
  const write = Effect.fnUntraced(function* (
    { attempt, payment }: LockedAttempt,
    { events, state }: Effect.Success<ReturnType<typeof decided>>,
    { at, operation }: Occasion
  ) {
    yield* payments.update(Payment.withTransfer(payment, state, at))
    const told = events.map(({ type }) => ({ type, data: Transfer.eventDataOf(payment, state) }))
    yield* changeLog.write({ operation, subject_id: attempt.id, at, events: told })
  })

  const succeed = Effect.fnUntraced(function* (held: LockedAttempt, occasion: Occasion) {
    const { attempt, transfer } = held
    const { at } = occasion
    const decision = yield* decided(transfer, { _tag: "Succeed", at, processor_reference: attempt.reference })
    yield* write(held, decision, occasion)
    const postings = Books.shareTransferred(transfer.recipient_org_account_link_id, attempt.amount_cents)
    yield* writeLedger(attempt, [{ cause: "transfer", cause_id: attempt.id, postings }], at)
    yield* gifts.confirm(decision.state, occasion)
    // It arrived although the donor's bank had taken the payment back meanwhile.
    const paid = { payment: held.payment, charge_id: attempt.charge_id }
    if (held.taken.isChargedBack) yield* reversing.begin(paid, decision.state, "chargeback", at)
  })

  const giveUp = Effect.fnUntraced(function* (held: LockedAttempt, failure_code: string, occasion: Occasion) {
    const { attempt, transfer } = held
    const { at } = occasion
    const decision = yield* decided(transfer, { _tag: "Fail", at, failure_code })
    yield* write(held, decision, occasion)
    yield* gifts.fail(decision.state, failure_code, occasion)
    const { amount_cents, charge_id } = attempt
    if (failure_code === "charged_back") {
      const postings = Books.shareReleased(amount_cents)
      return yield* writeLedger(attempt, [{ cause: "transfer", cause_id: attempt.id, postings }], at)
    }
    const what = { kind: "transfer_given_up", amount_cents, held_cents: amount_cents } as const
    const reason = abandonReason(failure_code, "transfer it to the recipient", "transferred to the recipient")
    const paid = { payment: held.payment, charge_id }
    yield* shares.raise(paid, transfer, { ...what, reason }, at)
  })

  const refuse = Effect.fnUntraced(function* (held: LockedAttempt, failure_code: string, occasion: Occasion) {
    const { attempt, payment, transfer } = held
    const { at } = occasion
    const after = TransferAttempt.nextAfter(attempt, failure_code)
    if (after === null) return yield* giveUp(held, failure_code, occasion)
    const decision = yield* decided(transfer, { _tag: "Retry", at, failure_code })
    yield* write(held, decision, occasion)
    const look_at = addTime(yield* attempts.now, after)
    const { charge_id, number } = attempt
    yield* plan({ charge_id, payment }, decision.state, { number: number + 1, look_at }, at)
  })

  /** Writes the outcome of an attempt with what follows from it; false where it was written already. */
  return Effect.fnUntraced(function* (known: TransferAttempt.TransferAttempt, outcome: Outcome, occasion: Occasion) {
    const found = yield* hold(known)
    if (Option.isNone(found)) return false
    const { state: attempt } = yield* Effect.orDie(
      Effect.fromResult(decide(TransferAttempt.machine, found.value.attempt, outcome))
    )
    yield* attempts.update(attempt)
    const held = { ...found.value, attempt }
    const follow = TransferAttempt.isReversal(attempt) ? reversal : { succeed, refuse }
    yield* outcome._tag === "Succeed"
      ? follow.succeed(held, occasion)
      : follow.refuse(held, outcome.failure_code, occasion)
    return true
  })
})
