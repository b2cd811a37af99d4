import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { type SearchFields, wordsOf } from "../../../domain/giving/Donor.ts"

interface Stale extends SearchFields {
  readonly organisation_id: string
  readonly id: string
  readonly profile_revision: number
}

/**
 * Remakes the words of donors that an earlier version of the program stored. Words are made between two statements, of
 * which the second writes only for donors that are still as they were read: a donor that changed meanwhile has new
 * words already. Donors that are locked are left for the next time.
 */
export const makeReindex = (sql: SqlClient.SqlClient) => {
  const staleOf = (limit: number) => sql<Stale>`
    SELECT t.organisation_id, t.id, t.profile_revision, t.first_name, t.last_name, t.organisation_name, t.email
    FROM /* every organisation */ donors AS t
    WHERE t.words_revision IS DISTINCT FROM t.profile_revision
    ORDER BY t.organisation_id, t.id LIMIT ${limit}::int4`

  const write = (stale: ReadonlyArray<Stale>) => {
    const said = stale.flatMap((donor) => wordsOf(donor).map((word) => ({ donor, word })))
    return sql<{ readonly reindexed: number }>`
      WITH held AS MATERIALIZED (
        SELECT t.organisation_id, t.id
        FROM unnest(
          ${stale.map(({ organisation_id }) => organisation_id)}::text[], ${stale.map(({ id }) => id)}::text[],
          ${stale.map(({ profile_revision }) => `${profile_revision}`)}::int8[]
        ) AS s (organisation_id, id, revision)
        JOIN donors AS t ON t.organisation_id = s.organisation_id AND t.id = s.id
        WHERE t.profile_revision = s.revision AND t.words_revision IS DISTINCT FROM t.profile_revision
        FOR NO KEY UPDATE OF t SKIP LOCKED
      ),
      said AS MATERIALIZED (
        SELECT h.organisation_id, h.id AS donor_id, s.word
        FROM unnest(
          ${said.map(({ donor }) => donor.organisation_id)}::text[], ${said.map(({ donor }) => donor.id)}::text[],
          ${said.map(({ word }) => word)}::text[]
        ) AS s (organisation_id, id, word)
        JOIN held AS h ON h.organisation_id = s.organisation_id AND h.id = s.id
      ),
      marked AS (
        UPDATE donors AS t SET words_revision = t.profile_revision
        FROM held AS h WHERE t.organisation_id = h.organisation_id AND t.id = h.id
      ),
      unsaid AS (
        DELETE FROM donor_words AS w USING held AS h
        WHERE w.organisation_id = h.organisation_id AND w.donor_id = h.id AND NOT EXISTS (
          SELECT FROM said AS s
          WHERE s.organisation_id = w.organisation_id AND s.donor_id = w.donor_id AND s.word = w.word)
      ),
      added AS (
        INSERT INTO donor_words (organisation_id, donor_id, word)
        SELECT organisation_id, donor_id, word FROM said ON CONFLICT DO NOTHING
      )
      SELECT count(*)::int AS reindexed FROM held`
  }

  return Effect.fnUntraced(function* (limit: number) {
    const stale = yield* staleOf(limit)
    if (stale.length === 0) return 0
    const [written] = yield* write(stale)
    return written?.reindexed ?? 0
  }, Effect.orDie)
}
