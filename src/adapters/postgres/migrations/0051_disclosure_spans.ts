import { statements } from "./Statements.ts"

/**
 * A row for each donor, jurisdiction and period that was assessed: whoever assesses one changes it. A donor's gifts of a period
 * are found by an index of those that may have a code.
 */
export const disclosureSpans = statements(
  `
    CREATE TABLE disclosure_spans (
      organisation_id text COLLATE "C" NOT NULL REFERENCES organisations (id),
      id text COLLATE "C" NOT NULL,
      changes bigint NOT NULL,
      PRIMARY KEY (organisation_id, id)
    ) WITH (fillfactor = 80)`,
  `
    CREATE INDEX donations_assessed ON donations (organisation_id, donor_id, donation_day)
    WHERE revenue_code_id IS NOT NULL OR source = 'RECOMMENDATION_SET' AND revenue_code_id IS NULL`
)
