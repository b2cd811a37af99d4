import { Cause, Effect, Exit, type Scope } from "effect"
import { SqlError } from "effect/sql"
import { LockTimeout, Repeatable, Transaction } from "../../../ports/kernel/Transaction.ts"
import { HostSession } from "../host/HostPool.ts"
import { storeFrom } from "../records/Records.ts"
import { DeferredTransaction } from "./DeferredTransaction.ts"
import {
  afterCommit,
  CurrentLevel,
  type Ends,
  type LazyConnection,
  type Level,
  runLevel,
  takeSession
} from "./LazyConnection.ts"

/** Keeps the failures of the effect apart from those of the transaction around it. */
class Failed<E> {
  readonly error: E
  constructor(error: E) {
    this.error = error
  }
}

const isConflict = (defect: unknown): boolean =>
  SqlError.isSqlError(defect) && (defect.reason._tag === "DeadlockError" || defect.reason._tag === "SerializationError")

/** Whether the database chose to end this work in favour of other work: doing it again is all there is to it. */
export const isRetryable = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some(
    (reason) =>
      (Cause.isDieReason(reason) && isConflict(reason.defect)) ||
      (Cause.isFailReason(reason) && isConflict(reason.error))
  )

const retries = 3

/**
 * Runs an effect that leaves nothing behind when it fails again, as long as the database ended it in favour of others; `again`
 * where that is to be done in another way.
 */
export const retryConflicts = <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  again = effect,
  left = retries
): Effect.Effect<A, E, R> =>
  Effect.catchCause(effect, (cause) =>
    left > 0 && isRetryable(cause) ? retryConflicts(again, again, left - 1) : Effect.failCause(cause)
  )

const waitedForLock = (defect: unknown): boolean =>
  SqlError.isSqlError(defect) && defect.reason._tag === "LockTimeoutError"

/** Turns a lock timeout into {@link LockTimeout}. */
const contended = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchCause(effect, (cause) =>
    cause.reasons.some((reason) => Cause.isDieReason(reason) && waitedForLock(reason.defect))
      ? Effect.die(new LockTimeout())
      : Effect.failCause(cause)
  )

/** Whether nobody waits any more, or nobody can know what was written: it may all have been. */
const isBeyondRepeating = (cause: Cause.Cause<unknown>): boolean =>
  Cause.hasInterrupts(cause) ||
  cause.reasons.some(
    (reason) =>
      Cause.isDieReason(reason) && SqlError.isSqlError(reason.defect) && reason.defect.reason._tag === "ConnectionError"
  )

/**
 * Transactions of the client, with savepoints inside them. The outermost one begins with its first statement, and is run
 * again, up to three times, when the database ended it as a deadlock or for serialisation, or a write that was noted may
 * be refused; then none is noted. One that waited too long for a lock dies with {@link LockTimeout}. A {@link Repeatable} one is a
 * {@link DeferredTransaction} first.
 */
export const layer = storeFrom(Transaction, function* (sql) {
  const onSession = takeSession(sql, { notes: false })
  const onNoting = takeSession(sql, { notes: true })

  const onDraft = Effect.gen(function* () {
    return new DeferredTransaction(sql, yield* onNoting, yield* Effect.context<never>())
  })

  const level = <A, E, R>(
    effect: Effect.Effect<A, E, R>,
    outer?: Level,
    take: Effect.Effect<Ends, never, Scope.Scope> = onSession
  ): Effect.Effect<A, E, R> => {
    const kept = Effect.mapError(effect, (error) => new Failed(error))
    return runLevel(sql, take, kept, outer).pipe(
      Effect.catch((error) => (error instanceof Failed ? Effect.fail(error.error) : Effect.die(error)))
    )
  }

  /** Runs an effect whose writes are noted; `again` where it fails before it is known that none of them is refused. */
  const noting = <A, E, R>(effect: Effect.Effect<A, E, R>, again: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      let taken: LazyConnection | undefined
      const take = Effect.tap(onNoting, (connection) => Effect.sync(() => (taken = connection)))
      return Effect.catchCause(level(effect, undefined, take), (cause) =>
        taken?.hasForgotten === true && !isBeyondRepeating(cause) ? again : Effect.failCause(cause)
      )
    })

  return {
    run: (effect) =>
      Effect.gen(function* () {
        const outer = yield* CurrentLevel
        if (outer !== undefined) return yield* level(effect, outer)
        // A host's transaction that the database ended is the host's to run again: its own part is lost, too.
        const isOfHost = (yield* HostSession) !== undefined
        const whole = level(effect)
        if (isOfHost) return yield* whole
        if (yield* Repeatable) {
          const exit = yield* Effect.exit(level(effect, undefined, onDraft))
          if (Exit.isSuccess(exit) || isBeyondRepeating(exit.cause)) return yield* exit
          return yield* contended(retryConflicts(whole))
        }
        return yield* contended(retryConflicts(noting(effect, whole), whole))
      }),
    afterCommit
  }
})
