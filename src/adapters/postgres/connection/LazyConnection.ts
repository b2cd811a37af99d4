import { Context, Effect, Exit, Predicate, Scope, Semaphore, Stream } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import type { Statement } from "effect/sql/Statement"
import { loggedCause } from "../../../ports/kernel/LoggedCause.ts"
import { HostSession } from "../host/HostPool.ts"
import { allAtOnce, type DeferredWrite, withWrite } from "./OneStatement.ts"

/** A connection that a transaction can begin and end on, and have savepoints. */
export interface Ends extends Connection {
  readonly commit: Effect.Effect<void, SqlError.SqlError>
  readonly rollback: Effect.Effect<void, SqlError.SqlError>
  readonly savepoint: (name: string) => Effect.Effect<void, SqlError.SqlError>
  readonly releaseSavepoint: (name: string) => Effect.Effect<void, SqlError.SqlError>
  readonly rollbackSavepoint: (name: string) => Effect.Effect<void, SqlError.SqlError>
  /** Notes a write, which is sent before whatever has to see it; whether it was noted. */
  readonly note: (write: DeferredWrite) => Effect.Effect<boolean, SqlError.SqlError>
  /** Reads what no write that is noted changes. */
  readonly aside: <A>(statement: Statement<A>) => Effect.Effect<ReadonlyArray<A>, SqlError.SqlError>
}

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
  take: Effect.Effect<Ends, SqlError.SqlError, Scope.Scope>,
  effect: Effect.Effect<A, E, R>,
  outer: Level | undefined
): Effect.Effect<A, E | SqlError.SqlError, R> =>
  Effect.uninterruptibleMask((restore) =>
    outer === undefined ? outermost(sql, take, restore(effect), restore) : nested(sql, restore(effect), outer)
  )

