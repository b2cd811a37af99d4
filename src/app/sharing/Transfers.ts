import { type DateTime, Effect, Option } from "effect"
import type { Caller } from "../../domain/access/Caller.ts"
import { type OrganisationId, PaymentAllocationId, type PaymentId } from "../../domain/kernel/Ids.ts"
import { decide, GuardRefused } from "../../domain/kernel/Machine.ts"
import { NotFound } from "../../domain/kernel/Rejection.ts"
import * as Payment from "../../domain/sharing/Payment.ts"
import { RecommendationSetPaymentRecord } from "../../domain/sharing/Payment.ts"
import * as Transfer from "../../domain/sharing/Transfer.ts"
import * as TransferAttempt from "../../domain/sharing/TransferAttempt.ts"
import { TransferAttemptRecord } from "../../domain/sharing/TransferAttempt.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { PaymentStore } from "../../ports/sharing/PaymentStore.ts"
import { TransferAttemptStore } from "../../ports/sharing/TransferAttemptStore.ts"
import { requireStaff } from "../access/caller/CallerContext.ts"
import { ChangeLog } from "../access/change/Change.ts"
import { id, operationsOf, optionalBody } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { listMethod } from "../access/operation/RecordReads.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"
import { makeRecipientGifts } from "./payment/RecipientGifts.ts"
import { makeDistribution, makeUnsentShares } from "./transfer/Distribution.ts"
import { makeTransferLoader } from "./transfer/TransferLoader.ts"
import { makeTransferOutcome, type Outcome } from "./transfer/TransferSync.ts"

const byItself = () =>
  new GuardRefused({
    machine: "Transfer attempt",
    command: "Settle",
    rule: "no processor moves its money",
    message: "The processor moves this money by itself and says how that ended. Wait for it."
  })

/**
 * Writes, in the surrounding transaction, the result of an attempt whose money people move: donors' bank transfers are
 * with the organisation's bank, out of every processor's reach. docs/decisions/0069.
 */
const makeManualTransfer = Effect.gen(function* () {
  const attempts = yield* TransferAttemptStore
  const loader = yield* makeTransferLoader
  const record = yield* makeTransferOutcome

  /** Fails with what refuses it: it has ended, or its processor moves the money by itself. */
  return Effect.fnUntraced(function* (
    { organisation: { id: organisation_id }, request_id }: Caller,
    id: TransferAttempt.Id,
    operation: string,
    outcomeAt: (at: DateTime.Utc) => Outcome
  ) {
    const { ask, attempt } = yield* loader({ organisation_id, id }).pipe(orNotFound("transfer", id))
    const at = yield* organisationNow
    const outcome = outcomeAt(at)
    yield* Effect.fromResult(decide(TransferAttempt.machine, attempt, outcome))
    if (ask !== null) return yield* byItself()
    const isWritten = yield* record(attempt, outcome, { at, operation, request_id })
    const now = yield* attempts.find(organisation_id, id).pipe(orNotFound("transfer", id))
    // Somebody else was first, while the charge was waited for.
    if (!isWritten) yield* Effect.fromResult(decide(TransferAttempt.machine, now, outcome))
    return now
  })
})

const operations = Row.table("transfers", {
  list: Row.staffList(
    "List the attempts to bring shared payments to their recipients and to take them back, newest first",
    TransferAttempt.listing,
    TransferAttemptRecord
  ),
  retry: Row.staffChange(
    "Begin a transfer anew that was given up, or taken back for a dispute that was won, with a new gift of the recipient's",
    [id(PaymentAllocationId, "payment allocation")],
    RecommendationSetPaymentRecord
  ),
  settle: Row.staffChange(
    "Say that the money of a transfer, or of a reversal, has moved by hand",
    [id(TransferAttempt.Id, "transfer"), optionalBody(TransferAttempt.Settlement)],
    TransferAttemptRecord
  ),
  fail: Row.staffChange(
    "Say that the money of a transfer, or of a reversal, cannot be moved by hand: no other attempt follows",
    [id(TransferAttempt.Id, "transfer")],
    TransferAttemptRecord
  )
})

const note = "The transfer was begun anew."

const transferIn = ({ allocations }: Payment.Payment, id: PaymentAllocationId): Transfer.Transfer | undefined =>
  allocations.find((each) => each.id === id)

const settled = () =>
  new GuardRefused({
    machine: "Transfer",
    command: "Restart",
    rule: "its money is held still",
    message:
      "No open exception holds the money of this transfer: it went back to the donor or was decided about, and nothing is left to transfer."
  })

