import type { SqlClient } from "effect/sql"
import { type Fragment, fragment, type Statement } from "effect/sql/Statement"

/** An Idempotency-Key by its names: of its record, and of its lock. */
export interface ReservedKey {
  readonly organisation_id: string
  readonly scope: string
  readonly lock: string
}

/** Rows that were read for a change, and what holds them against others' changes. */
export interface RowRead {
  readonly table: string
  readonly strength: "FOR NO KEY UPDATE" | "FOR SHARE"
  readonly organisation_id: string
  /** In an order in which all hold them. */
  readonly rows: ReadonlyArray<{ readonly id: string; readonly version: string }>
}

/** The parts of one statement, each at most once: one record, its events, its audit entry, the answer of the key, and what is held by a change. */
export type Part = "answer" | "audit" | "events" | "hold" | "record"

/** A write whose result nobody waits for. */
export interface DeferredWrite {
  readonly part: Part
  /** Of an answer: the name of its key's record. */
  readonly scope?: string
  readonly direct: () => Statement<object>
  /** The same as common table expressions, of which the first depends on a condition and the others on it. */
  readonly gated: (condition: Fragment) => Fragment
  /** Receives the answer of the statement. */
  readonly told?: (rows: ReadonlyArray<unknown>) => void
}

/** How long the statement waits for anything that another transaction holds before the slow path does. */
const patience = "100ms"

/** The rows of a reading that are still of their versions, held; each is looked up by itself, whatever the plan is made for. */
const heldQuery = (
  sql: SqlClient.SqlClient,
  { organisation_id, rows, strength, table }: RowRead,
  { condition, skip }: { readonly condition: Fragment; readonly skip: string }
): Fragment => sql`
  SELECT h.id FROM unnest(${rows.map(({ id }) => id)}::text[], ${rows.map(({ version }) => version)}::text[]) AS v (id, version)
  CROSS JOIN LATERAL (
    SELECT t.id FROM ${sql(table)} AS t
    WHERE t.organisation_id = ${organisation_id} AND t.id = v.id AND t.xmin::text = v.version AND ${condition}
    ${sql.literal(strength)} OF t ${sql.literal(skip)}
  ) AS h`

/** Holds rows, and answers those that are still of their versions. */
export const lockRows = (sql: SqlClient.SqlClient, reading: RowRead): Statement<object> =>
  sql`${heldQuery(sql, reading, { condition: sql.literal("TRUE"), skip: "" })}`

const joined = (parts: ReadonlyArray<Fragment>): Fragment => fragment(parts.flatMap(({ segments }) => segments))

export interface Outcome {
  readonly written: boolean
  readonly deliveries: number
}

/**
 * A unit of work as one statement. `reserved` tries the key's lock; of each reading a `held` takes the rows that are as they
 * were read and that nobody else holds; `gate` keeps the answer if all of them are there and the key has no record, which the
 * insert alone sees when another transaction wrote it after this statement's snapshot. All else depends on `gate`.
 */
export const oneStatement = (
  sql: SqlClient.SqlClient,
  {
    answer,
    held,
    key,
    writes
  }: {
    readonly key: ReservedKey
    readonly held: ReadonlyArray<RowRead>
    readonly answer: DeferredWrite
    readonly writes: ReadonlyArray<DeferredWrite>
  }
): Statement<Outcome> => {
  const isReserved = sql`(SELECT r.locked FROM reserved AS r)`
  const names = held.map((_, n) => sql.literal(`held_${n}`))
  const all = held.map(({ rows }, n) => sql`(SELECT count(*) FROM ${names[n]}) = ${rows.length}::int8`)
  const holding = held.map(
    (reading, n) =>
      sql`${names[n]} AS MATERIALIZED (${heldQuery(sql, reading, { condition: isReserved, skip: "SKIP LOCKED" })}), `
  )
  const isOpen = sql`EXISTS (SELECT FROM gate)`
  const parts = writes.map(({ gated }) => sql`, ${gated(isOpen)}`)
  const deliveries = writes.some(({ part }) => part === "events") ? "(SELECT count(*) FROM addressed)" : "0"
  return sql<Outcome>`
    WITH reserved AS MATERIALIZED (
      SELECT pg_try_advisory_xact_lock(${key.lock}::int8) AS locked, set_config('lock_timeout', ${patience}, true) AS patience
    ),
    ${joined(holding)}
    gate AS (${answer.gated(sql.and([isReserved, ...all]))})
    ${joined(parts)}
    SELECT ${isOpen} AS written, ${sql.literal(deliveries)}::int4 AS deliveries`
}
