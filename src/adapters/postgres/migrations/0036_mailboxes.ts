import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { emailKey } from "../../../domain/kernel/Text.ts"

interface Written {
  readonly organisation_id: string
  readonly id: string
  readonly email: string
}

/** Addresses that are read at once. */
const atOnce = 5_000

/** Gives the addresses that are not plain ASCII the keys that they have now: those of all others are as they were. */
const rekeyDonors = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  let after = { organisation_id: "", id: "" }
  for (;;) {
    const found = yield* sql<Written>`
      SELECT organisation_id, id, email FROM donors
      WHERE email ~ '[^ -~]' AND (organisation_id, id) > (${after.organisation_id}, ${after.id})
      ORDER BY organisation_id, id LIMIT ${atOnce}`
    const last = found.at(-1)
    if (last === undefined) return
    yield* sql`
      UPDATE donors AS t SET email_key = s.key
      FROM unnest(
        ${found.map(({ organisation_id }) => organisation_id)}::text[], ${found.map(({ id }) => id)}::text[],
        ${found.map(({ email }) => emailKey(email))}::text[]
      ) AS s (organisation_id, id, key)
      WHERE t.organisation_id = s.organisation_id AND t.id = s.id AND t.email_key <> s.key`
    after = last
  }
})

/** A user whose key another has already keeps its own: both are found as before. */
const rekeyUsers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const found = yield* sql<Written>`SELECT id, email FROM users WHERE email ~ '[^ -~]' ORDER BY created_at, id`
  for (const { email, id } of found) {
    const key = emailKey(email)
    yield* sql`
      UPDATE users SET email_key = ${key}
      WHERE id = ${id} AND NOT EXISTS (SELECT FROM users AS o WHERE o.email_key = ${key})`
  }
})

/**
 * Mailboxes by the keys that are compared now, and whom a merged donor was merged into, as far as events of merges are kept.
 * Donors whose names or addresses may be in a script without spaces get their words anew.
 */
export const mailboxes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE donors ADD COLUMN merged_into_donor_id text COLLATE "C"`
  yield* sql`
    UPDATE donors AS t SET merged_into_donor_id = s.survivor
    FROM (
      SELECT organisation_id, body::jsonb #>> '{data,merged_donor_id}' AS duplicate, body::jsonb #>> '{data,id}' AS survivor
      FROM events WHERE type = 'donor.merged'
    ) AS s
    WHERE t.organisation_id = s.organisation_id AND t.id = s.duplicate AND t.archived_at IS NOT NULL`
  yield* rekeyDonors
  yield* rekeyUsers
  yield* sql`
    UPDATE donors SET words_revision = NULL
    WHERE concat(first_name, last_name, organisation_name, email) ~ '[^\\u0001-\\u0dff]'`
})
