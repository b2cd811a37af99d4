import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { renewKey } from "./0020_newest_keys.ts"

/**
 * Reversed transfers, and refunds of parts of payments: those name the recipient's gift, which is another
 * organisation's, so that only a gift's own refunds refer to a gift of theirs.
 */
export const reversals = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE transfer_attempts ADD COLUMN reversed_id text COLLATE "C"`
  yield* sql`ALTER TABLE transfer_attempts ADD COLUMN cause text`
  yield* sql`ALTER TABLE transfer_attempts DROP CONSTRAINT transfer_attempts_number`
  yield* sql`
    CREATE UNIQUE INDEX transfer_attempts_number
    ON transfer_attempts (organisation_id, allocation_id, (reversed_id IS NULL), series, number)`
  yield* renewKey("transfer_attempts")
  yield* sql`
    ALTER TABLE transfer_attempts ADD FOREIGN KEY (organisation_id, reversed_id)
    REFERENCES transfer_attempts (organisation_id, id)`
  yield* sql`ALTER TABLE refunds DROP CONSTRAINT refunds_organisation_id_donation_id_fkey`
  yield* sql`ALTER TABLE refunds ADD COLUMN allocation_id text COLLATE "C"`
  yield* sql`
    ALTER TABLE refunds ADD COLUMN own_donation_id text COLLATE "C"
    GENERATED ALWAYS AS (CASE WHEN allocation_id IS NULL THEN donation_id END) STORED`
  yield* sql`
    ALTER TABLE refunds ADD FOREIGN KEY (organisation_id, own_donation_id) REFERENCES donations (organisation_id, id)`
  yield* sql`
    ALTER TABLE refunds ADD FOREIGN KEY (organisation_id, allocation_id)
    REFERENCES payment_allocations (organisation_id, id)`
})
