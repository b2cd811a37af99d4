import { statements } from "./Statements.ts"

/** Introductions count toward their inviter's limit by the real time at which they were sent. */
export const introductionsSent = statements(
  `ALTER TABLE introductions ADD COLUMN sent_at timestamptz(3)`,
  `UPDATE introductions SET sent_at = least(created_at, now())`,
  `ALTER TABLE introductions ALTER COLUMN sent_at SET NOT NULL`,
  `CREATE INDEX introductions_sent ON introductions (organisation_id, sent_at) WHERE viewed_at IS NULL`
)
