import { Effect, Option, Result } from "effect"
import { type Answered, inFlight, makeKeyed as makeKeyedOperations } from "../../../app/access/steps/Keyed.ts"
import type { IdempotencyScope, StoredAnswer } from "../../../domain/access/Idempotency.ts"
import type { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import type { Incoming } from "./Handler.ts"
import { type Failure, type Problem, problemOf } from "./Problem.ts"
import type { Route } from "./Routes.ts"

/** A request that carries an Idempotency-Key. */
export interface KeyedCall {
  readonly route: Route
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

type Operation = Effect.Effect<unknown, Failure, CurrentCaller>

const told = (answered: Answered<Failure>): KeyedAnswer =>
  answered._tag === "Refused" ? { _tag: "Refused", problem: problemOf(answered.failure) } : answered

/** The operation to run in the transaction; the part that must stay out of it runs now. */
const prepared = ({ incoming, route }: KeyedCall): Effect.Effect<Operation, never, CurrentCaller> => {
  if (Result.isFailure(incoming)) return Effect.succeed(Effect.fail(incoming.failure))
  const { prepare, run } = route.handler
  if (prepare === undefined) return Effect.succeed(run(incoming.success))
  return Effect.match(prepare(incoming.success), {
    onFailure: (failure) => Effect.fail(failure),
    onSuccess: (rest) => rest
  })
}

/**
 * A refusal by a limit that has to be waited for is not stored, so that the same key can be used again after the wait.
 */
const answersOf = ({ fail, succeed }: KeyedCall) => ({
  succeed,
  fail: (failure: Failure) => (problemOf(failure).lockedForSeconds === undefined ? fail(failure) : undefined)
})

/** Runs keyed requests: in one statement where the operation has a fast path that takes it, else in a transaction. */
export const makeKeyed = Effect.gen(function* () {
  const keyed = yield* makeKeyedOperations

  const atOnce = Effect.fnUntraced(function* (call: KeyedCall, body_hash: string) {
    const { atOnce: shortWay } = call.route.handler
    if (shortWay === undefined || Result.isFailure(call.incoming)) return undefined
    const { scope, succeed } = call
    const outcome = yield* Effect.option(shortWay(call.incoming.success, { scope, body_hash, answerOf: succeed }))
    if (Option.isNone(outcome) || outcome.value._tag === "Declined") return undefined
    if (outcome.value._tag === "InFlight") return told(inFlight)
    const recorded: KeyedAnswer = { _tag: "Answered", answer: outcome.value.answer, replayed: false }
    return recorded
  })

  return Effect.fnUntraced(function* (call: KeyedCall) {
    const body_hashes = yield* keyed.hashesOf(call.body)
    const short = yield* atOnce(call, body_hashes[0])
    if (short !== undefined) return short
    const request = { scope: call.scope, secret: call.route.secret }
    if (call.route.handler.prepare !== undefined) {
      const known = yield* keyed.answered(request, body_hashes)
      if (Option.isSome(known)) return told(known.value)
    }
    return told(yield* keyed.run(request, body_hashes, yield* prepared(call), answersOf(call)))
  })
})
