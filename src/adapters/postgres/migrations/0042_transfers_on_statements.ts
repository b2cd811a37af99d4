import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Statements tell of transfers from now on: those that were read before did not, and are read again. */
export const transfersOnStatements = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE reconciliations SET compared_until = NULL`
})
