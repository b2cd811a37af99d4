import type { SqlClient } from "effect/sql"
import type { Fragment, Statement } from "effect/sql/Statement"
import type { DeferredWrite } from "../connection/OneStatement.ts"
import { rowJson } from "./Rows.ts"

const keys: ReadonlyArray<string> = ["organisation_id", "id"]

const list = (sql: SqlClient.SqlClient, names: ReadonlyArray<string>, write: (name: string) => string): Fragment =>
  sql.literal(names.map(write).join(", "))

/** The record as a row of the table, from one parameter: the statement is the same whichever fields are null. */
const rowOf = (sql: SqlClient.SqlClient, table: string, record: object): Fragment =>
  sql`jsonb_populate_record(NULL::${sql(table)}, ${rowJson(record)}::jsonb)`

/** Inserts a record whose fields are columns of the table. */
export const insertRecord = (sql: SqlClient.SqlClient, table: string, record: object): Statement<object> => {
  const names = list(sql, Object.keys(record), (name) => `"${name}"`)
  return sql`INSERT INTO ${sql(table)} (${names}) SELECT ${names} FROM ${rowOf(sql, table, record)}`
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
    FROM ${rowOf(sql, table, record)} AS n
    WHERE ${sql.and(key.map((name) => sql`${sql(`t.${name}`)} = ${sql(`n.${name}`)}`))}`
}

/** The insert of a record, as a unit of work notes it. */
export const insertion = (sql: SqlClient.SqlClient, table: string, record: object): DeferredWrite => ({
  part: "record",
  direct: () => insertRecord(sql, table, record),
  gated: (condition) => sql`record AS (${insertRecord(sql, table, record)} WHERE ${condition})`
})

/** The change of a record, as a unit of work notes it. */
export const change = (sql: SqlClient.SqlClient, table: string, record: object): DeferredWrite => ({
  part: "record",
  direct: () => updateRecord(sql, table, record),
  gated: (condition) => sql`record AS (${updateRecord(sql, table, record)} AND ${condition})`
})
