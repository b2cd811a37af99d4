import { Effect } from "effect"
import { statements } from "./Statements.ts"

const columns = statements(
  `
    ALTER TABLE mails
      ADD COLUMN delayed_by text,
      ADD COLUMN waits_for text COLLATE "C",
      ADD COLUMN begun_at timestamptz(3),
      ADD COLUMN address_hash text COLLATE "C",
      ADD COLUMN unreadable_since timestamptz(3)`,
  // Mails that were sent within the last day count toward their organisation's budget; their addresses are not known.
  `
    UPDATE mails SET begun_at = completed_at WHERE status = 'SENT' AND completed_at > now() - interval '1 day'`
)

/** Every search for mails walks one of these, however many are delayed. */
const indexes = statements(
  `DROP INDEX mails_due`,
  `
    CREATE INDEX mails_due ON mails (organisation_id, next_attempt_at, id) WHERE next_attempt_at IS NOT NULL`,
  `CREATE INDEX mails_next ON mails (next_attempt_at) WHERE next_attempt_at IS NOT NULL`,
  `
    CREATE INDEX mails_waiting ON mails (waits_for, organisation_id, created_at, id) WHERE waits_for IS NOT NULL`,
  `CREATE INDEX mails_begun ON mails (organisation_id, begun_at) WHERE begun_at IS NOT NULL`,
  `CREATE INDEX mails_begun_address ON mails (address_hash, begun_at) WHERE begun_at IS NOT NULL`,
  `CREATE INDEX mails_unreadable ON mails (unreadable_since) WHERE unreadable_since IS NOT NULL`,
  `CREATE INDEX mails_created ON mails (organisation_id, created_at, id)`
)

/** A row for each budget that mails wait for, with the time of its next check. */
const budgets = statements(
  `
    CREATE TABLE mail_budgets (
      budget text COLLATE "C" PRIMARY KEY,
      opens_at timestamptz(3) NOT NULL
    )`,
  `CREATE INDEX mail_budgets_opens ON mail_budgets (opens_at)`
)

/** Mails as operators see them, with rows that cannot be read as mails. */
const records = statements(
  `
    CREATE VIEW mail_records WITH (security_invoker = true) AS
    SELECT m.organisation_id, m.id, m.template, m.subject_id, m.recipient_id,
      CASE WHEN m.unreadable_since IS NULL THEN m.status ELSE 'UNREADABLE' END AS status,
      m.attempt_count, m.delayed_by,
      CASE WHEN m.waits_for IS NOT NULL THEN b.opens_at WHEN isfinite(m.next_attempt_at) THEN m.next_attempt_at END
        AS next_attempt_at,
      CASE WHEN isfinite(m.created_at) THEN m.created_at END AS created_at,
      CASE WHEN isfinite(m.completed_at) THEN m.completed_at END AS completed_at
    FROM mails AS m LEFT JOIN mail_budgets AS b ON b.budget = m.waits_for`
)

/** Budgets that delay mails, and mails that are set aside because they cannot be read. */
export const mailBudgets = columns.pipe(Effect.andThen(indexes), Effect.andThen(budgets), Effect.andThen(records))
