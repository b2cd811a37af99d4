import { type DateTime, Effect, Option } from "effect"
import type { Refund } from "../../../domain/giving/Refund.ts"
import { isRefunded, refundShared } from "../../../domain/giving/SharedRefund.ts"
import { type ChargeId, type OrganisationId, TransferAttemptId } from "../../../domain/kernel/Ids.ts"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import { decide } from "../../../domain/kernel/Machine.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import * as Books from "../../../domain/payments/Books.ts"
import * as Dispute from "../../../domain/payments/Dispute.ts"
import type { PaymentException } from "../../../domain/payments/PaymentException.ts"
import { isChargedBack, leftCents } from "../../../domain/payments/ReturnedMoney.ts"
import * as Payment from "../../../domain/sharing/Payment.ts"
import { isDecided } from "../../../domain/sharing/RefundPath.ts"
import * as Transfer from "../../../domain/sharing/Transfer.ts"
import * as TransferAttempt from "../../../domain/sharing/TransferAttempt.ts"
import { RefundStore } from "../../../ports/giving/RefundStore.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { ChargeStore } from "../../../ports/payments/ChargeStore.ts"
import { DisputeStore } from "../../../ports/payments/DisputeStore.ts"
import { PaymentStore } from "../../../ports/sharing/PaymentStore.ts"
import { TransferAttemptStore } from "../../../ports/sharing/TransferAttemptStore.ts"
import { ChangeLog } from "../../access/change/Change.ts"
import { makeLedgerWriter } from "../../payments/ledger/LedgerWriter.ts"
import { makeRecipientGifts, type Occasion } from "../payment/RecipientGifts.ts"
import { abandonReason, type ChargedPayment, makeUnsentShares } from "../transfer/Distribution.ts"

/** Locks a charge and reads its disputes and refunds. Whoever writes those locks the charge, too. */
export const makeReturnedMoney = Effect.gen(function* () {
  const charges = yield* ChargeStore
  const disputes = yield* DisputeStore
  const refunds = yield* RefundStore

  return Effect.fnUntraced(function* (organisation_id: OrganisationId, charge_id: ChargeId) {
    const found = yield* charges.findForUpdate(organisation_id, charge_id)
    // Every attempt has a charge.
    const charge = yield* Effect.orDie(Effect.fromOption(found))
    const taking = {
      charge,
      disputes: yield* disputes.ofCharge(organisation_id, charge_id),
      refunds: yield* refunds.ofCharge(organisation_id, charge_id)
    }
    return {
      ...taking,
      isDisputed: taking.disputes.some((each) => Rule.holds(Dispute.undecidedRule, each)),
      isChargedBack: isChargedBack(taking),
      left_cents: leftCents(taking)
    }
  })
})

/** A locked charge, with its disputes and refunds. */
type ReturnedMoney = Effect.Success<ReturnType<Effect.Success<typeof makeReturnedMoney>>>

type Attempt = TransferAttempt.TransferAttempt

/** The transfer that brought the money, of the latest series; undefined where none did. */
export const broughtBy = (attempts: ReadonlyArray<Attempt>, { series }: Transfer.Transfer): Attempt | undefined =>
  attempts.find((each) => !TransferAttempt.isReversal(each) && each.status === "SUCCEEDED" && each.series === series)

/** Whether a reversal of a part of a payment has not ended. */
export const isUnderWay = (attempts: ReadonlyArray<Attempt>): boolean =>
  attempts.some((each) => TransferAttempt.isReversal(each) && each.status === "NEW")

