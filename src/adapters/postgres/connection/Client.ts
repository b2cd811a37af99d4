import { PgClient } from "@effect/sql-pg"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Duration, Effect, type Layer, Option, Predicate, Redacted, Result, Schedule, Schema } from "effect"
import { SqlClient, Statement } from "effect/sql"
import type { Connection } from "effect/sql/SqlConnection"
import { ConnectionError, isSqlError, SqlError, UnknownError } from "effect/sql/SqlError"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { textAt } from "../../../domain/kernel/Text.ts"
import { CurrentCaller } from "../../../ports/access/CurrentCaller.ts"
import { Background } from "../../../ports/kernel/Background.ts"
import {
  type DatabaseTrouble,
  silence,
  troubleFields,
  troubleOf,
  troubleText
} from "../../../ports/kernel/DatabaseTrouble.ts"
import { AllowanceRow, allowanceOf, allowanceQuery } from "./Allowance.ts"
import { readAddress, type ServerAddress, serverText } from "./ServerAddress.ts"
import { kindQuery, notPostgres, troubleOfKind } from "./ServerKind.ts"
import { openSession, type SessionConfig, withDeadline } from "./Session.ts"
import { isFull } from "./SessionPool.ts"
import { makeSessions, type Sessions, type Options as SessionsOptions } from "./Sessions.ts"

interface Division {
  /** For those who wait for an answer. */
  readonly requests: number
  /** For what goes on by itself; 0 where it shares those of the requests. */
  readonly background: number
  /** Whether one of these is held for listening. */
  readonly listens: boolean
}

/** Work that goes on by itself needs few: its statements are batches. */
const backgroundMaximum = 3

/** Shares out a number of connections, at least one. */
export const divide = (connections: number): Division => {
  const background = connections < 2 ? 0 : Math.min(backgroundMaximum, Math.max(1, Math.floor(connections / 3)))
  return { requests: connections - background, background, listens: background >= 2 }
}

/** The server cannot be used. `reason` completes a sentence and never holds the password. */
export class DatabaseUnreachable extends Schema.TaggedError<DatabaseUnreachable>()("DatabaseUnreachable", {
  server: Schema.String,
  ...troubleFields
}) {
  override get message(): string {
    return `The database ${this.server} cannot be used: ${troubleText(this)}`
  }
}

/** How long the server may take, and how long is waited for it, milliseconds. */
export interface Bounds {
  /** After how long the server ends a statement. */
  readonly statementMillis: number
  /** After how long the server ends a statement that waits for a lock. */
  readonly lockMillis: number
  /** After how long the server ends a transaction that nobody goes on with. */
  readonly idleTransactionMillis: number
  /** How long the answer may be on its way beyond the server's own bound. */
  readonly answerMillis: number
  /** How long opening a connection may take. */
  readonly connectMillis: number
  /** How long a connection is waited for, be it opened or given back. */
  readonly waitMillis: number
}

/** Somebody waits for the answer. */
const requestBounds: Bounds = {
  statementMillis: Limits.statementSeconds * 1000,
  lockMillis: Limits.lockWaitSeconds * 1000,
  idleTransactionMillis: 15_000,
  answerMillis: 2_000,
  connectMillis: 5_000,
  waitMillis: Limits.changeWaitSeconds * 1000
}

/** Nobody waits: claims, settlements and sweeps are batches. */
const backgroundBounds: Bounds = {
  statementMillis: 30_000,
  lockMillis: 10_000,
  idleTransactionMillis: 30_000,
  answerMillis: 2_000,
  connectMillis: 5_000,
  waitMillis: 10_000
}

