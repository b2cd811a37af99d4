import { statements } from "./Statements.ts"

/** Cards that wait for their holders' approval count under the guards of their pages. */
export const cardApprovals = statements(`ALTER TABLE card_guards ADD COLUMN waiting jsonb NOT NULL DEFAULT '[]'`)
