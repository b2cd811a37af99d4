import { type Context, type DateTime, Effect, Layer, type Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Fragment, Statement } from "effect/sql/Statement"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import type { RecordStore } from "../../../ports/kernel/RecordStore.ts"
import { readForChange, runWrite } from "../connection/DeferredTransaction.ts"
import { addition, type DeferredWrite, type RowRead } from "../connection/OneStatement.ts"
import { makeList, type Source } from "./ListPage.ts"
import { toRow } from "./Rows.ts"

const keys: ReadonlyArray<string> = ["organisation_id", "id"]

const list = (sql: SqlClient.SqlClient, names: ReadonlyArray<string>, write: (name: string) => string): Fragment =>
  sql.literal(names.map(write).join(", "))

/** The record as a row of the table, from one parameter: the statement is the same whichever fields are null. */
export const rowFrom = (sql: SqlClient.SqlClient, table: string, record: object): Fragment =>
  sql`jsonb_populate_record(NULL::${sql(table)}, ${JSON.stringify(toRow(record))}::jsonb)`

/** Several records as rows of the table, from one parameter. */
export const rowsFrom = (sql: SqlClient.SqlClient, table: string, records: ReadonlyArray<object>): Fragment =>
  sql`jsonb_populate_recordset(NULL::${sql(table)}, ${JSON.stringify(records.map(toRow))}::jsonb)`

/** What is read of a statement's rows. A statement that fails is a defect. */
export const readOrDie = <Row, A, E, R>(statement: Effect.Effect<Row, E, R>, read: (rows: Row) => A) =>
  Effect.orDie(Effect.map(statement, read))

/** Runs a statement whose answer nobody needs. */
export const runOrDie = <E, R>(statement: Effect.Effect<unknown, E, R>) => Effect.asVoid(Effect.orDie(statement))

/** Which rows of a table are old: by the column of an instant, and only those that meet a condition where one is given. */
interface Oldest {
  readonly table: string
  readonly at: string
  /** The column that tells the rows of an organisation apart; `id` when not given. */
  readonly key?: string
  /** A condition on the row, which is `t`. */
  readonly condition?: string
}

/** Deletes rows that are not younger than an instant, the oldest first, and answers how many; what others hold is skipped. */
export const deleteOldest =
  (sql: SqlClient.SqlClient, { at, condition, key = "id", table }: Oldest) =>
  (before: DateTime.Utc, limit: number): Effect.Effect<number> => {
    const name = sql.literal(table)
    const column = sql.literal(`t.${key}`)
    const moment = sql.literal(`t.${at}`)
    return readOrDie(
      sql`
        WITH old AS MATERIALIZED (
          SELECT t.organisation_id, ${column} FROM /* every organisation */ ${name} AS t
          WHERE ${moment} <= ${new Date(before.epochMilliseconds)}${sql.literal(condition === undefined ? "" : ` AND ${condition}`)}
          ORDER BY ${moment} LIMIT ${limit}::int4
          FOR UPDATE SKIP LOCKED
        )
        DELETE FROM ${name} AS t USING old AS o
        WHERE t.organisation_id = o.organisation_id AND ${column} = ${sql.literal(`o.${key}`)}
        RETURNING ${column}`,
      (deleted) => deleted.length
    )
  }

/** Inserts a record whose fields are columns of the table. */
export const insertRecord = (sql: SqlClient.SqlClient, table: string, record: object): Statement<object> => {
  const names = list(sql, Object.keys(record), (name) => `"${name}"`)
  return sql`INSERT INTO ${sql(table)} (${names}) SELECT ${names} FROM ${rowFrom(sql, table, record)}`
}

/** Inserts records that have the same fields, of which there is at least one. */
const insertRecords = (sql: SqlClient.SqlClient, table: string, records: ReadonlyArray<object>): Statement<object> => {
  const names = list(sql, Object.keys(records[0] ?? {}), (name) => `"${name}"`)
  return sql`INSERT INTO ${sql(table)} (${names}) SELECT ${names} FROM ${rowsFrom(sql, table, records)}`
}

/** Writes all fields of the record that has the same organisation and id. */
export const updateRecord = (
  sql: SqlClient.SqlClient,
  table: string,
  record: object,
  key: ReadonlyArray<string> = keys
): Statement<object> => {
  const names = Object.keys(record).filter((name) => !key.includes(name))
  return sql`
    UPDATE ${sql(table)} AS t SET ${list(sql, names, (name) => `"${name}" = n."${name}"`)}
    FROM ${rowFrom(sql, table, record)} AS n
    WHERE ${sql.and(key.map((name) => sql`${sql(`t.${name}`)} = ${sql(`n.${name}`)}`))}`
}

