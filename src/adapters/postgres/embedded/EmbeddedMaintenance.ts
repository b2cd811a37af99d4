import { Duration, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { loggedCause } from "../../../ports/kernel/LoggedCause.ts"

const checkpointEveryBytes = 64 * 1024 * 1024
const every = Duration.seconds(15)

/**
 * One turn of the work that a server's checkpointer and autovacuum do. Inside a process there is neither, so that the
 * log (and the time of a recovery) and the dead rows would grow until the next start. The thresholds are the server's
 * defaults.
 */
export const tidy = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const checkpointDue = SqlSchema.findOne({
    Request: Schema.Void,
    Result: Schema.Struct({ due: Schema.Boolean }),
    execute: () =>
      sql`SELECT pg_current_wal_insert_lsn() - redo_lsn > ${checkpointEveryBytes} AS due FROM pg_control_checkpoint()`
  })
  const neglectedTables = SqlSchema.findAll({
    Request: Schema.Void,
    Result: Schema.Struct({ name: Schema.String }),
    execute: () => sql`
      SELECT format('%I.%I', schemaname, relname) AS name FROM pg_stat_user_tables
      WHERE n_dead_tup > 50 + 0.2 * n_live_tup
         OR n_ins_since_vacuum > 1000 + 0.2 * n_live_tup
         OR n_mod_since_analyze > 50 + 0.1 * n_live_tup`
  })
  if ((yield* checkpointDue(undefined)).due) yield* sql`CHECKPOINT`
  for (const { name } of yield* neglectedTables(undefined)) yield* sql.unsafe(`VACUUM (ANALYZE) ${name}`)
})

/** Repeats {@link tidy} as long as the database is open; after a failure it is tried again at the next turn. */
export const keepTidy = tidy.pipe(
  Effect.catchCause((cause) => Effect.logWarning("maintenance of the embedded database failed", loggedCause(cause))),
  Effect.delay(every),
  Effect.forever
)
