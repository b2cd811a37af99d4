import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { ContactLog, derivedColumns, undeletedRule } from "../../../domain/giving/ContactLog.ts"
import type { ContactLogId } from "../../../domain/kernel/Ids.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { ContactLogStore } from "../../../ports/giving/ContactLogStore.ts"
import { makeRecords } from "../records/Records.ts"
import { rowsOf } from "../records/Rows.ts"
import { makeDonorReferences } from "./DonorReferences.ts"

const table = "contact_logs"

export const layer: Layer.Layer<ContactLogStore, never, SqlClient.SqlClient> = Layer.effect(
  ContactLogStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const records = makeRecords<ContactLog, ContactLogId>(sql, {
      rows: rowsOf(ContactLog),
      table,
      hiddenBy: undeletedRule.column,
      toRecord: (log) => ({ ...log, ...derivedColumns(log) })
    })
    return ContactLogStore.of({
      ...records,
      ...makeDonorReferences(sql, table),
      find: (organisation_id, id) =>
        Effect.map(
          records.find(organisation_id, id),
          Option.filter((log) => Rule.holds(undeletedRule, log))
        )
    })
  })
)
