import { statements } from "./Statements.ts"

/** Interruptions are counted apart from attempts, and unreadable deliveries are set aside under a lease without end. */
export const deliveryLeases = statements(
  `DROP VIEW webhook_deliveries`,
  `
    ALTER TABLE pending_deliveries
      ADD COLUMN interruption_count integer NOT NULL DEFAULT 0,
      ADD COLUMN set_aside_reason text`,
  `ALTER TABLE finished_deliveries ADD COLUMN interruption_count integer NOT NULL DEFAULT 0`,
  `
    CREATE VIEW webhook_deliveries AS
    SELECT organisation_id, id, endpoint_id, event_id, event_type, 'PENDING'::text AS status, attempt_count,
           interruption_count, next_attempt_at, replay_of, created_at, updated_at, NULL::timestamptz(3) AS completed_at
    FROM pending_deliveries
    UNION ALL
    SELECT organisation_id, id, endpoint_id, event_id, event_type, status, attempt_count,
           interruption_count, NULL::timestamptz(3), replay_of, created_at, updated_at, completed_at
    FROM finished_deliveries`,
  // A backlog that builds up within a minute is vacuumed and analysed within the next.
  `
    ALTER TABLE pending_deliveries SET (
      autovacuum_analyze_scale_factor = 0.02, autovacuum_analyze_threshold = 1000,
      autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000,
      autovacuum_vacuum_cost_delay = 0)`
)
