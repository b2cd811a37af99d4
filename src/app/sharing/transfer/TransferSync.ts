import { type DateTime, Duration, Effect, Option, Result } from "effect"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import { decide } from "../../../domain/kernel/Machine.ts"
import * as Books from "../../../domain/payments/Books.ts"
import * as Payment from "../../../domain/sharing/Payment.ts"
import * as Transfer from "../../../domain/sharing/Transfer.ts"
import * as TransferAttempt from "../../../domain/sharing/TransferAttempt.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import type { ProcessorFailure } from "../../../ports/payments/PaymentProcessors.ts"
import { PaymentStore } from "../../../ports/sharing/PaymentStore.ts"
import { type DueTransfer, TransferAttemptStore } from "../../../ports/sharing/TransferAttemptStore.ts"
import { actingIn, makeOrganisationTime } from "../../access/caller/CallerContext.ts"
import { ChangeLog } from "../../access/change/Change.ts"
import { makeLedgerWriter } from "../../payments/ledger/LedgerWriter.ts"
import { distributor, makeRecipientGifts, type Occasion } from "../payment/RecipientGifts.ts"
import {
  type LockedAttempt,
  makeReturnedMoney,
  makeReversalOutcome,
  makeTransferReversal
} from "../refund/ReturnedMoney.ts"
import { abandonReason, makeDistribution, makeUnsentShares } from "./Distribution.ts"
import { type LoadedTransfer, makeTransferLoader, type TransferCall } from "./TransferLoader.ts"

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

/** How long an attempt is left to whoever works on it. After a crash it is taken up again then. */
export const lease = Duration.minutes(1)

/** The longest that one attempt may take at its processor. It ends well before the lease. */
export const within = Duration.seconds(45)

/** The operation under which the outcomes of transfers are written. */
export const operation = "transfers.settle"

/** Runs a transaction about an attempt, as whoever brings money to recipients. */
export const makeActing = Effect.gen(function* () {
  const tokens = yield* Tokens
  const transaction = yield* Transaction
  return Effect.fnUntraced(function* <A, E, R>(
    { organisation }: LoadedTransfer,
    effect: (request_id: string) => Effect.Effect<A, E, R>
  ) {
    const request_id = yield* tokens.id("request")
    return yield* transaction.run(effect(request_id)).pipe(actingIn(organisation, distributor, request_id))
  })
})

/** Makes one attempt agree with its processor. It may run twice at once, and be cut off anywhere. */
export const makeTransferSync = Effect.gen(function* () {
  const acting = yield* makeActing
  const attempts = yield* TransferAttemptStore
  const changeLog = yield* ChangeLog
  const find = yield* makeTransferLoader
  const record = yield* makeTransferOutcome
  const takenBack = yield* makeReturnedMoney
  const timeOf = yield* makeOrganisationTime

  /** Puts the next poll off: it cannot be sent now, people move it, or its outcome is unknown. */
  const postpone = (known: LoadedTransfer) =>
    acting(known, () =>
      Effect.gen(function* () {
        const { id, organisation_id } = known.attempt
        const held = yield* attempts.findForUpdate(organisation_id, id)
        if (Option.isNone(held) || held.value.status !== "NEW") return
        const later = known.ask === null ? TransferAttempt.leftToPeople : TransferAttempt.postpone
        yield* attempts.update(later(held.value, yield* attempts.now))
      })
    )

  /**
   * Writes that it is sent now, and answers how; "wait" where it must not be, since a dispute of its charge is open, or
   * since people move it by hand, and why it is needed no more where it is not. Whoever writes disputes locks the
   * charge, too.
   */
  const allow = (known: LoadedTransfer) =>
    acting(known, () =>
      Effect.gen(function* () {
        const { charge_id, id, organisation_id } = known.attempt
        const { isChargedBack, isDisputed } = yield* takenBack(organisation_id, charge_id)
        const held = yield* attempts.findForUpdate(organisation_id, id)
        if (isDisputed || Option.isNone(held) || held.value.status !== "NEW") return "wait" as const
        const needless = TransferAttempt.needlessBy(held.value, isChargedBack)
        if (needless !== null) return needless
        if (known.ask === null) return "wait" as const
        if (held.value.sent_at !== null) return known.ask
        const at = yield* organisationNow
        const decided = decide(TransferAttempt.machine, held.value, { _tag: "Send", at })
        const { state } = yield* Effect.orDie(Effect.fromResult(decided))
        yield* attempts.update(state)
        yield* changeLog.write({ operation: "transfers.send", subject_id: id, at, events: [] })
        return known.ask
      })
    )

  const write = (known: LoadedTransfer, outcomeAt: (at: DateTime.Utc) => Outcome) =>
    acting(known, (request_id) =>
      Effect.flatMap(organisationNow, (at) => record(known.attempt, outcomeAt(at), { at, operation, request_id }))
    )

  const succeeded = (known: LoadedTransfer, reference: string) =>
    write(known, (at) => ({ _tag: "Succeed", at, reference }))

  const ended = (known: LoadedTransfer, failure_code: string) =>
    write(known, (at) => ({ _tag: "Refuse", at, failure_code }))

  /** What took the transfer back whole that a refused reversal was to take back: its money is there, whoever asked for it. */
  const takenBackBy = ({ ask, attempt }: LoadedTransfer) =>
    ask === null || !TransferAttempt.isReversal(attempt)
      ? Effect.succeedNone
      : Effect.map(Effect.option(ask.findReversal), Option.flatten)

  /** An attempt without an answer stays as it is: it fails by a refusal alone. */
  const failed = Effect.fnUntraced(function* (known: LoadedTransfer, failure: ProcessorFailure) {
    if (failure._tag !== "ProcessorRefused") return yield* postpone(known)
    const by = yield* takenBackBy(known)
    return yield* Option.isSome(by) ? succeeded(known, by.value.reference) : ended(known, failure.code)
  })

  const send = Effect.fnUntraced(function* (known: LoadedTransfer) {
    const allowed = yield* allow(known)
    if (allowed === "wait") return yield* postpone(known)
    if (typeof allowed === "string") return yield* ended(known, allowed)
    const answer = yield* Effect.result(allowed.make)
    return yield* Result.isSuccess(answer) ? succeeded(known, answer.success.reference) : failed(known, answer.failure)
  })

  /** An attempt that was sent before may have happened: it is looked up first. */
  const look = Effect.fnUntraced(function* (known: LoadedTransfer, ask: TransferCall) {
    const answer = yield* Effect.result(ask.find)
    // A processor that refuses to answer is as one that was not reached.
    if (Result.isFailure(answer)) return yield* postpone(known)
    return yield* Option.isSome(answer.success) ? succeeded(known, answer.success.value.reference) : send(known)
  })

  const takeUp = Effect.fnUntraced(function* (due: DueTransfer) {
    const found = yield* find(due)
    if (Option.isNone(found) || found.value.attempt.status !== "NEW") return
    const { ask, attempt } = found.value
    if (attempt.sent_at === null) return yield* send(found.value)
    return yield* ask === null ? postpone(found.value) : look(found.value, ask)
  })

  /** Takes up an attempt. Dies where the store is away, and may then be called again. */
  return (due: DueTransfer): Effect.Effect<void> => timeOf(due.organisation_id)(takeUp(due))
})
