import { Duration, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { ReadinessState } from "../../../ports/kernel/Readiness.ts"
import { newestMigration } from "../migrations/Migrations.ts"

/** How long the database may take to tell, before it is taken for one that does not answer. */
const patience = Duration.seconds(2)

/** How the database stands, and its schema: it may be newer than this program, which serves until it is replaced. */
export interface DatabaseStatus {
  readonly database: ReadinessState
  readonly migrations: ReadinessState
}

const away: DatabaseStatus = { database: "failed", migrations: "unknown" }

/** Asks the database which migration it has. It never fails, and answers within two seconds. */
export const makeDatabaseStatus: Effect.Effect<Effect.Effect<DatabaseStatus>, never, SqlClient.SqlClient> = Effect.map(
  SqlClient.SqlClient,
  (sql) =>
    sql<{ readonly newest: number | null }>`SELECT max(migration_id)::int4 AS newest FROM almoner_migrations`.pipe(
      Effect.map(([row]): DatabaseStatus => {
        const newest = row?.newest ?? 0
        return { database: "ok", migrations: newest >= newestMigration ? "ok" : "failed" }
      }),
      Effect.timeoutOption(patience),
      Effect.map(Option.getOrElse(() => away)),
      Effect.catchCause(() => Effect.succeed(away))
    )
)