/** Plans the first attempt to take a part back whose transfer has succeeded; none where one is under way. */
const makeReversalPlan = Effect.gen(function* () {
  const attempts = yield* TransferAttemptStore
  const tokens = yield* Tokens

  return Effect.fnUntraced(function* (
    { payment: { organisation_id } }: ChargedPayment,
    transfer: Transfer.Transfer,
    cause: TransferAttempt.Cause,
    at: DateTime.Utc
  ) {
    const known = yield* attempts.ofAllocation(organisation_id, transfer.id)
    const brought = broughtBy(known, transfer)
    if (isUnderWay(known) || brought === undefined) return Option.none()
    const before = known.filter(TransferAttempt.isReversal).map(({ series }) => series)
    const series = Math.max(0, ...before) + 1
    const reversed_id = TransferAttemptId.make(brought.id)
    const id = yield* tokens.id("reversal")
    const look_at = yield* attempts.now
    return Option.some(
      TransferAttempt.newAttempt({ ...brought, id, reversed_id, cause, series, number: 1, look_at }, at)
    )
  })
})

/** Reverses the parts of payments and pays them to the donor, in the surrounding transaction. money, section 6. */
export const makeTransferReversal = Effect.gen(function* () {
  const first = yield* makeReversalPlan
  const attempts = yield* TransferAttemptStore
  const charges = yield* ChargeStore
  const refunds = yield* RefundStore
  const tokens = yield* Tokens
  const writeLedger = yield* makeLedgerWriter

  const again = Effect.fnUntraced(function* (refused: Attempt, look_at: DateTime.Utc, at: DateTime.Utc) {
    const id = yield* tokens.id("reversal")
    yield* attempts.insert(TransferAttempt.newAttempt({ ...refused, id, number: refused.number + 1, look_at }, at))
  })

  /** Writes the first attempt to take a part back whose transfer has succeeded; nothing where one is under way. */
  const begin = (...asked: Parameters<typeof first>) =>
    Effect.flatMap(first(...asked), (attempt) =>
      Option.isSome(attempt) ? attempts.insert(attempt.value) : Effect.void
    )

  /** Writes that the processor took a part back for which nobody asked here; none where that is asked for meanwhile. */
  const found = Effect.fnUntraced(function* (
    paid: ChargedPayment,
    transfer: Transfer.Transfer,
    reference: string,
    at: DateTime.Utc
  ) {
    const planned = yield* first(paid, transfer, "processor", at)
    if (Option.isNone(planned)) return Option.none()
    const decided = decide(TransferAttempt.machine, planned.value, { _tag: "Succeed", at, reference })
    const { state } = yield* Effect.orDie(Effect.fromResult(decided))
    yield* attempts.insert(state)
    return Option.some(state)
  })

  /** Has the donor get the gross of a part: the settling of its charge asks the processor. */
  const payBack = Effect.fnUntraced(function* (
    { charge_id, payment }: ChargedPayment,
    transfer: Transfer.Transfer,
    at: DateTime.Utc
  ) {
    const { currency, organisation_id } = payment
    const { donation_id, gross_amount_cents: amount_cents, id: allocation_id } = transfer
    // Whatever was given toward a recipient is a gift there.
    const part = yield* Effect.orDie(Effect.fromNullishOr(donation_id))
    const row: Refund = refundShared(
      { organisation_id, donation_id: part, allocation_id, charge_id, amount_cents },
      { id: yield* tokens.id("refund"), at }
    )
    yield* refunds.insert(row)
    const postings = Books.refundRequested(row)
    yield* writeLedger({ charge_id, currency, organisation_id }, [{ cause: "refund", cause_id: row.id, postings }], at)
    yield* charges.lookNow(organisation_id, charge_id)
  })

  return { again, begin, found, payBack } as const
})

/** Who resolves exceptions whose money a chargeback took. */
const settler = "SYSTEM settler"

interface PartHistory extends Omit<Parameters<typeof isDecided>[1], "exceptions"> {
  readonly exceptions: ReadonlyArray<Pick<PaymentException, "resolved_at" | "resolved_by">>
}

/** Whether somebody, and no chargeback, decided about the money of a part of a payment that was held. */
export const isDecidedByHand = (transfer: Transfer.Transfer, { exceptions, ...moves }: PartHistory): boolean =>
  isDecided(transfer, { ...moves, exceptions: exceptions.filter(({ resolved_by }) => resolved_by !== settler) })

const note = "The donor's bank took the payment back."

