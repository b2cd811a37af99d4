import { DateTime, Duration, Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { ChargeId, OrganisationId } from "../../../domain/kernel/Ids.ts"
import type { ChargeStore, DueCharge } from "../../../ports/payments/ChargeStore.ts"

type Store = ChargeStore["Service"]

const readNow = Schema.decodeUnknownSync(Schema.Struct({ at: Schema.Date }))
const isDue = Schema.is(Schema.Struct({ organisation_id: OrganisationId, id: ChargeId }))

/** The database's clock as records have it, rounded down: what was written as due now is due. */
const now = (sql: SqlClient.SqlClient) => sql`date_trunc('milliseconds', statement_timestamp())`

export const makeNow = (sql: SqlClient.SqlClient): Store["now"] =>
  Effect.orDie(Effect.map(sql`SELECT ${now(sql)} AS at`, ([row]) => DateTime.makeUnsafe(readNow(row).at)))

/**
 * A common table expression, `lanes`: each organisation of which charges are looked at, found by skipping from one to the
 * next in the index.
 */
const lanes = (sql: SqlClient.SqlClient) => sql`
  lanes AS (
    (SELECT f.organisation_id FROM /* every organisation */ charges AS f
     WHERE f.look_at IS NOT NULL ORDER BY f.organisation_id LIMIT 1)
    UNION ALL
    SELECT following.organisation_id FROM lanes AS l CROSS JOIN LATERAL (
      SELECT c.organisation_id FROM /* every organisation */ charges AS c
      WHERE c.look_at IS NOT NULL AND c.organisation_id > l.organisation_id
      ORDER BY c.organisation_id LIMIT 1
    ) AS following
  )`

/**
 * The statement that leases. What is due is picked lane by lane and locked then, so that no more is locked than is handed
 * out; a row that another worker took in between, or that somebody is writing, falls out.
 */
const lease = (sql: SqlClient.SqlClient, limit: number, lease: Duration.Duration) => sql`
  WITH RECURSIVE ${lanes(sql)}, picked AS MATERIALIZED (
    SELECT due.organisation_id, due.id, due.look_at AS due_at, due.place
    FROM lanes AS l CROSS JOIN LATERAL (
      SELECT c.organisation_id, c.id, c.look_at, row_number() OVER (ORDER BY c.look_at, c.id) AS place
      FROM charges AS c WHERE c.organisation_id = l.organisation_id AND c.look_at <= statement_timestamp()
      ORDER BY c.look_at, c.id LIMIT ${limit}::int4
    ) AS due
    ORDER BY due.place, due.look_at, due.id LIMIT ${limit}::int4
  ), held AS MATERIALIZED (
    SELECT f.tid FROM picked AS k CROSS JOIN LATERAL (
      SELECT c.ctid AS tid FROM charges AS c
      WHERE c.organisation_id = k.organisation_id AND c.id = k.id AND c.look_at <= statement_timestamp()
      FOR NO KEY UPDATE SKIP LOCKED
    ) AS f
  ), claimed AS (
    UPDATE /* every organisation */ charges AS c
    SET look_at = date_trunc('milliseconds',
      statement_timestamp() + ${Duration.toMillis(lease)}::float8 * interval '1 millisecond')
    WHERE c.ctid = ANY(ARRAY(SELECT tid FROM held))
    RETURNING c.organisation_id, c.id
  )
  SELECT c.organisation_id, c.id FROM claimed AS c JOIN picked AS k ON k.organisation_id = c.organisation_id AND k.id = c.id
  ORDER BY k.place, k.due_at, k.id`

/** Leases what is due. A row whose id is none is leased with the rest, and not handed out. */
export const makeClaim =
  (sql: SqlClient.SqlClient): Store["claim"] =>
  (limit, duration) =>
    Effect.orDie(
      Effect.map(lease(sql, limit, duration), (found): ReadonlyArray<DueCharge> => found.filter((row) => isDue(row)))
    )

/** Makes a charge due. What is due already keeps its place. */
export const makeDue = (sql: SqlClient.SqlClient, organisation_id: OrganisationId, id: ChargeId) => sql`
  UPDATE charges SET look_at = least(look_at, ${now(sql)})
  WHERE organisation_id = ${organisation_id} AND id = ${id}`

export const makeNextDue = (sql: SqlClient.SqlClient): Store["nextDue"] =>
  Effect.orDie(
    Effect.map(
      sql<{ readonly millis: number | null }>`
        WITH RECURSIVE ${lanes(sql)}
        SELECT (extract(epoch FROM min(due.look_at) - statement_timestamp()) * 1000)::float8 AS millis
        FROM lanes AS l CROSS JOIN LATERAL (
          SELECT c.look_at FROM charges AS c WHERE c.organisation_id = l.organisation_id AND c.look_at IS NOT NULL
          ORDER BY c.look_at, c.id LIMIT 1
        ) AS due`,
      ([row]) =>
        Option.map(Option.fromNullishOr(row?.millis), (millis) => Duration.millis(Math.max(0, Math.ceil(millis))))
    )
  )
