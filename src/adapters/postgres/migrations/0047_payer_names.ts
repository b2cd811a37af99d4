import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The names of those whose transfers to sets are awaited. */
export const payerNames = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE payments ADD COLUMN payer_names text[]`
  yield* sql`CREATE INDEX payments_payer_names ON payments USING gin (payer_names)`
})
