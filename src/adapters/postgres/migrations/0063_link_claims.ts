import { statements } from "./Statements.ts"

/** The claims of donors' own links by which charges were submitted. */
export const linkClaims = statements("ALTER TABLE charges ADD COLUMN link_claims text")
