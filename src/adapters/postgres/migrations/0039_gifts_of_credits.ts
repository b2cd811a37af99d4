import { statements } from "./Statements.ts"

/** The money on a bank account that a gift was booked from. */
export const giftsOfCredits = statements(
  `ALTER TABLE donations ADD COLUMN credit_id text COLLATE "C"`,
  `
    ALTER TABLE donations ADD FOREIGN KEY (organisation_id, credit_id) REFERENCES credits (organisation_id, id)`
)
