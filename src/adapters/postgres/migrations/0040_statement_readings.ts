import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Which reading of a processor's statement found a line last: one that a later reading of its day does not find is gone. */
export const statementReadings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE processor_movements ADD COLUMN reading text`
})
