import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AuditEntry } from "../../../domain/access/Audit.ts"
import { AuditStore } from "../../../ports/access/AuditStore.ts"
import { runWrite } from "../connection/DeferredTransaction.ts"
import { insertRecord } from "../records/RecordWriter.ts"
import { rowsOf } from "../records/Rows.ts"

export const rows = rowsOf(AuditEntry)

export const layer: Layer.Layer<AuditStore, never, SqlClient.SqlClient> = Layer.effect(
  AuditStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return AuditStore.of({
      append: (entry) =>
        Effect.orDie(
          runWrite({
            part: "audit",
            direct: () => insertRecord(sql, "audit_entries", entry),
            gated: (condition) => sql`audited AS (${insertRecord(sql, "audit_entries", entry)} WHERE ${condition})`
          })
        ),
      list: (organisation_id, limit) =>
        rows.all(sql`
          SELECT ${sql.literal(rows.columns("a"))} FROM audit_entries AS a WHERE a.organisation_id = ${organisation_id}
          ORDER BY a.created_at DESC, a.id DESC LIMIT ${limit}`)
    })
  })
)
