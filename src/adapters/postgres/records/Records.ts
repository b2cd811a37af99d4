import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import type { RecordStore } from "../../../ports/kernel/RecordStore.ts"
import { readForChange, runWrite } from "../connection/DeferredTransaction.ts"
import { makeList, type Source } from "./ListPage.ts"
import { change, insertion } from "./RecordWriter.ts"

/** How the records of a table are read and written. */
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

/** The store of a table whose columns are the fields of its records. */
export const makeRecords = <A extends object, Id extends string>(
  sql: SqlClient.SqlClient,
  table: RecordTable<A>
): RecordStore<A, Id> => {
  const { rows, toRecord = (record) => record } = table
  const select = sql.literal(rows.columns("t"))
  const named = (organisation_id: OrganisationId, id: Id) =>
    sql`WHERE t.organisation_id = ${organisation_id} AND t.id = ${id}`
  const list = makeList(sql, table)
  return {
    insert: (record) => Effect.orDie(runWrite(insertion(sql, table.table, toRecord(record)))),
    find: (organisation_id, id) =>
      rows.first(sql`SELECT ${select} FROM ${sql(table.table)} AS t ${named(organisation_id, id)}`),
    findForUpdate: (organisation_id, id) =>
      rows.first(
        readForChange(sql, {
          table: table.table,
          strength: "FOR NO KEY UPDATE",
          organisation_id,
          select,
          where: named(organisation_id, id)
        })
      ),
    update: (record) => Effect.orDie(runWrite(change(sql, table.table, toRecord(record)))),
    list: (organisation_id, query) => list(organisation_id, query)
  }
}