/** The name of what a unit of work writes to a table, in its statement. */
const writtenTo = (sql: SqlClient.SqlClient, table: string): Fragment => sql.literal(`to_${table}`)

/** The insert of a record, as a unit of work notes it. */
export const insertion = (sql: SqlClient.SqlClient, table: string, record: object): DeferredWrite => ({
  part: table,
  direct: () => insertRecord(sql, table, record),
  gated: (condition) => sql`${writtenTo(sql, table)} AS (${insertRecord(sql, table, record)} WHERE ${condition})`
})

/** The insert of records that only join others, likewise. */
export const insertions = (sql: SqlClient.SqlClient, table: string, records: ReadonlyArray<object>): DeferredWrite =>
  addition(table, records, (all) => ({
    direct: () => insertRecords(sql, table, all),
    gated: (condition) => sql`${writtenTo(sql, table)} AS (${insertRecords(sql, table, all)} WHERE ${condition})`
  }))

/** The change of a record, likewise. */
export const change = (sql: SqlClient.SqlClient, table: string, record: object): DeferredWrite => ({
  part: table,
  direct: () => updateRecord(sql, table, record),
  gated: (condition) => sql`${writtenTo(sql, table)} AS (${updateRecord(sql, table, record)} AND ${condition})`
})

export interface RecordTable<A> extends Source<A> {
  /** The row of a record: its fields, and columns that are computed from them. The record itself when absent. */
  readonly toRecord?: (record: A) => object
}

/** Finds an organisation's records by the value of a column. */
export const findBy =
  <A extends object>(sql: SqlClient.SqlClient, { rows, table }: Source<A>, column: string) =>
  (organisation_id: OrganisationId, value: string): Effect.Effect<ReadonlyArray<A>> =>
    rows.all(sql`
      SELECT ${sql.literal(rows.columns("t"))} FROM ${sql(table)} AS t
      WHERE t.organisation_id = ${organisation_id} AND ${sql(`t.${column}`)} = ${value}`)

const named = (sql: SqlClient.SqlClient, organisation_id: string, id: string): Fragment =>
  sql`WHERE t.organisation_id = ${organisation_id} AND t.id = ${id}`

/** Finds a record by its id, and holds it against others' changes. */
export const makeFindHeld =
  <A extends object>(sql: SqlClient.SqlClient, { rows, table }: Source<A>, strength: RowRead["strength"]) =>
  (organisation_id: OrganisationId, id: string): Effect.Effect<Option.Option<A>> =>
    rows.first(
      readForChange(sql, {
        table,
        strength,
        organisation_id,
        select: sql.literal(rows.columns("t")),
        where: named(sql, organisation_id, id)
      })
    )

/** The store of a table whose columns are the fields of its records. */
export const makeRecords = <A extends { readonly id: string }>(
  sql: SqlClient.SqlClient,
  table: RecordTable<A>
): RecordStore<A, A["id"]> => {
  const { rows, toRecord = (record) => record } = table
  const select = sql.literal(rows.columns("t"))
  const list = makeList(sql, table)
  return {
    insert: (record) => Effect.orDie(runWrite(insertion(sql, table.table, toRecord(record)))),
    find: (organisation_id, id) =>
      rows.first(sql`SELECT ${select} FROM ${sql(table.table)} AS t ${named(sql, organisation_id, id)}`),
    findForUpdate: makeFindHeld(sql, table, "FOR NO KEY UPDATE"),
    update: (record) => Effect.orDie(runWrite(change(sql, table.table, toRecord(record)))),
    list: (organisation_id, query) => list(organisation_id, query)
  }
}

/** The store that a port is on the database. */
export const storeOf = <I, S>(port: Context.Key<I, S>, make: (sql: SqlClient.SqlClient) => NoInfer<S>) =>
  Layer.effect(port, Effect.map(SqlClient.SqlClient, make))

/** The same of what needs more than the client. */
export const storeFrom = <I, S, Y extends Effect.Effect<unknown, never, unknown>>(
  port: Context.Key<I, S>,
  make: (sql: SqlClient.SqlClient) => Generator<Y, NoInfer<S>, never>
) =>
  Layer.effect(
    port,
    Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.gen(() => make(sql)))
  )
