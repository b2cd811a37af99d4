import { DateTime, Effect, Option, Result } from "effect"
import type { Caller } from "../../../domain/access/Caller.ts"
import type { IdempotencyScope, StoredAnswer } from "../../../domain/access/Idempotency.ts"
import type { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import { IdempotencyStore } from "../../../ports/access/IdempotencyStore.ts"
import { Repeatable, Transaction } from "../../../ports/kernel/Transaction.ts"
import { makeBodyHashes } from "./BodyHashes.ts"
import type { Incoming } from "./Handler.ts"
import { type Failure, type Problem, problemOf } from "./Problem.ts"
import type { Route } from "./Routes.ts"

/** A request that carries an Idempotency-Key. */
export interface KeyedCall {
  readonly route: Route
  readonly caller: Caller
  readonly scope: IdempotencyScope
  /** As received. */
  readonly body: Uint8Array
  /** The decoded request, or the failure to decode it: an answer that is stored like any other. */
  readonly incoming: Result.Result<Incoming<never, never>, Failure>
  readonly succeed: (value: unknown) => StoredAnswer
  readonly fail: (failure: Failure) => StoredAnswer
}

/** How a keyed request is answered. */
export type KeyedAnswer =
  | { readonly _tag: "Answered"; readonly answer: StoredAnswer; readonly replayed: boolean }
  /** Refused without a trace: the same key can be tried again. */
  | { readonly _tag: "Refused"; readonly problem: Problem }

const inFlight: KeyedAnswer = {
  _tag: "Refused",
  problem: {
    code: "conflict",
    message: "This Idempotency-Key is still being processed by a concurrent request. Try again shortly."
  }
}

const bodyDiffers: KeyedAnswer = {
  _tag: "Refused",
  problem: {
    code: "idempotency_conflict",
    message: "This Idempotency-Key was used with a different body. Use a new key for a new request."
  }
}

const notKept: KeyedAnswer = {
  _tag: "Refused",
  problem: {
    code: "conflict",
    message:
      "This Idempotency-Key was used and the operation ran, but its answer was too large to keep for replay. Read the records instead."
  }
}

type Operation = Effect.Effect<unknown, Failure, CurrentCaller>

/**
 * The refusal by a limit that has to be waited for. It is not stored, so that the same key can be used again after the
 * wait.
 */
const lockedOut = (outcome: Result.Result<unknown, Failure>): KeyedAnswer | undefined => {
  if (Result.isSuccess(outcome)) return undefined
  const problem = problemOf(outcome.failure)
  return problem.lockedForSeconds === undefined ? undefined : { _tag: "Refused", problem }
}

/**
 * Runs keyed requests: the reservation of the key, the operation, its events and the stored answer are one transaction,
 * so that a crash in between leaves nothing and frees the key. docs/decisions: idempotency in one transaction.
 */
export const makeKeyed = Effect.gen(function* () {
  const bodyHashes = yield* makeBodyHashes
  const store = yield* IdempotencyStore
  const transaction = yield* Transaction

  const atOnce = Effect.fnUntraced(function* (call: KeyedCall, body_hash: string) {
    const { atOnce: shortWay } = call.route.handler
    if (shortWay === undefined || Result.isFailure(call.incoming)) return undefined
    const { scope, succeed } = call
    const outcome = yield* Effect.option(shortWay(call.incoming.success, { scope, body_hash, answerOf: succeed }))
    if (Option.isNone(outcome) || outcome.value._tag === "Declined") return undefined
    if (outcome.value._tag === "InFlight") return inFlight
    const recorded: KeyedAnswer = { _tag: "Answered", answer: outcome.value.answer, replayed: false }
    return recorded
  })

  /** The operation to run in the transaction; the part that must stay out of it runs now. */
  const prepared = (call: KeyedCall): Effect.Effect<Operation, never, CurrentCaller> => {
    if (Result.isFailure(call.incoming)) return Effect.succeed(Effect.fail(call.incoming.failure))
    const incoming = call.incoming.success
    const { prepare, run } = call.route.handler
    if (prepare === undefined) return Effect.succeed(run(incoming))
    return Effect.match(prepare(incoming), { onFailure: (failure) => Effect.fail(failure), onSuccess: (rest) => rest })
  }

  const inTransaction = Effect.fnUntraced(function* (
    call: KeyedCall,
    operation: Operation,
    body_hashes: readonly [kept: string, ...older: ReadonlyArray<string>]
  ) {
    const now = yield* DateTime.now
    const reservation = yield* store.reserve(call.scope, body_hashes, now)
    switch (reservation._tag) {
      case "Replay": {
        const replay: KeyedAnswer = { _tag: "Answered", answer: reservation.answer, replayed: true }
        return replay
      }
      case "BodyDiffers":
        return bodyDiffers
      case "InFlight":
        return inFlight
      case "AnswerNotKept":
        return notKept
      case "Run": {
        const outcome = yield* Effect.result(operation)
        const locked = lockedOut(outcome)
        if (locked !== undefined) return locked
        const answer = Result.match(outcome, { onFailure: call.fail, onSuccess: call.succeed })
        yield* store.keep(call.scope, body_hashes[0], answer, { secret: call.route.secret, now })
        const answered: KeyedAnswer = { _tag: "Answered", answer, replayed: false }
        return answered
      }
    }
  }, transaction.run)

  return Effect.fnUntraced(function* (call: KeyedCall) {
    const body_hashes = yield* bodyHashes(call.body)
    const short = yield* atOnce(call, body_hashes[0])
    if (short !== undefined) return short
    const answered = inTransaction(call, yield* prepared(call), body_hashes)
    return yield* Effect.provideService(answered, Repeatable, true)
  })
})
