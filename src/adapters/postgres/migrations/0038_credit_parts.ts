import { statements } from "./Statements.ts"

/** Parts of payments, each of which is for another gift. */
export const creditParts = statements(`ALTER TABLE credits ADD COLUMN part_of text COLLATE "C"`)