/** The options of the connections to a server. */
export interface Options {
  /**
   * `postgres://user:password@host:port/database`, with libpq's parameters (`sslmode`, …); over a Unix socket
   * `postgres://user@/database?host=/folder`, or with the folder percent-encoded as the host.
   */
  readonly url: Redacted.Redacted<string>
  /** Connections at most, over requests and work that goes on by itself. Defaults to 10. */
  readonly max_connections?: number
  /** How long a start waits for a server that does not listen yet or is starting up. Defaults to 10 seconds. */
  readonly start_wait?: Duration.Input
  /** Whether statements are prepared. Defaults to yes, but for a pooler, which may give a session to others between them. */
  readonly prepare?: boolean
  /** In place of the bounds that requests have. */
  readonly request_bounds?: Partial<Bounds>
  /** In place of the bounds that work has that goes on by itself. */
  readonly background_bounds?: Partial<Bounds>
}

/** What hinders a connection; without a known code the server's own words, or its silence. */
const hindrance = (error: DatabaseTrouble | SqlError): DatabaseTrouble => {
  if (!isSqlError(error)) return error
  const trouble = troubleOf(error)
  if (trouble !== undefined) return trouble
  const { cause } = error.reason
  const said = cause instanceof Error && cause.message !== "Connection timed out" ? cause.message : ""
  if (error.reason._tag === "AuthenticationError") {
    return {
      code: "",
      reason: `it refuses this user: ${said}`,
      remedy: "Let the role in, in pg_hba.conf.",
      passes: false
    }
  }
  const code = textAt(cause, "code") ?? ""
  const remedy = "Look at the parameters in its URL, and into the server's log."
  return said === "" ? silence : { code, reason: said, remedy, passes: false }
}

const unreachable =
  (address: ServerAddress) =>
  (error: DatabaseTrouble | SqlError): DatabaseUnreachable =>
    new DatabaseUnreachable({ server: serverText(address), ...hindrance(error) })

interface Addressed extends Omit<Options, "url"> {
  readonly address: ServerAddress
  /** Whether a pooler may stand before the server: it refuses what is set for a session as it starts. */
  readonly isPooled: boolean
  /** Whether the server has deadlines of its own for each statement. */
  readonly hasDeadlines: boolean
}

/** After how long the server itself ends what takes too long. */
const deadlinesOf = ({ idleTransactionMillis, lockMillis, statementMillis }: Bounds) => ({
  statement_timeout: `${statementMillis}`,
  lock_timeout: `${lockMillis}`,
  idle_in_transaction_session_timeout: `${idleTransactionMillis}`
})

/** The same for one transaction: whoever has the session after it has none of them. */
const openingOf = (bounds: Bounds): string => {
  const each = Object.entries(deadlinesOf(bounds)).map(([name, millis]) => `set_config('${name}', '${millis}', true)`)
  return `SELECT ${each.join(", ")}`
}

const configOf = (
  { address, ...options }: Pick<Addressed, "address" | "isPooled" | "prepare">,
  bounds: Bounds
): SessionConfig => ({
  address,
  database: address.database || undefined,
  username: address.user,
  password: address.password,
  startupOptions: address.options,
  applicationName: address.applicationName ?? "almoner",
  multiplex: true,
  prepare: options.prepare ?? true,
  preparedStatementCacheSize: 500,
  connectTimeout:
    address.connectSeconds === undefined ? bounds.connectMillis : Duration.seconds(address.connectSeconds),
  startupParameters: {
    TimeZone: "UTC",
    ...(options.isPooled
      ? {}
      : {
          ...deadlinesOf(bounds),
          default_transaction_isolation: "read committed",
          // A session whose client is cut off holds its place among the role's connections until the server notices.
          tcp_keepalives_idle: "30",
          tcp_keepalives_interval: "5",
          tcp_keepalives_count: "3"
        })
  }
})

const decodeRow = Schema.decodeUnknownEffect(AllowanceRow)

/** What a first session was told of the server. */
interface FirstAnswer extends Pick<Addressed, "isPooled" | "hasDeadlines"> {
  readonly row: typeof AllowanceRow.Type
}

