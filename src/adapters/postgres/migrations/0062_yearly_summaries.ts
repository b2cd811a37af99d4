import { statements } from "./Statements.ts"

/**
 * How far the summaries of financial years are, one mail for each donor and year. Years that were over before are done: their
 * donors hear nothing of them now.
 */
export const yearlySummaries = statements(
  `
    CREATE TABLE yearly_summaries (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      ends_on date NOT NULL,
      after_donor_id text COLLATE "C" NOT NULL,
      mail_count int NOT NULL,
      begun_at timestamptz(3) NOT NULL,
      completed_at timestamptz(3),
      PRIMARY KEY (organisation_id, ends_on)
    )`,
  `
    INSERT INTO /* every organisation */ yearly_summaries
    SELECT o.id, (to_char((now() AT TIME ZONE 'UTC') - interval '6 months', 'YYYY') || '-06-30')::date, '', 0, now(), now()
    FROM /* every organisation */ organisations AS o`,
  `DROP INDEX mails_single`,
  `
    CREATE UNIQUE INDEX mails_single ON mails (organisation_id, template, subject_id)
    WHERE template IN ('receipt', 'payment_summary', 'yearly_summary')`
)
