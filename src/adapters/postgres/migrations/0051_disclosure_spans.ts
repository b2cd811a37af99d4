import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** A row for each donor, jurisdiction and period that was assessed: whoever assesses one changes it. */
export const disclosureSpans = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE disclosure_spans (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      changes bigint NOT NULL,
      PRIMARY KEY (organisation_id, id)
    ) WITH (fillfactor = 80)`
})
