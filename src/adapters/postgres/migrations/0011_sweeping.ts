import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The indexes that the sweeper walks, for all organisations, oldest first. */
export const sweeping = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Archived links expire, too.
  yield* sql`DROP INDEX checkout_links_expiring`
  yield* sql`
    CREATE INDEX checkout_links_expiring ON checkout_links (expires_at, id)
    WHERE status = 'ACTIVE' AND pending_donation_id IS NULL`
  yield* sql`CREATE INDEX idempotency_records_made ON idempotency_records (created_at)`
  yield* sql`CREATE INDEX finished_deliveries_ended ON finished_deliveries (completed_at)`
  yield* sql`CREATE INDEX mails_ended ON mails (completed_at) WHERE completed_at IS NOT NULL`
})
