import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Organisations whose checkouts refuse gifts over a cap, and donors whose kind has a cap of its own. */
export const caps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE cap_blocks (organisation_id text COLLATE "C" PRIMARY KEY REFERENCES organisations (id))`
  yield* sql`
    CREATE TABLE donor_kinds (
      organisation_id text COLLATE "C" NOT NULL,
      donor_id text COLLATE "C" NOT NULL,
      donor_kind text NOT NULL,
      PRIMARY KEY (organisation_id, donor_id),
      FOREIGN KEY (organisation_id, donor_id) REFERENCES donors (organisation_id, id)
    )`
})