/** The attempts to bring the parts of payments to their recipients, for staff. money, section 6. */
export class Transfers extends Service<Transfers>()("almoner/app/Transfers", function* () {
  const attempts = yield* TransferAttemptStore
  const gifts = yield* makeRecipientGifts
  const changeLog = yield* ChangeLog
  const payments = yield* PaymentStore
  const shares = yield* makeUnsentShares
  const { plan } = yield* makeDistribution
  const byHand = yield* makeManualTransfer
  const transaction = yield* Transaction

  /** A page of the attempts, newest first. */
  const list = listMethod("Transfers.list", operations.list, attempts)

  /** The gift of a transfer, whose donor is locked: before its payment, as whoever merges donors does. */
  const held = Effect.fnUntraced(function* (
    organisation_id: OrganisationId,
    payment_id: PaymentId,
    id: PaymentAllocationId
  ) {
    const payment = yield* payments.find(organisation_id, payment_id).pipe(orNotFound("transfer", id))
    const transfer = transferIn(payment, id)
    const gift = transfer === undefined ? Option.none() : yield* gifts.holdDonor(transfer)
    // Every attempt has a gift.
    return yield* Effect.orDie(Effect.fromOption(gift))
  })

  /**
   * Begins a transfer anew that was given up, or taken back for a dispute that was won: another series of attempts, with
   * another gift of the recipient's. Answers the payment. Fails with {@link IllegalTransition} for one whose money is with
   * the recipient or on its way, and with {@link GuardRefused} where no open exception holds it any more. money, section 6.
   */
  const retry = Effect.fn("Transfers.retry")(function* (id: PaymentAllocationId) {
    const caller = yield* requireStaff(operations.retry)
    const organisation_id = caller.organisation.id
    const [attempt] = yield* attempts.ofAllocation(organisation_id, id)
    if (attempt === undefined) return yield* new NotFound({ record: "transfer", id })
    const { charge_id, payment_id } = attempt
    const failed = yield* held(organisation_id, payment_id, id)
    const payment = yield* payments.findForUpdate(organisation_id, payment_id).pipe(orNotFound("transfer", id))
    const transfer = yield* Effect.fromNullishOr(transferIn(payment, id)).pipe(Effect.orDie)
    const at = yield* organisationNow
    const operation = operations.retry.requires.name
    const open = yield* shares.openOf(payment, transfer)
    const donation_id = yield* gifts.anew(failed, { at, operation, request_id: caller.request_id })
    const decided = decide(Transfer.machine, transfer, { _tag: "Restart", at, donation_id })
    const { state } = yield* Effect.fromResult(decided)
    if (Option.isNone(open)) return yield* settled()
    yield* shares.resolve(open.value, { note, by: `${caller.actor.type} ${caller.actor.id}`, at })
    const after = Payment.withTransfer(payment, state, at)
    yield* payments.update(after)
    // What was given back is given again.
    if (failed.refunded_amount_cents > 0) yield* gifts.correctSummary(after)
    yield* plan({ charge_id, payment: after }, state, { number: 1, look_at: yield* attempts.now }, at)
    yield* changeLog.write({ operation, subject_id: id, at, events: [] })
    return Payment.recordOf(after)
  }, transaction.run)

  /**
   * Records that the money of an attempt has moved by hand: a transfer reached its recipient, a reversal came back. Answers
   * the attempt, SUCCEEDED as of now. For money that no processor moves, as what came by bank transfer. Fails with
   * {@link IllegalTransition} when the attempt has ended, and with {@link GuardRefused} where its processor moves it by itself.
   */
  const settle = Effect.fn("Transfers.settle")(function* (
    id: TransferAttempt.Id,
    { processor_reference: reference = null }: TransferAttempt.Settlement
  ) {
    const caller = yield* requireStaff(operations.settle)
    return yield* byHand(caller, id, operations.settle.requires.name, (at) => ({ _tag: "Succeed", at, reference }))
  }, transaction.run)

  /**
   * Records that the money of an attempt cannot be moved by hand: the attempt is FAILED, and no other follows it, as when a
   * processor gives it up. Fails as {@link settle} does.
   */
  const fail = Effect.fn("Transfers.fail")(function* (id: TransferAttempt.Id) {
    const caller = yield* requireStaff(operations.fail)
    const failure_code: TransferAttempt.OwnCode = "failed_by_hand"
    return yield* byHand(caller, id, operations.fail.requires.name, (at) => ({ _tag: "Refuse", at, failure_code }))
  }, transaction.run)

  return yield* serviceInOrganisationTime(operations, { list, retry, settle, fail })
}) {}

/** The operations of {@link Transfers}. */
export const transferOperations = operationsOf(Transfers, operations)
