import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Parts of payments, each of which is for another gift. */
export const creditParts = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE credits ADD COLUMN part_of text COLLATE "C"`
})
