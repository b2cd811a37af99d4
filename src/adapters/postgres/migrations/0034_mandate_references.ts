import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** A processor names what it keeps for a mandate, and not whose it is. */
export const mandateReferences = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX mandates_at_processor ON mandates (reference) WHERE reference IS NOT NULL`
})
