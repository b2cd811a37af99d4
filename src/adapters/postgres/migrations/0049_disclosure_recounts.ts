import { statements } from "./Statements.ts"

/** How far the recounts of organisations' disclosures are. */
export const disclosureRecounts = statements(
  `
    CREATE TABLE disclosure_recounts (
      organisation_id text COLLATE "C" PRIMARY KEY REFERENCES organisations (id),
      due_at timestamptz(3) NOT NULL,
      after_donor_id text COLLATE "C" NOT NULL,
      is_asked boolean NOT NULL
    )`,
  `CREATE INDEX disclosure_recounts_due ON disclosure_recounts (due_at)`,
  `
    INSERT INTO disclosure_recounts (organisation_id, due_at, after_donor_id, is_asked)
    SELECT DISTINCT c.organisation_id, now(), '', true FROM revenue_codes AS c WHERE c.jurisdiction IS NOT NULL`
)
