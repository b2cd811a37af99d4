import { PgClient } from "@effect/sql-pg"
import type { PGlite } from "@electric-sql/pglite"
import { Cause, Duration, Effect, type Layer, type Scope } from "effect"
import type { Reactivity } from "effect/reactivity"
import type { SqlClient } from "effect/sql"
import { loggedCause } from "../../../ports/kernel/LoggedCause.ts"
import { type Incident, makeEngine } from "./EmbeddedEngine.ts"
import { EmbeddedStream } from "./EmbeddedStream.ts"

/** Connecting may include the recovery after a crash. */
const connectTimeout = Duration.minutes(2)

const log = (incident: Incident): Effect.Effect<void> => {
  switch (incident._tag) {
    case "Damaged":
      return Effect.logError(
        `The embedded database is damaged (${incident.reason}); it is closed and opened again, with recovery from its log`
      )
    case "Reopened":
      return Effect.logInfo(`The embedded database was opened again in ${incident.millis} ms`)
    case "NotReopened":
      return Effect.logError(
        `The embedded database could not be opened again; it is tried again after ${incident.retryMillis} ms`,
        loggedCause(Cause.die(incident.cause))
      )
  }
}

/** A client of the database that `open` opens, and opens again after it broke down. */
export const client = (
  open: () => Promise<PGlite>
): Effect.Effect<PgClient.PgClient, unknown, Scope.Scope | Reactivity.Reactivity> =>
  Effect.gen(function* () {
    const run = Effect.runForkWith(yield* Effect.context())
    const report = (incident: Incident): void => void run(log(incident))
    const engine = yield* Effect.acquireRelease(
      Effect.tryPromise({ try: () => makeEngine(open, report), catch: (cause) => cause }),
      (engine) => Effect.promise(() => engine.close())
    )
    return yield* PgClient.make({
      stream: () => new EmbeddedStream(engine),
      username: "postgres",
      database: "postgres",
      minConnections: 1,
      maxConnections: 1,
      multiplex: true,
      preparedStatementCacheSize: 500,
      connectTimeout
    })
  })

/** A database that is gone with the layer; that it cannot be opened is a defect. */
export const layerOf = (open: () => Promise<PGlite>): Layer.Layer<PgClient.PgClient | SqlClient.SqlClient> =>
  PgClient.layerFrom(client(open).pipe(Effect.orDie))
