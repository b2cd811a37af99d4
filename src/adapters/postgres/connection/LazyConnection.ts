import { Effect, Predicate, Scope, Semaphore, Stream } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import { HostSession } from "../host/HostConnection.ts"
import type { Ends } from "./Level.ts"

type Transform = Parameters<Connection["execute"]>[2]

const rolledBack = new SqlError.SqlError({
  reason: new SqlError.UnknownError({
    cause: new Error("the transaction had failed, and COMMIT rolled it back"),
    operation: "commit"
  })
})

/** How a unit of work begins and ends on its session. */
interface Controls {
  readonly begin: string
  readonly commit: string
  readonly rollback: ReadonlyArray<string>
}

const transaction: Controls = { begin: "BEGIN", commit: "COMMIT", rollback: ["ROLLBACK"] }

/** A part of the transaction that the host has open. Outside of one PostgreSQL refuses the savepoint. */
const savepointOfHost: Controls = {
  begin: "SAVEPOINT almoner",
  commit: "RELEASE SAVEPOINT almoner",
  rollback: ["ROLLBACK TO SAVEPOINT almoner", "RELEASE SAVEPOINT almoner"]
}

/**
 * A session that is taken, and a transaction that is begun on it, by the first statement. A request that is answered without
 * the database so waits for nobody, even where there is one session.
 */
export class LazyConnection implements Ends {
  private readonly session: Effect.Effect<Connection, SqlError.SqlError, Scope.Scope>
  private readonly scope: Scope.Scope
  private turn: Semaphore.Semaphore | undefined = undefined
  private readonly controls: Controls
  private begun: Connection | undefined = undefined

  constructor(
    session: Effect.Effect<Connection, SqlError.SqlError, Scope.Scope>,
    scope: Scope.Scope,
    controls: Controls
  ) {
    this.session = session
    this.scope = scope
    this.controls = controls
  }

  private get open(): Effect.Effect<Connection, SqlError.SqlError> {
    return Effect.suspend(() => {
      if (this.begun !== undefined) return Effect.succeed(this.begun)
      this.turn ??= Semaphore.makeUnsafe(1)
      return this.turn.withPermit(this.begin())
    })
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
      this.begun === undefined
        ? Effect.void
        : Effect.flatMap(this.begun.executeRaw(this.controls.commit, []), (result) =>
            Predicate.hasProperty(result, "command") && result.command === "ROLLBACK"
              ? Effect.fail(rolledBack)
              : Effect.void
          )
    )
  }

  /** The server undoes by itself what a lost connection had begun: what led here is still what is to be told. */
  get rollback(): Effect.Effect<void, SqlError.SqlError> {
    return Effect.suspend(() => {
      const { begun } = this
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
 * transaction that the host has open then.
 */
export const takeSession = (sql: SqlClient.SqlClient): Effect.Effect<LazyConnection, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const host = yield* HostSession
    return host === undefined
      ? new LazyConnection(sql.reserve, scope, transaction)
      : new LazyConnection(Effect.succeed(host), scope, savepointOfHost)
  })
