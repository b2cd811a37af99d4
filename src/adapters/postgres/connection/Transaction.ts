import { Cause, Context, Effect, Exit, Layer, Option } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { Contended, Repeatable, Transaction } from "../../../ports/kernel/Transaction.ts"
import { HostSession } from "../host/HostConnection.ts"
import { Draft } from "./Draft.ts"
import { makeWithTransaction } from "./LazyConnection.ts"

/** The functions to call when the open transaction ends, however it ends; undefined outside of {@link Transaction}. */
export const AtEnd = Context.Reference<Array<() => void> | undefined>("almoner/adapters/postgres/AtEnd", {
  defaultValue: () => undefined
})

/** Whether the transaction that begins here is a {@link Draft} first. */
const IsDraft = Context.Reference<boolean>("almoner/adapters/postgres/IsDraft", { defaultValue: () => false })

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

/** Runs an effect that leaves nothing behind when it fails again, as long as the database ended it in favour of others. */
export const retryConflicts = <A, E, R>(effect: Effect.Effect<A, E, R>, left = retries): Effect.Effect<A, E, R> =>
  Effect.catchCause(effect, (cause) =>
    left > 0 && isRetryable(cause) ? retryConflicts(effect, left - 1) : Effect.failCause(cause)
  )

const waitedForLock = (defect: unknown): boolean =>
  SqlError.isSqlError(defect) && defect.reason._tag === "LockTimeoutError"

/** Dies of {@link Contended} where a statement waited too long for the locks of others. */
const contended = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.catchCause(effect, (cause) =>
    cause.reasons.some((reason) => Cause.isDieReason(reason) && waitedForLock(reason.defect))
      ? Effect.die(new Contended())
      : Effect.failCause(cause)
  )

/** Whether nobody waits any more, or nobody can know what was written: it may all have been. */
const isBeyondRepeating = (cause: Cause.Cause<unknown>): boolean =>
  Cause.hasInterrupts(cause) ||
  cause.reasons.some(
    (reason) =>
      Cause.isDieReason(reason) && SqlError.isSqlError(reason.defect) && reason.defect.reason._tag === "ConnectionError"
  )

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const withTransaction = makeWithTransaction(sql, (session) =>
    Effect.gen(function* () {
      return (yield* IsDraft) ? new Draft(sql, session, yield* Effect.context()) : session
    })
  )

  const level = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    withTransaction(Effect.mapError(effect, (error) => new Failed(error))).pipe(
      Effect.catch((error) => (error instanceof Failed ? Effect.fail(error.error) : Effect.die(error)))
    )

  /** Functions that were registered in a savepoint that holds become the outer transaction's. */
  const withEnd = <A, E, R>(
    effect: Effect.Effect<A, E, R>,
    outer: Array<() => void> | undefined
  ): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const atEnd: Array<() => void> = []
      return Effect.onExit(Effect.provideService(level(effect), AtEnd, atEnd), (exit) =>
        Effect.sync(() => {
          if (outer !== undefined && Exit.isSuccess(exit)) outer.push(...atEnd)
          else for (const end of atEnd) end()
        })
      )
    })

  const isOpen = Effect.map(Effect.serviceOption(sql.transactionService), Option.isSome)

  return Transaction.of({
    run: (effect) =>
      Effect.gen(function* () {
        const outer = yield* AtEnd
        if (yield* isOpen) return yield* withEnd(effect, outer)
        // A host's transaction that the database ended is the host's to run again: its own part is lost, too.
        const isOfHost = (yield* HostSession) !== undefined
        const whole = withEnd(effect, undefined)
        if (isOfHost) return yield* whole
        if (yield* Repeatable) {
          const exit = yield* Effect.exit(Effect.provideService(whole, IsDraft, true))
          if (Exit.isSuccess(exit) || isBeyondRepeating(exit.cause)) return yield* exit
        }
        return yield* contended(retryConflicts(whole))
      }),
    afterCommit: (effect) => sql.afterCommit(Effect.provideService(effect, AtEnd, undefined))
  })
})

/**
 * Transactions of the client, with savepoints inside them. The outermost one begins with its first statement, and is run
 * again, up to three times, when the database ended it as a deadlock or for serialisation. One that waited too long for a
 * lock dies with {@link Contended}. A {@link Repeatable} one is a {@link Draft} first.
 */
export const layer: Layer.Layer<Transaction, never, SqlClient.SqlClient> = Layer.effect(Transaction, make)
