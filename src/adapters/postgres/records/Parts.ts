import { Effect, Option } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Fragment } from "effect/sql/Statement"
import type { RecordStore } from "../../../ports/kernel/RecordStore.ts"
import { notedOr } from "../connection/DeferredTransaction.ts"
import type { DeferredWrite } from "../connection/OneStatement.ts"
import { insertRecord, rowsFrom, updateRecord } from "./Records.ts"
import type { Rows } from "./Rows.ts"

/** Rows of another table that are a record's parts, ordered by the column `position`. */
export interface Parts<A> {
  readonly table: string
  /** The column that has the record's id. */
  readonly parent: string
  /** The record's field that lists the parts. */
  readonly field: keyof A & string
  readonly columns: ReadonlyArray<string>
}

interface Owner {
  readonly id: string
  readonly organisation_id: string
}

/** Reads records together with their parts, in one statement. `rows` reads the parts from JSON. */
export const withParts = <A>(rows: Rows<A>, parts: Parts<A>): Rows<A> => {
  const own = rows.names.filter((name) => name !== parts.field)
  const object = parts.columns.map((column) => `'${column}', p.${column}`).join(", ")
  return {
    ...rows,
    columns: (alias) =>
      [
        ...own.map((name) => `${alias}.${name}`),
        `(SELECT coalesce(jsonb_agg(jsonb_build_object(${object}) ORDER BY p.position), '[]') FROM ${parts.table} AS p
          WHERE p.organisation_id = ${alias}.organisation_id AND p.${parts.parent} = ${alias}.id) AS ${parts.field}`
      ].join(", ")
  }
}

/** How records whose parts have a table of their own are read and written. */
export interface PartedTable<A> {
  readonly table: string
  /** The result of {@link withParts}. */
  readonly rows: Rows<A>
  readonly parts: Parts<A>
  /** The row of a record without its parts. */
  readonly toRecord: (record: A) => object
  readonly partsOf: (record: A) => ReadonlyArray<{ readonly id: string }>
}

type Write<A, Refused> = (
  record: A,
  statement: Effect.Effect<unknown, SqlError.SqlError>
) => Effect.Effect<void, Refused>

/** The store of records that are stored with their parts, without its list. `write` handles the refusals of a write. */
export const makeParted = <A extends Owner, Refused = never>(
  sql: SqlClient.SqlClient,
  { parts, partsOf, rows, table, toRecord }: PartedTable<A>,
  write: Write<A, Refused> = (_, statement) => Effect.asVoid(Effect.orDie(statement))
): Omit<RecordStore<A, A["id"], Refused>, "list"> => {
  const target = sql(parts.table)
  const columns = ["organisation_id", parts.parent, "position", ...parts.columns]
  const changing = columns.filter((column) => column !== "organisation_id" && column !== "id")
  const values = ["k.organisation_id", "k.id", "n.ordinality - 1", ...parts.columns.map((column) => `n.${column}`)]
  const listed = (write: (column: string) => string, of = changing): Fragment => sql.literal(of.map(write).join(", "))

  /** Writes the parts of the record in `kept`; none when there is no such record. */
  const insertParts = (record: A): Fragment => sql`
    INSERT INTO ${target} AS p (${listed((column) => column, columns)})
    SELECT ${sql.literal(values.join(", "))}
    FROM kept AS k
    CROSS JOIN ${rowsFrom(sql, parts.table, partsOf(record))}
      WITH ORDINALITY AS n`

  const insert = (record: A) => sql`
    WITH kept AS (${insertRecord(sql, table, toRecord(record))} RETURNING organisation_id, id)
    ${insertParts(record)}`

  const update = (record: A) => sql`
    WITH kept AS (${updateRecord(sql, table, toRecord(record))} RETURNING t.organisation_id, t.id),
    gone AS (
      DELETE FROM ${target} AS p USING kept AS k
      WHERE p.organisation_id = k.organisation_id AND ${sql(`p.${parts.parent}`)} = k.id
        AND p.id <> ALL(${partsOf(record).map(({ id }) => id)}::text[])
    )
    ${insertParts(record)}
    ON CONFLICT (organisation_id, id) DO UPDATE SET ${listed((column) => `${column} = EXCLUDED.${column}`)}
    WHERE (${listed((column) => `p.${column}`)}) IS DISTINCT FROM (${listed((column) => `EXCLUDED.${column}`)})`

  const find = (organisation_id: string, id: string) =>
    rows.first(sql`
      SELECT ${sql.literal(rows.columns("t"))} FROM ${sql(table)} AS t
      WHERE t.organisation_id = ${organisation_id} AND t.id = ${id}`)

  /**
   * Locks the row first and reads the parts afterwards: within one statement, a wait for the row would leave the parts
   * as they were before it.
   */
  const findForUpdate = Effect.fnUntraced(function* (organisation_id: string, id: string) {
    const held = yield* Effect.orDie(sql`
      SELECT t.id FROM ${sql(table)} AS t WHERE t.organisation_id = ${organisation_id} AND t.id = ${id}
      FOR NO KEY UPDATE`)
    return held.length === 0 ? Option.none<A>() : yield* find(organisation_id, id)
  })

  const insertion = (record: A): DeferredWrite => ({
    part: "parted",
    direct: () => insert(record),
    gated: (condition) => sql`
      kept AS (${insertRecord(sql, table, toRecord(record))} WHERE ${condition} RETURNING organisation_id, id),
      kept_parts AS (${insertParts(record)})`
  })

  return {
    insert: (record) => notedOr(insertion(record), () => write(record, insert(record))),
    find,
    findForUpdate,
    update: (record) => write(record, update(record))
  }
}
