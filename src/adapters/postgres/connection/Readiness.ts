import { Duration, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { databaseAway, type ReadinessChecks } from "../../../ports/kernel/Readiness.ts"
import { newestMigration } from "../migrations/Migrations.ts"

/** How long the database may take to tell, before it is taken for one that does not answer. */
const patience = Duration.seconds(2)

/** How the database stands, and its schema: it may be newer than this program, which serves until it is replaced. */
export type DatabaseStatus = Omit<ReadinessChecks, "key_ring">

/** Tables that nearly every change writes to: rights on them stand for those on the others. */
const written = ["donors", "donations", "events"]

const { key_ring: _, ...away } = databaseAway

/** Asks the database which migration it has, and whether it takes writes. It never fails, and answers within two seconds. */
export const makeDatabaseStatus: Effect.Effect<Effect.Effect<DatabaseStatus>, never, SqlClient.SqlClient> = Effect.map(
  SqlClient.SqlClient,
  (sql) =>
    sql<{ readonly newest: number | null; readonly writes: boolean }>`
      SELECT max(migration_id)::int4 AS newest,
        NOT pg_is_in_recovery() AND current_setting('transaction_read_only') = 'off'
        AND (SELECT bool_and(has_table_privilege(name, 'INSERT')) FROM unnest(${written}::text[]) AS name) AS writes
      FROM almoner_migrations`.pipe(
      Effect.map(
        ([row]): DatabaseStatus => ({
          database: "ok",
          writes: row?.writes === true ? "ok" : "failed",
          migrations: (row?.newest ?? 0) >= newestMigration ? "ok" : "failed"
        })
      ),
      Effect.timeoutOption(patience),
      Effect.map(Option.getOrElse(() => away)),
      Effect.catchCause(() => Effect.succeed(away))
    )
)
