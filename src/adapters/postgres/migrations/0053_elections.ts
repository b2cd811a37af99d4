import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Elections that operators add to the installation. */
export const elections = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE elections (
      jurisdiction text COLLATE "C" NOT NULL,
      name text NOT NULL,
      writ_on date NOT NULL,
      polling_on date NOT NULL,
      PRIMARY KEY (jurisdiction, writ_on)
    )`
})
