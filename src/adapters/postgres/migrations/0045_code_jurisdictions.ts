import { statements } from "./Statements.ts"

/** Revenue codes are assigned to jurisdictions; codes of federal campaign accounts are to the federal one. */
export const codeJurisdictions = statements(
  `ALTER TABLE revenue_codes ADD COLUMN jurisdiction text COLLATE "C"`,
  `UPDATE revenue_codes SET jurisdiction = 'AU' WHERE is_fca`,
  `
    CREATE INDEX revenue_codes_jurisdiction ON revenue_codes (organisation_id, jurisdiction)
    WHERE jurisdiction IS NOT NULL`
)
