import { Effect } from "effect"
import { SqlClient } from "effect/sql"

interface ForeignKey {
  readonly holder: string
  readonly name: string
  readonly definition: string
}

/** Makes a primary key anew, and the foreign keys that lead to it, a host's own among them. */
export const renewKey = Effect.fnUntraced(function* (table: string) {
  const sql = yield* SqlClient.SqlClient
  const leading = yield* sql<ForeignKey>`
    SELECT c.conrelid::regclass::text AS holder, c.conname AS name, pg_get_constraintdef(c.oid) AS definition
    FROM pg_constraint AS c WHERE c.contype = 'f' AND c.confrelid = ${table}::text::regclass ORDER BY 1, 2`
  for (const { holder, name } of leading) {
    yield* sql`ALTER TABLE ${sql.literal(holder)} DROP CONSTRAINT ${sql(name)}`
  }
  yield* sql`
    ALTER TABLE ${sql(table)} DROP CONSTRAINT ${sql(`${table}_pkey`)}, ADD PRIMARY KEY (organisation_id, id)`
  for (const { definition, holder, name } of leading) {
    yield* sql`ALTER TABLE ${sql.literal(holder)} ADD CONSTRAINT ${sql(name)} ${sql.literal(definition)}`
  }
})

/**
 * Among the indexes that begin with the organisation, the planner takes the newest before the first ANALYZE: here those of
 * slugs and times, so that each of the twenty foreign keys of a set read all sets of the organisation.
 */
export const newestKeys = Effect.forEach(["mails", "recommendation_sets", "segments"], renewKey, { discard: true })
