import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Revenue codes are assigned to jurisdictions; codes of federal campaign accounts are to the federal one. */
export const codeJurisdictions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE revenue_codes ADD COLUMN jurisdiction text COLLATE "C"`
  yield* sql`UPDATE revenue_codes SET jurisdiction = 'AU' WHERE is_fca`
  yield* sql`
    CREATE INDEX revenue_codes_jurisdiction ON revenue_codes (organisation_id, jurisdiction)
    WHERE jurisdiction IS NOT NULL`
})
