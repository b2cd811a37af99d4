import { statements } from "./Statements.ts"

/** A processor names what it keeps for a mandate, and not whose it is. */
export const mandateReferences = statements(
  `CREATE INDEX mandates_at_processor ON mandates (reference) WHERE reference IS NOT NULL`
)