/** Asks a first session what the server is, and what it allows. A pooler tells another process than the one that answers. */
const firstAnswer = (config: SessionConfig, bounds: Bounds): Effect.Effect<FirstAnswer, DatabaseTrouble | SqlError> =>
  Effect.scoped(
    Effect.gen(function* () {
      const session = yield* openSession(config)
      const ask = Effect.fnUntraced(function* (text: string) {
        const asked = session.connection.query(text, [], false)
        const { rows } = yield* withDeadline(session, bounds.statementMillis + bounds.answerMillis, () => {}, asked)
        return rows[0]
      })
      const kind = yield* Effect.mapError(ask(kindQuery), (error) =>
        error.reason._tag === "ConnectionError" || troubleOf(error) !== undefined ? error : notPostgres
      )
      const trouble = troubleOfKind(kind)
      if (trouble !== undefined) return yield* Effect.fail(trouble)
      const row = yield* Effect.mapError(
        decodeRow(yield* ask(allowanceQuery)),
        (cause) => new SqlError({ reason: new UnknownError({ cause, message: "no answer as expected" }) })
      )
      return { row, isPooled: row.process_id !== session.connection.processId, hasDeadlines: row.has_deadlines }
    })
  )

/** How many connections there can be: a server that allows fewer than were asked for is told of once, and lived with. */
const connectionsOf = Effect.fnUntraced(function* (row: typeof AllowanceRow.Type, asked: number) {
  const { by, connections } = allowanceOf(row)
  if (connections >= asked) return asked
  yield* Effect.logWarning(
    `${asked} connections to the database are asked for, and the ${by} allows ${connections}: it goes on with ${connections}`
  )
  return Math.max(1, connections)
})

/** On whose behalf a connection is held. What is nobody's shares like one organisation. */
const holder = Effect.map(
  Effect.serviceOption(CurrentCaller),
  Option.match({ onNone: () => "", onSome: ({ organisation }) => organisation.id })
)

const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.flatMap(connection.executeRaw("COMMIT", []), (result) =>
    Predicate.hasProperty(result, "command") && result.command === "ROLLBACK"
      ? Effect.fail(
          new SqlError({
            reason: new UnknownError({ cause: new Error("the transaction had failed, and COMMIT rolled it back") })
          })
        )
      : Effect.void
  )

/** Nobody may hold the only connection for good, nor a pooler's: what listening would tell is found by looking. */
const cannotListen = new SqlError({
  reason: new ConnectionError({ cause: new Error("there is no connection to listen on") })
})

/** How often all sessions are opened anew at most because the server takes no writes, milliseconds: it may stay so. */
const renewMillis = 1_000

const atMostEvery = (millis: number, run: () => void): (() => void) => {
  let from = 0
  return () => {
    const now = performance.now()
    if (now < from) return
    from = now + millis
    run()
  }
}

/** The options in which the two pools differ. */
type Share = Pick<SessionsOptions, "name" | "least" | "size" | "places" | "waitsWhenFull">

/** How all sessions are renewed, those of every pool. */
const renewer = (all: ReadonlyArray<Sessions>) => () => {
  for (const each of all) each.renew()
}

