import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Tables, with the columns that lists filter by and that no index began with. */
const filtered = {
  revenue_codes: ["code_key", "namespace"],
  checkout_links: ["status"],
  finished_deliveries: ["event_type"]
} as const

/** Indexes in list order for filters that had none. */
export const listIndexes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX revenue_codes_fca ON revenue_codes (organisation_id, created_at, id) WHERE is_fca`
  for (const [table, columns] of Object.entries(filtered)) {
    for (const column of columns) {
      yield* sql`
        CREATE INDEX ${sql(`${table}_${column}`)} ON ${sql(table)} (organisation_id, ${sql(column)}, created_at, id)`
    }
    // Among the indexes that hold the id, the planner takes the newest before the first ANALYZE.
    yield* sql`
      ALTER TABLE ${sql(table)} DROP CONSTRAINT ${sql(`${table}_pkey`)}, ADD PRIMARY KEY (organisation_id, id)`
  }
})
