import { Duration, Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { OrganisationId } from "../../../domain/kernel/Ids.ts"

export interface DueRows {
  readonly table: string
  /** The column of the time, null in rows that wait for none. An index has it after the organisation, with the id. */
  readonly due: string
  /** Whose time that is: the real one, or that of the organisation's clock, which a sandbox may have moved. */
  readonly time: "real" | "organisation"
  /** Those of a kind alone, where the table has several; the index begins with the column. */
  readonly kind?: { readonly column: string; readonly value: string }
}

/** The condition that a row of `alias` is of the kind, with what follows it; nothing where the table has one kind. */
const ofKind = (sql: SqlClient.SqlClient, { kind }: DueRows, alias: string) =>
  kind === undefined ? sql`` : sql`${sql.literal(`${alias}.${kind.column}`)} = ${kind.value} AND`

/** A common table expression, `owners`: each organisation of which anything waits, found by skipping from one to the next in the index. */
const owners = (sql: SqlClient.SqlClient, awaiting: DueRows) => {
  const [table, due] = [sql.literal(awaiting.table), sql.literal(awaiting.due)]
  return sql`
    owners AS (
      (SELECT f.organisation_id FROM /* every organisation */ ${table} AS f
       WHERE ${ofKind(sql, awaiting, "f")} f.${due} IS NOT NULL ORDER BY f.organisation_id LIMIT 1)
      UNION ALL
      SELECT following.organisation_id FROM owners AS l CROSS JOIN LATERAL (
        SELECT w.organisation_id FROM /* every organisation */ ${table} AS w
        WHERE ${ofKind(sql, awaiting, "w")} w.${due} IS NOT NULL AND w.organisation_id > l.organisation_id
        ORDER BY w.organisation_id LIMIT 1
      ) AS following
    )`
}

/**
 * Common table expressions that end with `lanes`: each organisation of which anything waits, or the one that is asked for,
 * and the time that it is `now` for what waits. What waits for the time of an organisation whose clock somebody moves is left
 * to them, who ask for it alone.
 */
const lanes = (sql: SqlClient.SqlClient, awaiting: DueRows, only: OrganisationId | undefined) => {
  const all = only === undefined ? owners(sql, awaiting) : sql`owners AS (SELECT ${only}::text AS organisation_id)`
  return awaiting.time === "real"
    ? sql`${all}, lanes AS (SELECT o.organisation_id, statement_timestamp() AS now FROM owners AS o)`
    : sql`
        ${all}, lanes AS (
          SELECT o.organisation_id,
                 statement_timestamp() + coalesce(c.ahead_millis, 0) * interval '1 millisecond' AS now
          FROM owners AS o
          LEFT JOIN /* every organisation */ sandbox_clocks AS c ON c.organisation_id = o.organisation_id
          WHERE ${only === undefined ? sql`c.held_until IS NULL OR c.held_until <= statement_timestamp()` : sql`true`}
        )`
}

/** The time by an organisation's clock as records have it, rounded down: what was written as due now is due. */
export const nowOf = (sql: SqlClient.SqlClient, organisation_id: OrganisationId) => sql`
  date_trunc('milliseconds', statement_timestamp()) + coalesce(
    (SELECT c.ahead_millis FROM sandbox_clocks AS c WHERE c.organisation_id = ${organisation_id}), 0
  ) * interval '1 millisecond'`

/** How many rows are handed out, and whose, where not everybody's. */
interface Claiming {
  readonly limit: number
  readonly only?: OrganisationId | undefined
}

/**
 * Common table expressions beside `lanes`: `picked`, the rows that are due, with their `place` and `due_at`, the first of each
 * organisation before the second of any; and `held`, where they are. They are picked first and locked then, so that no more
 * is locked than is handed out: a row that another worker took in between, or that somebody is writing, falls out.
 */
export const lockedInOrder = (sql: SqlClient.SqlClient, awaiting: DueRows, { limit, only }: Claiming) => {
  const [table, due] = [sql.literal(awaiting.table), sql.literal(awaiting.due)]
  return sql`
    ${lanes(sql, awaiting, only)}, picked AS MATERIALIZED (
      SELECT due.organisation_id, due.id, due.${due} AS due_at, due.place, l.now
      FROM lanes AS l CROSS JOIN LATERAL (
        SELECT w.organisation_id, w.id, w.${due}, row_number() OVER (ORDER BY w.${due}, w.id) AS place
        FROM ${table} AS w
        WHERE ${ofKind(sql, awaiting, "w")} w.organisation_id = l.organisation_id AND w.${due} <= l.now
        ORDER BY w.${due}, w.id LIMIT ${limit}::int4
      ) AS due
      ORDER BY due.place, due.${due}, due.id LIMIT ${limit}::int4
    ), held AS MATERIALIZED (
      SELECT f.tid FROM picked AS k CROSS JOIN LATERAL (
        SELECT w.ctid AS tid FROM ${table} AS w
        WHERE w.organisation_id = k.organisation_id AND w.id = k.id AND w.${due} <= k.now
        FOR NO KEY UPDATE SKIP LOCKED
      ) AS f
    )`
}

/**
 * Hands out rows that are due, the organisations in turn, by moving their time to the end of a lease, in whole milliseconds.
 * `columns` are those of `t`.
 */
export const leasedInOrder = (
  sql: SqlClient.SqlClient,
  awaiting: DueRows,
  { columns, lease, ...which }: { readonly columns: string; readonly lease: Duration.Duration } & Claiming
) => sql`
  WITH RECURSIVE ${lockedInOrder(sql, awaiting, which)}, claimed AS (
    UPDATE /* every organisation */ ${sql.literal(awaiting.table)} AS t
    SET ${sql.literal(awaiting.due)} = date_trunc('milliseconds',
      (SELECT k.now FROM picked AS k WHERE k.organisation_id = t.organisation_id AND k.id = t.id) + ${Duration.toMillis(lease)}::float8 * interval '1 millisecond')
    WHERE t.ctid = ANY(ARRAY(SELECT tid FROM held))
    RETURNING ${sql.literal(columns)}
  )
  SELECT c.* FROM claimed AS c JOIN picked AS k ON k.organisation_id = c.organisation_id AND k.id = c.id
  ORDER BY k.place, k.due_at, k.id`

/** The wait that a row tells, none where it tells none: not negative, and in whole milliseconds, rounded up. */
export const waitOf = ([row]: ReadonlyArray<{ readonly millis: number | null }>): Option.Option<Duration.Duration> =>
  Option.map(Option.fromNullishOr(row?.millis), (millis) => Duration.millis(Math.max(0, Math.ceil(millis))))

/** How long until a row is due, one of one organisation's where it is asked for, 0 where one is; none where none waits. */
export const nextDue = (
  sql: SqlClient.SqlClient,
  awaiting: DueRows,
  only?: OrganisationId
): Effect.Effect<Option.Option<Duration.Duration>> => {
  const [table, due] = [sql.literal(awaiting.table), sql.literal(awaiting.due)]
  const first = sql<{ readonly millis: number | null }>`
    WITH RECURSIVE ${lanes(sql, awaiting, only)}
    SELECT (extract(epoch FROM min(first.${due} - l.now)) * 1000)::float8 AS millis
    FROM lanes AS l CROSS JOIN LATERAL (
      SELECT w.${due} FROM ${table} AS w
      WHERE ${ofKind(sql, awaiting, "w")} w.organisation_id = l.organisation_id AND w.${due} IS NOT NULL
      ORDER BY w.${due}, w.id LIMIT 1
    ) AS first`
  return Effect.orDie(Effect.map(first, waitOf))
}

/** {@link nextDue} of all organisations, and of one. */
export const nextDues = (sql: SqlClient.SqlClient, awaiting: DueRows) => ({
  nextDue: nextDue(sql, awaiting),
  nextDueOf: (organisation_id: OrganisationId) => nextDue(sql, awaiting, organisation_id)
})

/**
 * Hands out the ids of a table's records at their `look_at`, and tells when the next is due. A row whose id is none is
 * leased with the rest, and not handed out.
 */
export const makeDueRecords = <Id extends string>(
  sql: SqlClient.SqlClient,
  table: string,
  id: Schema.Codec<Id, string>
) => {
  const awaiting: DueRows = { table, due: "look_at", time: "organisation" }
  const isDue = Schema.is(Schema.Struct({ organisation_id: OrganisationId, id }))
  return {
    claim: (limit: number, lease: Duration.Duration, only?: OrganisationId) =>
      Effect.orDie(
        Effect.map(leasedInOrder(sql, awaiting, { columns: "t.organisation_id, t.id", lease, limit, only }), (found) =>
          found.filter((row) => isDue(row))
        )
      ),
    ...nextDues(sql, awaiting)
  }
}
