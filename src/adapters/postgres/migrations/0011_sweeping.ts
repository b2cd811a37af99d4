import { statements } from "./Statements.ts"

/** The indexes that the sweeper walks, for all organisations, oldest first. */
export const sweeping = statements(
  // Archived links expire, too.
  `DROP INDEX checkout_links_expiring`,
  `
    CREATE INDEX checkout_links_expiring ON checkout_links (expires_at, id)
    WHERE status = 'ACTIVE' AND pending_donation_id IS NULL`,
  `CREATE INDEX idempotency_records_made ON idempotency_records (created_at)`,
  `CREATE INDEX finished_deliveries_ended ON finished_deliveries (completed_at)`,
  `CREATE INDEX mails_ended ON mails (completed_at) WHERE completed_at IS NOT NULL`
)
