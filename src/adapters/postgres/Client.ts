import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, type Layer, Predicate, Redacted, Schedule, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { SqlError } from "effect/sql/SqlError"

/** The server cannot be used. `reason` completes a sentence and never holds the password. */
export class DatabaseUnreachable extends Schema.TaggedError<DatabaseUnreachable>()("DatabaseUnreachable", {
  server: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `The database ${this.server} cannot be used: ${this.reason}.`
  }
}

export interface Options {
  /** `postgres://user:password@host:port/database`, with libpq's parameters (`sslmode`, …). */
  readonly url: Redacted.Redacted<string>
  readonly max_connections?: number
  /** How long a start waits for a server that does not listen yet or is starting up. Defaults to 10 seconds. */
  readonly start_wait?: Duration.Input
  /** After how long the server ends a statement. Defaults to 30 seconds. */
  readonly statement_timeout?: Duration.Input
  /** Off for a pooler that does not keep a session's prepared statements. Defaults to on. */
  readonly prepare?: boolean
}

const lockTimeout = Duration.seconds(10)
const idleTransactionTimeout = Duration.seconds(30)

const milliseconds = (duration: Duration.Input): string => `${Duration.toMillis(Duration.fromInputUnsafe(duration))}`

/** Where the database is, without who asks. */
const serverOf = (url: Redacted.Redacted<string>): string => {
  if (!URL.canParse(Redacted.value(url))) return "at DATABASE_URL"
  const { host, pathname } = new URL(Redacted.value(url))
  return `${pathname.slice(1)} at ${host === "" ? "localhost" : host}`
}

const codeOf = (cause: unknown): string =>
  Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code) ? cause.code : ""

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens at this address",
  ECONNRESET: "it closed the connection",
  ENOTFOUND: "no such host is known",
  EAI_AGAIN: "the host's name could not be resolved",
  EHOSTUNREACH: "there is no way to this host",
  ENETUNREACH: "there is no way to this host",
  ETIMEDOUT: "it did not answer in time",
  ENOENT: "its socket does not exist",
  "28000": "it refuses this user",
  "28P01": "it refuses this user name or password",
  "3D000": "there is no database of this name",
  "53300": "it has no connections left",
  "57P03": "it is starting up or shutting down"
}

const starting: ReadonlySet<string> = new Set(["ECONNREFUSED", "ECONNRESET", "ENOENT", "EAI_AGAIN", "57P03"])

const reasonOf = ({ reason }: SqlError): string => {
  const known = reasons[codeOf(reason.cause)]
  if (known !== undefined) return known
  if (reason._tag === "AuthenticationError") return "it refuses this user"
  const said = reason.cause instanceof Error ? reason.cause.message : ""
  return said === "" || said === "Connection timed out" ? "it did not answer in time" : said
}

const unreachable =
  (url: Redacted.Redacted<string>) =>
  (error: SqlError): DatabaseUnreachable =>
    new DatabaseUnreachable({
      server: serverOf(url),
      reason: URL.canParse(Redacted.value(url)) ? reasonOf(error) : "its address is not a PostgreSQL URL"
    })

const connect = Effect.fnUntraced(function* (options: Options) {
  const opened = yield* PgClient.make({
    url: options.url,
    applicationName: "almoner",
    maxConnections: options.max_connections ?? 10,
    multiplex: true,
    prepare: options.prepare ?? true,
    preparedStatementCacheSize: 500,
    connectTimeout: Duration.seconds(5),
    keepAlive: Duration.seconds(30),
    startupParameters: {
      TimeZone: "UTC",
      statement_timeout: milliseconds(options.statement_timeout ?? Duration.seconds(30)),
      lock_timeout: milliseconds(lockTimeout),
      idle_in_transaction_session_timeout: milliseconds(idleTransactionTimeout)
    }
  })
  yield* opened`SELECT 1`.pipe(
    Effect.retry({
      schedule: Schedule.spaced(Duration.millis(250)).pipe(
        Schedule.upTo({ duration: options.start_wait ?? Duration.seconds(10) })
      ),
      while: ({ reason }) => starting.has(codeOf(reason.cause))
    })
  )
  return opened
})

/**
 * A PostgreSQL server. Sessions are in UTC. A connection that ends (the server restarts, its backend is terminated)
 * fails what ran on it with a `SqlError`, and the pool opens another for what comes next.
 */
export const layerServer = (
  options: Options
): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient, DatabaseUnreachable> =>
  PgClient.layerFrom(connect(options).pipe(Effect.mapError(unreachable(options.url))))
