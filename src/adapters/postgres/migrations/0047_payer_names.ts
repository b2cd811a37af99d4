import { statements } from "./Statements.ts"

/** The names of those whose transfers to sets are awaited. */
export const payerNames = statements(
  `ALTER TABLE payments ADD COLUMN payer_names text[]`,
  `CREATE INDEX payments_payer_names ON payments USING gin (payer_names)`
)