const makeClient = Effect.fnUntraced(function* (options: Addressed, connections: number) {
  const { background, listens: canListen, requests } = divide(connections)
  const listens = canListen && !options.isPooled
  const all: Array<Sessions> = []
  const renewAll = renewer(all)
  const pool = Effect.fnUntraced(function* (bounds: Bounds, parts: Share) {
    const sessions = yield* makeSessions({
      ...parts,
      config: configOf(options, bounds),
      statementMillis: bounds.statementMillis + bounds.answerMillis,
      waitMillis: bounds.waitMillis,
      opening: options.isPooled ? openingOf(bounds) : undefined,
      opensEach: options.isPooled && !options.hasDeadlines,
      // One silent connection means that the way to the server is broken for the others, too.
      onSilence: renewAll,
      onElsewhere: atMostEvery(renewMillis, renewAll)
    })
    all.push(sessions)
    return sessions
  })
  const forRequests = yield* pool(
    { ...requestBounds, ...options.request_bounds },
    // One is left to statements, where there are several.
    { name: "requests", least: 1, size: requests, places: Math.max(1, requests - 1), waitsWhenFull: true }
  )
  const forBackground =
    background === 0
      ? forRequests
      : yield* pool(
          { ...backgroundBounds, ...options.background_bounds },
          {
            name: "deliveries, mails and sweeps",
            least: 0,
            size: background,
            places: listens ? background - 1 : background,
            waitsWhenFull: false
          }
        )

  /** Where the server has no connection left for what goes on by itself, it goes on with those of the requests. */
  const either = <A, E, R>(use: (sessions: Sessions) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Background, (isBackground) =>
      isBackground ? Effect.catchIf(use(forBackground), isFull, () => use(forRequests)) : use(forRequests)
    )
  const client = yield* SqlClient.make({
    acquirer: either(({ acquire }) => acquire),
    borrower: (use) => either(({ borrow }) => borrow(use)),
    transactionAcquirer: Effect.flatMap(holder, (who) => either(({ reserve }) => reserve(who))),
    compiler: PgClient.makeCompiler(),
    driver: "pg",
    prepareTransactionControls: options.prepare ?? true,
    spanAttributes: [["db.system.name", "postgresql"]],
    commit,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`
  })
  const whole: PgClient.PgClient = Object.assign(client, {
    [PgClient.TypeId]: PgClient.TypeId,
    config: {},
    json: (value: unknown) => Statement.fragment([Statement.parameter(PgTypes.jsonb(value))]),
    listen: (channel: string) => (listens ? forBackground.listen(channel) : Effect.fail(cannotListen)),
    notify: (channel: string, payload: string) =>
      Effect.asVoid(
        either(({ borrow }) =>
          borrow((connection) => connection.execute("SELECT pg_notify($1, $2)", [channel, payload], undefined))
        )
      )
  })
  return whole
})

/** After how long a start says that it waits. */
const quietWait = Duration.seconds(1)

/** Repeats what a server that starts refuses, and says so where it takes long. */
const patiently = <A>(
  { address, start_wait = Duration.seconds(10) }: Pick<Addressed, "address" | "start_wait">,
  attempt: Effect.Effect<A, DatabaseTrouble | SqlError>
): Effect.Effect<A, DatabaseTrouble | SqlError> => {
  let latest = silence
  const attempts = attempt.pipe(
    Effect.tapError((error) =>
      Effect.sync(() => {
        latest = hindrance(error)
      })
    ),
    Effect.retry({
      schedule: Schedule.spaced(Duration.millis(250)).pipe(Schedule.upTo({ duration: start_wait })),
      while: (error) => hindrance(error).passes
    })
  )
  const said = Effect.suspend(() =>
    Effect.logWarning(`Waiting for the database ${serverText(address)}: ${troubleText(latest)}`)
  )
  return Effect.raceFirst(attempts, Effect.andThen(Effect.delay(said, quietWait), Effect.never))
}

const connect = Effect.fnUntraced(function* (options: Omit<Addressed, keyof FirstAnswer>) {
  const bounds = { ...requestBounds, ...options.request_bounds }
  const first = configOf({ address: options.address, isPooled: true, prepare: false }, bounds)
  const { row, ...found } = yield* patiently(options, firstAnswer(first, bounds))
  const connections = yield* connectionsOf(row, options.max_connections ?? 10)
  return yield* makeClient({ ...options, ...found, prepare: options.prepare ?? !found.isPooled }, connections)
})

const connectTo = Effect.fnUntraced(function* ({ url, ...options }: Options) {
  const read = readAddress(Redacted.value(url))
  if (Result.isFailure(read)) {
    const { reason, remedy } = read.failure
    return yield* new DatabaseUnreachable({ server: "at DATABASE_URL", code: "", reason, remedy })
  }
  const address = read.success
  return yield* Effect.mapError(connect({ ...options, address }), unreachable(address))
})

/**
 * A PostgreSQL server. Sessions are in UTC. A connection that ends (the server restarts, its backend is terminated) or is
 * silent for too long fails what ran on it with a `SqlError`, and another is opened for what comes next. Work that goes on
 * by itself ({@link Background}) has connections of its own.
 */
export const layerServer = (
  options: Options
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, DatabaseUnreachable> => PgClient.layerFrom(connectTo(options))
