import { Context, Effect, Exit, Scope, Semaphore } from "effect"
import type { SqlClient } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import type { SqlError } from "effect/sql/SqlError"
import { loggedCause } from "../../../ports/kernel/LoggedCause.ts"

/** A connection that a transaction can begin and end on, and have savepoints. */
export interface Ends extends Connection {
  readonly commit: Effect.Effect<void, SqlError>
  readonly rollback: Effect.Effect<void, SqlError>
  readonly savepoint: (name: string) => Effect.Effect<void, SqlError>
  readonly releaseSavepoint: (name: string) => Effect.Effect<void, SqlError>
  readonly rollbackSavepoint: (name: string) => Effect.Effect<void, SqlError>
}

/** A transaction, or a savepoint in it. */
export interface Level {
  readonly connection: Ends
  /** 0 is the transaction itself. */
  readonly depth: number
  /** The savepoints in a level come one after the other. */
  readonly turn: Semaphore.Semaphore
  /** Functions to call when the transaction ends, however it ends. */
  readonly atEnd: Array<() => void>
  /** Effects to run once it has committed. */
  readonly afterCommit: Array<Effect.Effect<void>>
}

/** The level that is open here; undefined outside of transactions. */
export const CurrentLevel = Context.Reference<Level | undefined>("almoner/adapters/postgres/Level", {
  defaultValue: () => undefined
})

const levelOn = (connection: Ends, depth: number): Level => ({
  connection,
  depth,
  turn: Semaphore.makeUnsafe(1),
  atEnd: [],
  afterCommit: []
})

/**
 * Runs an effect in a level. Services are added one by one: the client's own `withTransaction` merges all that there are,
 * which copies them, and was a third of what a change allocated.
 */
const inside =
  (sql: SqlClient.SqlClient, level: Level) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    effect.pipe(
      Effect.provideService(CurrentLevel, level),
      Effect.provideService(sql.transactionService, [level.connection, level.depth])
    )

const runEach = (ends: ReadonlyArray<() => void>): void => {
  for (const end of ends) end()
}

/** One that breaks does not keep the others from running: what they follow is committed. */
const runAll = (effects: ReadonlyArray<Effect.Effect<void>>): Effect.Effect<void> =>
  Effect.forEach(
    effects,
    (effect) =>
      Effect.catchCause(effect, (cause) => Effect.logError("An effect after a commit died", loggedCause(cause))),
    { discard: true }
  )

/**
 * Runs an effect in a transaction on the connection that `take` gives, or, where `outer` is open, in a savepoint of it. Commits
 * when the effect succeeds; what was registered in a savepoint that holds is the outer level's.
 */
export const runLevel = <A, E, R>(
  sql: SqlClient.SqlClient,
  take: Effect.Effect<Ends, SqlError, Scope.Scope>,
  effect: Effect.Effect<A, E, R>,
  outer: Level | undefined
): Effect.Effect<A, E | SqlError, R> =>
  Effect.uninterruptibleMask((restore) =>
    outer === undefined ? outermost(sql, take, restore(effect), restore) : nested(sql, restore(effect), outer)
  )

const nested = <A, E, R>(
  sql: SqlClient.SqlClient,
  effect: Effect.Effect<A, E, R>,
  outer: Level
): Effect.Effect<A, E | SqlError, R> => {
  const { connection } = outer
  const level = levelOn(connection, outer.depth + 1)
  const name = `almoner_${level.depth}`
  return outer.turn.withPermit(
    Effect.gen(function* () {
      yield* connection.savepoint(name)
      const exit = yield* Effect.exit(inside(sql, level)(effect))
      if (Exit.isFailure(exit)) yield* Effect.orDie(connection.rollbackSavepoint(name))
      yield* Effect.orDie(connection.releaseSavepoint(name))
      if (Exit.isFailure(exit)) return yield* exit
      outer.atEnd.push(...level.atEnd)
      outer.afterCommit.push(...level.afterCommit)
      return exit.value
    }).pipe(Effect.onError(() => Effect.sync(() => runEach(level.atEnd))))
  )
}

const outermost = <A, E, R>(
  sql: SqlClient.SqlClient,
  take: Effect.Effect<Ends, SqlError, Scope.Scope>,
  effect: Effect.Effect<A, E, R>,
  restore: <B, F, S>(effect: Effect.Effect<B, F, S>) => Effect.Effect<B, F, S>
): Effect.Effect<A, E | SqlError, R> =>
  Effect.suspend(() => {
    let level: Level | undefined
    const scope = Scope.makeUnsafe()
    const work = Effect.gen(function* () {
      const connection = yield* Scope.provide(restore(take), scope)
      level = levelOn(connection, 0)
      const exit = yield* Effect.exit(inside(sql, level)(effect))
      yield* Exit.isSuccess(exit) ? connection.commit : Effect.orDie(connection.rollback)
      return yield* exit
    })
    return Effect.flatMap(
      Effect.onExit(work, (exit) =>
        Effect.andThen(
          Scope.close(scope, exit),
          Effect.sync(() => level !== undefined && runEach(level.atEnd))
        )
      ),
      (value) => (level === undefined ? Effect.succeed(value) : Effect.as(runAll(level.afterCommit), value))
    )
  })

/** Runs an effect once the transaction that is open here has committed, or at once where there is none. */
export const afterCommit = (effect: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(CurrentLevel, (level) =>
    level === undefined ? effect : Effect.sync(() => void level.afterCommit.push(effect))
  )
