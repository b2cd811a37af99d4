import { statements } from "./Statements.ts"

/** Bank transfers are found by their amounts. */
export const transferAmounts = statements(
  `
    CREATE INDEX charges_transfer_amount ON charges (organisation_id, amount_cents, created_at, id)
    WHERE method = 'bank_transfer'`
)
