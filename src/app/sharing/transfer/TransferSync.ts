import { type DateTime, Duration, Effect, Option, Result } from "effect"
import { decide } from "../../../domain/kernel/Machine.ts"
import * as TransferAttempt from "../../../domain/sharing/TransferAttempt.ts"
import { organisationNow } from "../../../ports/kernel/AheadClock.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import type { ProcessorFailure } from "../../../ports/payments/PaymentProcessors.ts"
import { type DueTransfer, TransferAttemptStore } from "../../../ports/sharing/TransferAttemptStore.ts"
import { actingIn, makeOrganisationTime } from "../../access/caller/CallerContext.ts"
import { ChangeLog } from "../../access/change/Change.ts"
import { distributor } from "../payment/RecipientGifts.ts"
import { makeReturnedMoney } from "../refund/ReturnedMoney.ts"
import { type LoadedTransfer, makeTransferLoader, type TransferCall } from "./TransferLoader.ts"
import { makeTransferOutcome, type Outcome } from "./TransferOutcome.ts"

/** How long an attempt is left to whoever works on it. After a crash it is taken up again then. */
export const lease = Duration.minutes(1)

/** The longest that one attempt may take at its processor. It ends well before the lease. */
export const within = Duration.seconds(45)

const operation = "transfers.settle"

/** Makes one attempt agree with its processor. It may run twice at once, and be cut off anywhere. */
export const makeTransferSync = Effect.gen(function* () {
  const attempts = yield* TransferAttemptStore
  const changeLog = yield* ChangeLog
  const find = yield* makeTransferLoader
  const record = yield* makeTransferOutcome
  const takenBack = yield* makeReturnedMoney
  const timeOf = yield* makeOrganisationTime
  const tokens = yield* Tokens
  const transaction = yield* Transaction

  const acting = Effect.fnUntraced(function* <A, E, R>(
    { organisation }: LoadedTransfer,
    effect: (request_id: string) => Effect.Effect<A, E, R>
  ) {
    const request_id = yield* tokens.id("request")
    return yield* transaction.run(effect(request_id)).pipe(actingIn(organisation, distributor, request_id))
  })

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

  /** An attempt without an answer stays as it is: it fails by a refusal alone. */
  const failed = (known: LoadedTransfer, failure: ProcessorFailure) =>
    failure._tag === "ProcessorRefused" ? ended(known, failure.code) : postpone(known)

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
