import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Introductions count toward their inviter's limit by the real time at which they were sent. */
export const introductionsSent = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE introductions ADD COLUMN sent_at timestamptz(3)`
  yield* sql`UPDATE introductions SET sent_at = least(created_at, now())`
  yield* sql`ALTER TABLE introductions ALTER COLUMN sent_at SET NOT NULL`
  yield* sql`CREATE INDEX introductions_sent ON introductions (organisation_id, sent_at) WHERE viewed_at IS NULL`
})
