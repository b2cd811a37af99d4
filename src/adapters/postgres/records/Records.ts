import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import type { RecordStore } from "../../../ports/kernel/RecordStore.ts"
import { makeList, type Source } from "./Listing.ts"
import { insertRecord, updateRecord } from "./Writing.ts"

/** How the records of a table are read and written. */
export interface RecordTable<A> extends Source<A> {
  /** The row of a record: its fields, and columns that are computed from them. */
  readonly toRecord?: (record: A) => object
}

/** The store of a table whose columns are the fields of its records. */
export const makeRecords = <A extends object, Id extends string>(
  sql: SqlClient.SqlClient,
  table: RecordTable<A>
): RecordStore<A, Id> => {
  const { rows, toRecord = (record) => record } = table
  const select = sql`SELECT ${sql.literal(rows.columns("t"))} FROM ${sql(table.table)} AS t`
  const one = (organisation_id: OrganisationId, id: Id, hold: string) =>
    rows.first(sql`${select} WHERE t.organisation_id = ${organisation_id} AND t.id = ${id} ${sql.literal(hold)}`)
  const list = makeList(sql, table)
  return {
    insert: (record) => Effect.asVoid(Effect.orDie(insertRecord(sql, table.table, toRecord(record)))),
    find: (organisation_id, id) => one(organisation_id, id, ""),
    findForUpdate: (organisation_id, id) => one(organisation_id, id, "FOR NO KEY UPDATE"),
    update: (record) => Effect.asVoid(Effect.orDie(updateRecord(sql, table.table, toRecord(record)))),
    list: (organisation_id, query) => list(organisation_id, query)
  }
}
