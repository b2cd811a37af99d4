import { statements } from "./Statements.ts"

/** Whether a linked account takes payments is said by its integration alone: what the link remembered was out of date. */
export const chargesOfLinks = statements("ALTER TABLE recipient_accounts DROP COLUMN charges_enabled")
