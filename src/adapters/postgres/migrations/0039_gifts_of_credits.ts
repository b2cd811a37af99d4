import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The money on a bank account that a gift was booked from. */
export const giftsOfCredits = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE donations ADD COLUMN credit_id text COLLATE "C"`
  yield* sql`
    ALTER TABLE donations ADD FOREIGN KEY (organisation_id, credit_id) REFERENCES credits (organisation_id, id)`
})
