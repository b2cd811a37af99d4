import { statements } from "./Statements.ts"

/**
 * The profile revision that a donor's words were made for by this version of the program or a later one; null for words
 * from before. A program that writes a donor without setting it, as earlier versions do, leaves words to be remade.
 */
export const donorWords = statements(
  `ALTER TABLE donors ADD COLUMN words_revision integer`,
  `
    CREATE INDEX donors_words_stale ON donors (organisation_id, id) WHERE words_revision IS DISTINCT FROM profile_revision`
)