const nested = <A, E, R>(
  sql: SqlClient.SqlClient,
  effect: Effect.Effect<A, E, R>,
  outer: Level
): Effect.Effect<A, E | SqlError.SqlError, R> => {
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

/**
 * Closes a scope without services: each of its finalizers has those that it was made with, and the library copies all that there
 * are beside them, for each finalizer, which was a third of what a gift by card allocated.
 */
const closed = (scope: Scope.Closeable, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> =>
  Effect.updateContext(Scope.close(scope, exit), () => Context.empty())

const outermost = <A, E, R>(
  sql: SqlClient.SqlClient,
  take: Effect.Effect<Ends, SqlError.SqlError, Scope.Scope>,
  effect: Effect.Effect<A, E, R>,
  restore: <B, F, S>(effect: Effect.Effect<B, F, S>) => Effect.Effect<B, F, S>
): Effect.Effect<A, E | SqlError.SqlError, R> =>
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
          closed(scope, exit),
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

type Transform = Parameters<Connection["execute"]>[2]

const rolledBack = new SqlError.SqlError({
  reason: new SqlError.UnknownError({
    cause: new Error("the transaction had failed, and COMMIT rolled it back"),
    operation: "commit"
  })
})

interface Controls {
  readonly begin: string
  readonly commit: string
  readonly rollback: ReadonlyArray<string>
}

/** The isolation that statements are written for, whatever the role or the database has for its sessions. */
const transaction: Controls = {
  begin: "BEGIN ISOLATION LEVEL READ COMMITTED",
  commit: "COMMIT",
  rollback: ["ROLLBACK"]
}

/** A part of the transaction that the host has open. Outside of one PostgreSQL refuses the savepoint. */
const savepointOfHost: Controls = {
  begin: "SAVEPOINT almoner",
  commit: "RELEASE SAVEPOINT almoner",
  rollback: ["ROLLBACK TO SAVEPOINT almoner", "RELEASE SAVEPOINT almoner"]
}

/** A value that a noted write takes is somebody else's, or names nobody: the unit runs again, and the write is refused at its place. */
const refusedLater = (error: SqlError.SqlError): SqlError.SqlError =>
  error.reason._tag === "UniqueViolation" || error.reason._tag === "ConstraintError"
    ? new SqlError.SqlError({ reason: new SqlError.SerializationError({ cause: error }) })
    : error

/**
 * A session that is taken, and a transaction that is begun on it, by the first statement. A request that is answered without
 * the database so waits for nobody, even where there is one session. Writes whose results nobody waits for are noted, and sent
 * as one statement before the next one that is none of them. docs/decisions/0097.
 */
export class LazyConnection implements Ends {
  private readonly session: Effect.Effect<Connection, SqlError.SqlError, Scope.Scope>
  private readonly scope: Scope.Scope
  private turn: Semaphore.Semaphore | undefined = undefined
  private readonly controls: Controls
  private readonly notesFor: SqlClient.SqlClient | undefined
  private noted: ReadonlyArray<DeferredWrite> = []
  private forgotten = false
  private begun: Connection | undefined = undefined

  /** `notesFor` makes the statements of writes that are noted; where it is absent none is. */
  constructor(
    session: Effect.Effect<Connection, SqlError.SqlError, Scope.Scope>,
    scope: Scope.Scope,
    controls: Controls,
    notesFor: SqlClient.SqlClient | undefined
  ) {
    this.session = session
    this.scope = scope
    this.controls = controls
    this.notesFor = notesFor
  }

  /** Whether it ended with writes that were never sent: nobody knows whether one of them is refused. */
  get hasForgotten(): boolean {
    return this.forgotten
  }

  /** The session in its transaction, whatever is noted. */
  private get inTransaction(): Effect.Effect<Connection, SqlError.SqlError> {
    return Effect.suspend(() => {
      if (this.begun !== undefined) return Effect.succeed(this.begun)
      this.turn ??= Semaphore.makeUnsafe(1)
      return this.turn.withPermit(this.begin())
    })
  }

  /** The same with all that was noted sent. */
  private get open(): Effect.Effect<Connection, SqlError.SqlError> {
    return Effect.suspend(() =>
      this.noted.length === 0 ? this.inTransaction : Effect.andThen(this.send(), this.inTransaction)
    )
  }

  private send(): Effect.Effect<void, SqlError.SqlError> {
    const { noted, notesFor } = this
    if (notesFor === undefined) return Effect.void
    this.noted = []
    return Effect.map(Effect.mapError(this.aside(allAtOnce(notesFor, noted)), refusedLater), (rows) => {
      for (const { told } of noted) told?.(rows)
    })
  }

  note(write: DeferredWrite): Effect.Effect<boolean, SqlError.SqlError> {
    return Effect.suspend(() => {
      // An answer of a key takes the place of an older one, unless it is in one statement with its lock.
      if (this.notesFor === undefined || write.part === "answer") return Effect.succeed(false)
      const together = withWrite(this.noted, write)
      const before = together === undefined ? this.send() : Effect.void
      this.noted = together ?? [write]
      return Effect.as(before, true)
    })
  }

  aside<A>(statement: Statement<A>): Effect.Effect<ReadonlyArray<A>, SqlError.SqlError> {
    const [text, params] = statement.compile()
    return Effect.flatMap(this.inTransaction, (connection) => connection.execute(text, params, undefined))
  }

  /** A session goes back to the others in no transaction, or in one that was ended. */
  private begin(): Effect.Effect<Connection, SqlError.SqlError> {
    return Effect.uninterruptibleMask((restore) =>
      Effect.gen({ self: this }, function* () {
        if (this.begun !== undefined) return this.begun
        const connection = yield* restore(Scope.provide(this.session, this.scope))
        yield* connection.execute(this.controls.begin, [], undefined)
        this.begun = connection
        return connection
      })
    )
  }

  /** Commits what was begun. PostgreSQL answers the COMMIT of a failed transaction with ROLLBACK. */
  get commit(): Effect.Effect<void, SqlError.SqlError> {
    return Effect.suspend(() =>
      this.begun === undefined && this.noted.length === 0
        ? Effect.void
        : Effect.flatMap(
            Effect.tapError(this.open, () => this.rollback),
            (begun) =>
              Effect.flatMap(begun.executeRaw(this.controls.commit, []), (result) =>
                Predicate.hasProperty(result, "command") && result.command === "ROLLBACK"
                  ? Effect.fail(rolledBack)
                  : Effect.void
              )
          )
    )
  }

  /** The server undoes by itself what a lost connection had begun: what led here is still what is to be told. */
  get rollback(): Effect.Effect<void, SqlError.SqlError> {
    return Effect.suspend(() => {
      const { begun } = this
      this.forgotten = this.noted.length > 0
      this.noted = []
      return begun === undefined
        ? Effect.void
        : Effect.forEach(this.controls.rollback, (text) => begun.execute(text, [], undefined), { discard: true }).pipe(
            Effect.catchIf(
              ({ reason }) => reason._tag === "ConnectionError",
              () => Effect.void
            )
          )
    })
  }

  savepoint(name: string) {
    return command(this, `SAVEPOINT ${name}`)
  }
  releaseSavepoint(name: string) {
    return command(this, `RELEASE SAVEPOINT ${name}`)
  }
  /** What is noted is sent before, to know whether it is refused: whoever rolls back may go on. */
  rollbackSavepoint(name: string) {
    return command(this, `ROLLBACK TO SAVEPOINT ${name}`)
  }

  execute(statement: string, params: ReadonlyArray<unknown>, transformRows: Transform) {
    return Effect.flatMap(this.open, (connection) => connection.execute(statement, params, transformRows))
  }
  executeRaw(statement: string, params: ReadonlyArray<unknown>) {
    return Effect.flatMap(this.open, (connection) => connection.executeRaw(statement, params))
  }
  executeStream(statement: string, params: ReadonlyArray<unknown>, transformRows: Transform) {
    return Stream.unwrap(
      Effect.map(this.open, (connection) => connection.executeStream(statement, params, transformRows))
    )
  }
  executeValues(statement: string, params: ReadonlyArray<unknown>) {
    return Effect.flatMap(this.open, (connection) => connection.executeValues(statement, params))
  }
  executeValuesUnprepared(statement: string, params: ReadonlyArray<unknown>) {
    return Effect.flatMap(this.open, (connection) => connection.executeValuesUnprepared(statement, params))
  }
  executeUnprepared(statement: string, params: ReadonlyArray<unknown>, transformRows: Transform) {
    return Effect.flatMap(this.open, (connection) => connection.executeUnprepared(statement, params, transformRows))
  }
}

const command = (connection: Connection, text: string) => Effect.asVoid(connection.execute(text, [], undefined))

/**
 * The session of a transaction, which is taken late, and is the host's where {@link HostSession} says so: a part of the
 * transaction that the host has open then. Writes are noted only in a transaction that can run again.
 */
export const takeSession = (
  sql: SqlClient.SqlClient,
  { notes }: { readonly notes: boolean }
): Effect.Effect<LazyConnection, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const host = yield* HostSession
    return host === undefined
      ? new LazyConnection(sql.reserve, scope, transaction, notes ? sql : undefined)
      : new LazyConnection(Effect.succeed(host), scope, savepointOfHost, undefined)
  })
