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

/** A write whose result nobody waits for. */
export interface DeferredWrite {
  /** What it writes, which one statement has at most once: a table, the answer of the key, or what is held by a change. */
  readonly part: string
  /** Of an answer: the name of its key's record. */
  readonly scope?: string
  readonly direct: () => Statement<object>
  /** The same as common table expressions, of which the first depends on a condition and the others on it. */
  readonly gated: (condition: Fragment) => Fragment
  /** The part that it reads. A statement sees none of its own writes: those come in one before. */
  readonly sees?: string
  /** Receives the answer of the statement. */
  readonly told?: (rows: ReadonlyArray<unknown>) => void
  /** Of rows that only join others: these, and how any of them are written. */
  readonly added?: { readonly rows: ReadonlyArray<object>; readonly write: WriteRows }
}

type WriteRows = (rows: ReadonlyArray<object>) => Pick<DeferredWrite, "direct" | "gated" | "sees">

/** A write of rows that only join others, so that several such writes are one. */
export const addition = (part: string, rows: ReadonlyArray<object>, write: WriteRows): DeferredWrite => ({
  part,
  ...write(rows),
  added: { rows, write }
})

/** Two additions to the same as one, in their order; undefined where they are none. */
export const bothAdded = (
  { added: first, told: toldFirst }: DeferredWrite,
  { added: second, part, told }: DeferredWrite
): DeferredWrite | undefined =>
  first === undefined || second === undefined
    ? undefined
    : {
        ...addition(part, [...first.rows, ...second.rows], second.write),
        told: (rows) => {
          toldFirst?.(rows)
          told?.(rows)
        }
      }

/** Writes for one statement with another one; undefined where that has to be in a later statement. */
export const withWrite = (
  writes: ReadonlyArray<DeferredWrite>,
  write: DeferredWrite
): ReadonlyArray<DeferredWrite> | undefined => {
  if (writes.some(({ part }) => part === write.sees)) return undefined
  const index = writes.findIndex(({ part }) => part === write.part)
  const earlier = writes[index]
  if (earlier === undefined) return [...writes, write]
  const both = bothAdded(earlier, write)
  return both === undefined ? undefined : writes.with(index, both)
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

/** How many deliveries the events among some writes have. */
const deliveriesOf = (sql: SqlClient.SqlClient, writes: ReadonlyArray<DeferredWrite>): Fragment =>
  sql.literal(writes.some(({ part }) => part === "events") ? "(SELECT count(*) FROM addressed)::int4" : "0")

/** Writes of a transaction as one statement; there is at least one. */
export const allAtOnce = (sql: SqlClient.SqlClient, writes: ReadonlyArray<DeferredWrite>): Statement<object> => {
  const always = sql.literal("TRUE")
  const [first, ...others] = writes
  if (first === undefined || others.length === 0) return first?.direct() ?? sql`SELECT`
  const parts = others.map(({ gated }) => sql`, ${gated(always)}`)
  return sql`WITH ${first.gated(always)}${joined(parts)} SELECT ${deliveriesOf(sql, writes)} AS deliveries`
}

export interface Outcome {
  readonly written: boolean
  readonly deliveries: number
}

/**
 * A unit of work as one statement. `reserved` tries the key's lock, where there is a key; of each reading a `held` takes the rows
 * that are as they were read and that nobody else holds; `gate` is open if all of them are there, and keeps the answer of the key
 * if that has no record, which the insert alone sees when another transaction wrote it after this statement's snapshot. All else
 * depends on `gate`.
 */
export const oneStatement = (
  sql: SqlClient.SqlClient,
  {
    held,
    keyed,
    writes
  }: {
    readonly held: ReadonlyArray<RowRead>
    readonly keyed: { readonly key: ReservedKey; readonly answer: DeferredWrite } | undefined
    readonly writes: ReadonlyArray<DeferredWrite>
  }
): Statement<Outcome> => {
  const locked = keyed === undefined ? sql`TRUE` : sql`pg_try_advisory_xact_lock(${keyed.key.lock}::int8)`
  const isReserved = sql`(SELECT r.locked FROM reserved AS r)`
  const names = held.map((_, n) => sql.literal(`held_${n}`))
  const all = held.map(({ rows }, n) => sql`(SELECT count(*) FROM ${names[n]}) = ${rows.length}::int8`)
  const holding = held.map(
    (reading, n) =>
      sql`${names[n]} AS MATERIALIZED (${heldQuery(sql, reading, { condition: isReserved, skip: "SKIP LOCKED" })}), `
  )
  const areHeld = sql.and([isReserved, ...all])
  const gate = keyed?.answer.gated(areHeld) ?? sql`SELECT 1 WHERE ${areHeld}`
  const isOpen = sql`EXISTS (SELECT FROM gate)`
  const parts = writes.map(({ gated }) => sql`, ${gated(isOpen)}`)
  return sql<Outcome>`
    WITH reserved AS MATERIALIZED (
      SELECT ${locked} AS locked, set_config('lock_timeout', ${patience}, true) AS patience
    ),
    ${joined(holding)}
    gate AS (${gate})
    ${joined(parts)}
    SELECT ${isOpen} AS written, ${deliveriesOf(sql, writes)} AS deliveries`
}
