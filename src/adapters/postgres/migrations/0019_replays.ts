import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Replays are found by their event. They are few, and other deliveries are in neither index. */
export const replays = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE INDEX pending_deliveries_replays ON pending_deliveries (organisation_id, event_id)
    WHERE replay_of IS NOT NULL`
  yield* sql`
    CREATE INDEX finished_deliveries_replays ON finished_deliveries (organisation_id, event_id)
    WHERE replay_of IS NOT NULL`
})
