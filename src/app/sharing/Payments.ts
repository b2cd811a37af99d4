import { Effect, Option, Result } from "effect"
import { isRefunded as isSharedRefunded } from "../../domain/giving/SharedRefund.ts"
import { type OrganisationId, PaymentId } from "../../domain/kernel/Ids.ts"
import { parse, within } from "../../domain/kernel/Listing.ts"
import { decide, type GuardRefused } from "../../domain/kernel/Machine.ts"
import { InvalidInput } from "../../domain/kernel/Rejection.ts"
import * as Charge from "../../domain/payments/Charge.ts"
import * as Payment from "../../domain/sharing/Payment.ts"
import { RecommendationSetPaymentRecord } from "../../domain/sharing/Payment.ts"
import { NewPaymentRefund } from "../../domain/sharing/PaymentRefund.ts"
import { isLeft, type PartState, pathOf, type RefundPath, refusal } from "../../domain/sharing/RefundPath.ts"
import * as Transfer from "../../domain/sharing/Transfer.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { ChargeStore } from "../../ports/payments/ChargeStore.ts"
import { PaymentStore } from "../../ports/sharing/PaymentStore.ts"
import { TransferAttemptStore } from "../../ports/sharing/TransferAttemptStore.ts"
import { requireScope } from "../access/caller/CallerContext.ts"
import { ChangeLog } from "../access/change/Change.ts"
import { id, operationsOf, optionalBody } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"
import { makeRecipientGifts, type Occasion } from "./payment/RecipientGifts.ts"
import { isDecidedByHand, isUnderWay, makeReturnedMoney, makeTransferReversal } from "./refund/ReturnedMoney.ts"
import { type ChargedPayment, makeUnsentShares } from "./transfer/Distribution.ts"

const paymentId = id(PaymentId, "payment")

const operations = Row.table("recommendation_sets", {
  read: Row.withName(
    "recommendation_sets.read_payment",
    Row.read("Read a payment to a recommendation set", [paymentId], RecommendationSetPaymentRecord)
  ),
  refund: Row.withName(
    "recommendation_sets.refund_payment",
    Row.change(
      "Refund a payment to a recommendation set",
      [paymentId, optionalBody(NewPaymentRefund)],
      RecommendationSetPaymentRecord
    )
  )
})

const note = "The donor was given it back."

/** The charges whose money has arrived. */
const succeeded = Result.getOrThrow(parse(Charge.listing, [["status", "SUCCEEDED"]]))

/** A part that is given back, and how. */
interface Returned {
  readonly transfer: Transfer.Transfer
  readonly way: RefundPath
}

/** The refusal where a whole payment is given back of which nothing is left, or not now. */
const nothingLeft = (known: ReadonlyArray<PartState>): GuardRefused =>
  known.some(({ isRefunded, isUnderWay }) => isUnderWay && !isRefunded)
    ? refusal(
        "its money is not being taken back",
        "The money of this payment is being taken back from its recipients already. Wait for what comes of that."
      )
    : refusal("something is left to give back", "Nothing of this payment is left to give back.")

const chosen = (
  known: ReadonlyArray<PartState>,
  { allocation_ids }: NewPaymentRefund
): Result.Result<ReadonlyArray<PartState>, GuardRefused | InvalidInput> => {
  if (allocation_ids === undefined || allocation_ids === null) {
    const left = known.filter(isLeft)
    return left.length > 0 ? Result.succeed(left) : Result.fail(nothingLeft(known))
  }
  const unknown = allocation_ids.find((id) => !known.some(({ transfer }) => transfer.id === id))
  const message = `allocation_ids must name allocations of the payment; ${unknown} is none of it.`
  return unknown === undefined
    ? Result.succeed(known.filter(({ transfer }) => allocation_ids.includes(transfer.id)))
    : Result.fail(new InvalidInput({ param: "allocation_ids", message }))
}

/** How each part is given back; the first refusal where one cannot be. */
const waysOf = (parts: ReadonlyArray<PartState>): Result.Result<ReadonlyArray<Returned>, GuardRefused> =>
  Result.all(parts.map((part) => Result.map(pathOf(part), (way) => ({ transfer: part.transfer, way }))))

const grossOf = (parts: ReadonlyArray<{ readonly transfer: Transfer.Transfer }>): number =>
  parts.reduce((sum, { transfer }) => sum + transfer.gross_amount_cents, 0)

