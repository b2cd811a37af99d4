import { statements } from "./Statements.ts"

/** The gift that held money was booked as. Known of older ones by their amount, their time and their payment. */
export const giftsOfExceptions = statements(
  `ALTER TABLE payment_exceptions ADD COLUMN donation_id text COLLATE "C"`,
  `
    UPDATE payment_exceptions AS x SET donation_id = d.id
    FROM donations AS d
    JOIN credits AS c ON c.organisation_id = d.organisation_id AND c.id = d.credit_id
    WHERE d.organisation_id = x.organisation_id AND d.created_at = x.resolved_at AND d.currency = x.currency
      AND d.amount_cents = x.held_cents AND (x.subject_id = c.id OR x.charge_id = c.charge_id)`
)
