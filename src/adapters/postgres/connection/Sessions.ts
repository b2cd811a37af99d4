import type * as PgConnection from "@effect/sql-pg/PgConnection"
import { Effect, type Queue, type Scope, Stream } from "effect"
import type { Acquirer, Borrower, Connection } from "effect/sql/SqlConnection"
import { LockTimeoutError, SqlError } from "effect/sql/SqlError"
import { makeFairSlots, type NoSlot } from "./FairSlots.ts"
import { type Session, withDeadline } from "./Session.ts"
import { inVain, makeSessionPool, noneFree, type Options as PoolOptions } from "./SessionPool.ts"
import { begins, TransactionState, verdictOf } from "./SessionState.ts"

type Transform = Parameters<Connection["execute"]>[2]

/** Wraps every statement of a connection. */
type Around = <A>(statement: Effect.Effect<A, SqlError>, text: string) => Effect.Effect<A, SqlError>

/** A session, or the part of one that its holder has, as Effect's SQL client knows connections. */
class SessionConnection implements Connection {
  private readonly connection: PgConnection.PgConnection
  private readonly around: Around

  constructor(connection: PgConnection.PgConnection, around: Around) {
    this.connection = connection
    this.around = around
  }

  private rows(text: string, params: ReadonlyArray<unknown>, transformRows: Transform, prepare: boolean) {
    const rows = Effect.map(this.around(this.connection.query(text, params, prepare), text), (result) => result.rows)
    return transformRows === undefined ? rows : Effect.map(rows, transformRows)
  }

  execute(text: string, params: ReadonlyArray<unknown>, transformRows: Transform) {
    return this.rows(text, params, transformRows, true)
  }
  executeRaw(text: string, params: ReadonlyArray<unknown>) {
    return this.around(this.connection.query(text, params), text)
  }
  executeStream(text: string, params: ReadonlyArray<unknown>, transformRows: Transform) {
    return Stream.fromIterableEffect(this.execute(text, params, transformRows))
  }
  executeValues(text: string, params: ReadonlyArray<unknown>) {
    return this.around(this.connection.queryValues(text, params), text)
  }
  executeValuesUnprepared(text: string, params: ReadonlyArray<unknown>) {
    return this.around(this.connection.queryValues(text, params, false), text)
  }
  executeUnprepared(text: string, params: ReadonlyArray<unknown>, transformRows: Transform) {
    return this.rows(text, params, transformRows, false)
  }
}

export interface Options extends PoolOptions {
  /** How many sessions may be held for transactions at the same time. */
  readonly places: number
  /** How long a statement waits for its answer, milliseconds. */
  readonly statementMillis: number
  /** What each transaction begins with; undefined for nothing. */
  readonly opening: string | undefined
  /** Whether each statement is a transaction that begins so. */
  readonly opensEach: boolean
  /** Runs when a statement was not answered in time. */
  readonly onSilence: () => void
  /** Runs when the server said that it is not the one to write to. */
  readonly onElsewhere: () => void
}

/** The ways to use a pool. Statements share sessions, several on the way at once; a transaction has one for itself. */
export interface Sessions {
  /** A session for statements that do not end with the effect that starts them. */
  readonly acquire: Acquirer
  readonly borrow: Borrower
  /** A session for a transaction, on behalf of somebody. */
  readonly reserve: (who: string) => Acquirer
  /** The notifications of a channel, on a session that is held until the scope closes, and ended then. */
  readonly listen: (
    channel: string
  ) => Effect.Effect<Queue.Dequeue<PgConnection.Notification, SqlError>, SqlError, Scope.Scope>
  /** Opens new sessions for what comes next: those that there are may be cut off. */
  readonly renew: () => void
}

/** Who waited for itself waited as for a lock; who waited for others alone found no connection. */
const refused =
  (millis: number) =>
  ({ holdsSome }: NoSlot): SqlError =>
    holdsSome
      ? new SqlError({
          reason: new LockTimeoutError(inVain(`no share of the connections came free within ${millis} ms`))
        })
      : noneFree(millis)

/** Each use is a transaction. A session that is given back in one ends, and the transaction with it. */
const inTransactions =
  (acquire: Acquirer): Borrower =>
  (use) =>
    Effect.scoped(
      Effect.gen(function* () {
        const connection = yield* acquire
        yield* connection.executeUnprepared("BEGIN", [], undefined)
        const result = yield* Effect.onError(use(connection), () =>
          Effect.ignore(connection.executeUnprepared("ROLLBACK", [], undefined))
        )
        yield* connection.executeUnprepared("COMMIT", [], undefined)
        return result
      })
    )

export const makeSessions = Effect.fnUntraced(function* (options: Options) {
  const { onElsewhere, onSilence, opening, opensEach, places, statementMillis, waitMillis } = options
  const pool = yield* makeSessionPool(options)
  const shares = makeFairSlots(places, waitMillis)

  const timed =
    (session: Session) =>
    <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      withDeadline(session, statementMillis, onSilence, statement)

  /** What the exit of a statement says about its session is heeded, whoever has it. */
  const judged =
    (session: Session) =>
    <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.onExit(timed(session)(statement), (exit) => {
        const verdict = verdictOf(exit)
        if (verdict === "sound") return Effect.void
        if (verdict === "elsewhere") onElsewhere()
        return pool.retire(session)
      })

  const held = Effect.gen(function* () {
    const session = yield* pool.take
    return { session, pinned: yield* timed(session)(session.connection.pin) }
  })

  /** A session that its holder gives back in a transaction goes to nobody: the server undoes it when the session ends. */
  const acquire = Effect.gen(function* () {
    const { pinned, session } = yield* held
    const state = new TransactionState()
    yield* Effect.addFinalizer(() => (state.isOpen ? pool.retire(session) : Effect.void))
    const wholly = judged(session)
    return new SessionConnection(pinned, (statement, text) =>
      Effect.suspend(() => {
        state.sent(text)
        const confirmed = Effect.tap(wholly(statement), () => Effect.sync(() => state.confirmed(text)))
        return opening === undefined || !begins(text)
          ? confirmed
          : Effect.tap(confirmed, wholly(pinned.query(opening, [], false)))
      })
    )
  })

  const reserve = (who: string): Acquirer =>
    Effect.andThen(Effect.mapError(shares.take(who), refused(waitMillis)), acquire)

  const listen: Sessions["listen"] = Effect.fnUntraced(function* (channel) {
    const { pinned, session } = yield* held
    const queue = yield* timed(session)(pinned.listen(channel))
    // Before the driver asks for the silence of a channel, which nobody might answer.
    yield* Effect.addFinalizer(() => Effect.sync(() => session.cut(new Error("nobody listens any more"))))
    return queue
  })

  const share: Borrower = (use) =>
    pool.share((session) => use(new SessionConnection(session.connection, judged(session))))

  const sessions: Sessions = {
    acquire,
    borrow: opensEach ? inTransactions(acquire) : share,
    reserve,
    listen,
    renew: pool.renew
  }
  return sessions
})