/** Payments to recommendation sets, which the recommending organisation took and gives back. money, section 6: Refunds. */
export class Payments extends Service<Payments>()("almoner/app/Payments", function* () {
  const attempts = yield* TransferAttemptStore
  const charges = yield* ChargeStore
  const gifts = yield* makeRecipientGifts
  const changeLog = yield* ChangeLog
  const payments = yield* PaymentStore
  const reversing = yield* makeTransferReversal
  const shares = yield* makeUnsentShares
  const takenBack = yield* makeReturnedMoney
  const transaction = yield* Transaction

  const read = Effect.fn("Payments.read")(function* (id: PaymentId) {
    const { organisation } = yield* requireScope(operations.read)
    return Payment.recordOf(yield* payments.find(organisation.id, id).pipe(orNotFound("payment", id)))
  })

  /** The payment and its charge, both locked: the charge first, as whoever settles it does. */
  const hold = Effect.fnUntraced(function* (organisation_id: OrganisationId, id: PaymentId) {
    yield* payments.find(organisation_id, id).pipe(orNotFound("payment", id))
    const { data } = yield* charges.list(organisation_id, within(succeeded, "subject_id", id))
    const [charge] = data
    if (charge === undefined) {
      return yield* refusal("its money has arrived", "No money of this payment has arrived that could go back.")
    }
    const taken = yield* takenBack(organisation_id, charge.id)
    const payment = yield* payments.findForUpdate(organisation_id, id).pipe(orNotFound("payment", id))
    const paid: ChargedPayment = { payment, charge_id: charge.id }
    return { paid, taken }
  })

  const partsOf = Effect.fnUntraced(function* ({ paid, taken }: Effect.Success<ReturnType<typeof hold>>) {
    return yield* Effect.forEach(
      paid.payment.allocations,
      Effect.fnUntraced(function* (transfer) {
        const known = yield* attempts.ofAllocation(paid.payment.organisation_id, transfer.id)
        const exceptions = yield* shares.givenUp(paid.payment, transfer)
        const part: PartState = {
          transfer,
          isRefunded: isSharedRefunded(taken.refunds, transfer),
          isUnderWay: isUnderWay(known),
          isHeld: Option.isSome(yield* shares.openOf(paid.payment, transfer)),
          isDecided: isDecidedByHand(transfer, { attempts: known, exceptions, refunds: taken.refunds })
        }
        return part
      })
    )
  })

  /** Gives a part back, or begins to; the transfer as it is then. */
  const giveBack = Effect.fnUntraced(function* (
    paid: ChargedPayment,
    { transfer, way }: Returned,
    occasion: Occasion & { readonly by: string }
  ) {
    const { at, by } = occasion
    if (way === "reverse") {
      yield* reversing.begin(paid, transfer, "refund", at)
      return transfer
    }
    if (way === "release") {
      const open = yield* shares.openOf(paid.payment, transfer)
      if (Option.isSome(open)) yield* shares.release(open.value, { note, by, at })
    }
    yield* reversing.payBack(paid, transfer, at)
    if (transfer.transfer_status !== "succeeded") return transfer
    // The fees had left nothing to transfer: there is nothing to reverse at the processor.
    yield* gifts.giveBack(transfer, "refund", occasion)
    const decided = decide(Transfer.machine, transfer, { _tag: "Reverse", at })
    return (yield* Effect.orDie(Effect.fromResult(decided))).state
  })

  /**
   * Gives the donor a payment back, or the parts of it that are named: what reached a recipient is taken back first, whole,
   * and then the donor gets the gross of each part, whose fees the organisation bears. Answers the payment; what has to be
   * taken back reads `reversed` once it is. Fails with {@link GuardRefused} while a dispute of its charge is open, for a part
   * whose transfer has not ended, that is given back already or of which nothing is held any more, and with
   * {@link InvalidInput} of `allocation_ids` for what is no part of it. money, section 6: Refunds.
   */
  const refund = Effect.fn("Payments.refund")(function* (id: PaymentId, input: NewPaymentRefund) {
    const caller = yield* requireScope(operations.refund)
    const held = yield* hold(caller.organisation.id, id)
    const { paid, taken } = held
    if (taken.isDisputed) {
      return yield* refusal(
        "no dispute of its charge is open",
        "The donor's bank is examining a dispute of this payment, so nothing is refunded now. Wait for what comes of it."
      )
    }
    const parts = yield* partsOf(held)
    const returned = yield* Effect.fromResult(Result.flatMap(chosen(parts, input), waysOf))
    const promised = grossOf(parts.filter((part) => part.isUnderWay && !part.isRefunded))
    const left = taken.left_cents - promised
    if (grossOf(returned) > left) {
      return yield* refusal(
        "as much is left of its charge",
        `Only ${Math.max(0, left)} are left of this payment: the donor's bank or a refund took the rest back.`
      )
    }
    const at = yield* organisationNow
    const operation = operations.refund.requires.name
    const by = `${caller.actor.type} ${caller.actor.id}`
    const occasion = { at, operation, request_id: caller.request_id, by }
    let after = paid.payment
    for (const each of returned) {
      const state = yield* giveBack(paid, each, occasion)
      if (state !== each.transfer) after = Payment.withTransfer(after, state, at)
    }
    if (after !== paid.payment) yield* payments.update(after)
    if (returned.some(({ way }) => way !== "reverse")) yield* gifts.correctSummary(after)
    yield* changeLog.write({ operation, subject_id: id, at, events: [] })
    return Payment.recordOf(after)
  }, transaction.run)

  return yield* serviceInOrganisationTime(operations, { read, refund })
}) {}

/** The operations of {@link Payments}. */
export const paymentOperations = operationsOf(Payments, operations)
