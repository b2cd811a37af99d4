import { statements } from "./Statements.ts"

/** Statements tell of transfers from now on: those that were read before did not, and are read again. */
export const transfersOnStatements = statements(`UPDATE reconciliations SET compared_until = NULL`)
