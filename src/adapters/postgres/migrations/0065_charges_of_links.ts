import { statements } from "./Statements.ts"

/**
 * Whether a linked account takes payments is said by its integration alone: what the link remembered was out of date. The column
 * stays for processes of the version before, which write and read it.
 */
export const chargesOfLinks = statements("ALTER TABLE recipient_accounts ALTER COLUMN charges_enabled SET DEFAULT true")
