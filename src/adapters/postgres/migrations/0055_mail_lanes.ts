import { statements } from "./Statements.ts"

/** Mails in lanes, each searched by itself. What is owed waits for no budget any more. */
export const mailLanes = statements(
  `ALTER TABLE mails ADD COLUMN lane text COLLATE "C" NOT NULL DEFAULT 'written'`,
  `
    UPDATE /* every organisation */ mails SET lane = 'owed', delayed_by = NULL, waits_for = NULL,
      next_attempt_at = CASE WHEN waits_for IS NULL THEN next_attempt_at ELSE now() END
    WHERE template IN ('endpoint_disabled', 'disclosure_duties')`,
  `DROP INDEX mails_due, mails_next`,
  `
    CREATE INDEX mails_due ON mails (lane, organisation_id, next_attempt_at, id) WHERE next_attempt_at IS NOT NULL`,
  `CREATE INDEX mails_next ON mails (lane, next_attempt_at) WHERE next_attempt_at IS NOT NULL`
)