const after = Effect.fnUntraced(function* (transfer: Transfer.Transfer, ...commands: ReadonlyArray<Transfer.Command>) {
  let state = transfer
  for (const command of commands) {
    state = (yield* Effect.orDie(Effect.fromResult(decide(Transfer.machine, state, command)))).state
  }
  return state
})

/**
 * Has recipients give back the money of a lost chargeback, and keeps it for them where that was won after all, in the
 * surrounding transaction. Transfers that are under way see to themselves. money, section 6: Chargeback.
 */
export const makeChargeback = Effect.gen(function* () {
  const gifts = yield* makeRecipientGifts
  const refunds = yield* RefundStore
  const reversing = yield* makeTransferReversal
  const shares = yield* makeUnsentShares
  const attempts = yield* TransferAttemptStore

  /** A transfer is reversed; what was held instead of one is the organisation's, which the chargeback took. */
  const lose = Effect.fnUntraced(function* (paid: ChargedPayment, transfer: Transfer.Transfer, { at }: Occasion) {
    if (transfer.transfer_status === "succeeded") return yield* reversing.begin(paid, transfer, "chargeback", at)
    const open = yield* shares.openOf(paid.payment, transfer)
    if (Option.isSome(open)) yield* shares.release(open.value, { note, by: settler, at })
  })

  /** Whether a chargeback, and nobody by hand, took what was to go to a recipient. */
  const wasTaken = Effect.fnUntraced(function* ({ charge_id, payment }: ChargedPayment, transfer: Transfer.Transfer) {
    const { failure_code, transfer_status } = transfer
    const known = yield* shares.givenUp(payment, transfer)
    if (known.some(({ status }) => status === "OPEN")) return false
    if (transfer_status === "reversed") {
      const rows = yield* refunds.ofCharge(payment.organisation_id, charge_id)
      const moves = yield* attempts.ofAllocation(payment.organisation_id, transfer.id)
      const history = { attempts: moves, exceptions: known, refunds: rows }
      return !isRefunded(rows, transfer) && !isDecidedByHand(transfer, history)
    }
    const byChargeback = known.some(({ resolved_by }) => resolved_by === settler)
    return transfer_status === "failed" && (failure_code === "charged_back" || byChargeback)
  })

  /** The transfer of which the fees left nothing: there is none to reverse, and the recipient's gift follows at once. */
  const followUnsent = Effect.fnUntraced(function* (
    paid: ChargedPayment,
    transfer: Transfer.Transfer,
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
    for (const transfer of paid.payment.allocations.filter(Transfer.isGiven)) {
      if (Transfer.isDue(transfer)) {
        if (became === "LOST") yield* lose(paid, transfer, occasion)
        else if (yield* wasTaken(paid, transfer)) yield* shares.holdAgain(paid, transfer, "chargeback", occasion.at)
      } else {
        const state = yield* followUnsent(paid, transfer, became, occasion)
        if (state !== transfer) payment = Payment.withTransfer(payment, state, occasion.at)
      }
    }
    if (payment !== paid.payment) yield* gifts.correctSummary(payment)
    return payment
  })
})

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

  /** The consequence of returned money: the donor has it, gets it, or it is held: the dispute was won meanwhile, or nobody asked for it. */
  const follow = Effect.fnUntraced(function* (held: LockedAttempt, reversed: Transfer.Transfer, at: DateTime.Utc) {
    const { attempt, payment, taken } = held
    const paid = { payment, charge_id: attempt.charge_id }
    if (taken.isChargedBack) return
    if (attempt.cause === "chargeback" || attempt.cause === "processor") {
      return yield* shares.holdAgain(paid, reversed, attempt.cause, at)
    }
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
    yield* gifts.correctSummary(payment)
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
    if (after === null) {
      return yield* Effect.andThen(giveUp(held, failure_code, at), gifts.correctReturned(held.payment))
    }
    yield* reversing.again(attempt, addTime(yield* attempts.now, after), at)
  })

  return { succeed, refuse } as const
})
