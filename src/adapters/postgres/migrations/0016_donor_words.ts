import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Of which revision of its profile a donor's words are, as this version of the program makes them: none for the words that
 * were there before. Who writes a donor without saying so, as an earlier version does, leaves words to be made anew.
 */
export const donorWords = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE donors ADD COLUMN words_revision integer`
  yield* sql`
    CREATE INDEX donors_words_stale ON donors (organisation_id, id) WHERE words_revision IS DISTINCT FROM profile_revision`
})
