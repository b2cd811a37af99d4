import { Duration, Effect, Option } from "effect"
import type { SqlClient } from "effect/sql"

/** Rows that wait for their time, of all organisations. */
export interface Awaiting {
  readonly table: string
  /** The column of the time, null in rows that wait for none. An index has it after the organisation, with the id. */
  readonly due: string
}

/**
 * A common table expression, `lanes`: each organisation of which anything waits, found by skipping from one to the next in
 * the index.
 */
export const lanes = (sql: SqlClient.SqlClient, awaiting: Awaiting) => {
  const [table, due] = [sql.literal(awaiting.table), sql.literal(awaiting.due)]
  return sql`
    lanes AS (
      (SELECT f.organisation_id FROM /* every organisation */ ${table} AS f
       WHERE f.${due} IS NOT NULL ORDER BY f.organisation_id LIMIT 1)
      UNION ALL
      SELECT following.organisation_id FROM lanes AS l CROSS JOIN LATERAL (
        SELECT w.organisation_id FROM /* every organisation */ ${table} AS w
        WHERE w.${due} IS NOT NULL AND w.organisation_id > l.organisation_id
        ORDER BY w.organisation_id LIMIT 1
      ) AS following
    )`
}

/**
 * Common table expressions beside `lanes`: `picked`, the rows that are due, with their `place` and `due_at`, the first of each
 * organisation before the second of any; and `held`, where they are. They are picked first and locked then, so that no more
 * is locked than is handed out: a row that another worker took in between, or that somebody is writing, falls out.
 */
export const heldInTurn = (sql: SqlClient.SqlClient, awaiting: Awaiting, limit: number) => {
  const [table, due] = [sql.literal(awaiting.table), sql.literal(awaiting.due)]
  return sql`
    ${lanes(sql, awaiting)}, picked AS MATERIALIZED (
      SELECT due.organisation_id, due.id, due.${due} AS due_at, due.place
      FROM lanes AS l CROSS JOIN LATERAL (
        SELECT w.organisation_id, w.id, w.${due}, row_number() OVER (ORDER BY w.${due}, w.id) AS place
        FROM ${table} AS w WHERE w.organisation_id = l.organisation_id AND w.${due} <= statement_timestamp()
        ORDER BY w.${due}, w.id LIMIT ${limit}::int4
      ) AS due
      ORDER BY due.place, due.${due}, due.id LIMIT ${limit}::int4
    ), held AS MATERIALIZED (
      SELECT f.tid FROM picked AS k CROSS JOIN LATERAL (
        SELECT w.ctid AS tid FROM ${table} AS w
        WHERE w.organisation_id = k.organisation_id AND w.id = k.id AND w.${due} <= statement_timestamp()
        FOR NO KEY UPDATE SKIP LOCKED
      ) AS f
    )`
}

/**
 * Hands out rows that are due, the organisations in turn, by moving their time to the end of a lease, in whole milliseconds.
 * `columns` are those of `t`.
 */
export const leasedInTurn = (
  sql: SqlClient.SqlClient,
  awaiting: Awaiting,
  { columns, lease, limit }: { readonly columns: string; readonly lease: Duration.Duration; readonly limit: number }
) => sql`
  WITH RECURSIVE ${heldInTurn(sql, awaiting, limit)}, claimed AS (
    UPDATE /* every organisation */ ${sql.literal(awaiting.table)} AS t
    SET ${sql.literal(awaiting.due)} = date_trunc('milliseconds',
      statement_timestamp() + ${Duration.toMillis(lease)}::float8 * interval '1 millisecond')
    WHERE t.ctid = ANY(ARRAY(SELECT tid FROM held))
    RETURNING ${sql.literal(columns)}
  )
  SELECT c.* FROM claimed AS c JOIN picked AS k ON k.organisation_id = c.organisation_id AND k.id = c.id
  ORDER BY k.place, k.due_at, k.id`

/** How long until a row is due, 0 where one is; none where none waits. */
export const nextDue = (
  sql: SqlClient.SqlClient,
  awaiting: Awaiting
): Effect.Effect<Option.Option<Duration.Duration>> => {
  const [table, due] = [sql.literal(awaiting.table), sql.literal(awaiting.due)]
  const first = sql<{ readonly millis: number | null }>`
    WITH RECURSIVE ${lanes(sql, awaiting)}
    SELECT (extract(epoch FROM min(first.${due}) - statement_timestamp()) * 1000)::float8 AS millis
    FROM lanes AS l CROSS JOIN LATERAL (
      SELECT w.${due} FROM ${table} AS w WHERE w.organisation_id = l.organisation_id AND w.${due} IS NOT NULL
      ORDER BY w.${due}, w.id LIMIT 1
    ) AS first`
  return Effect.orDie(
    Effect.map(first, ([row]) =>
      Option.map(Option.fromNullishOr(row?.millis), (millis) => Duration.millis(Math.max(0, Math.ceil(millis))))
    )
  )
}
