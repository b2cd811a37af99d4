import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { AuditEntry } from "../../../domain/access/Audit.ts"
import { AuditStore } from "../../../ports/access/AuditStore.ts"
import { rowsOf } from "../records/Rows.ts"
import { insertRecord } from "../records/Writing.ts"

export const rows = rowsOf(AuditEntry)

export const layer: Layer.Layer<AuditStore, never, SqlClient.SqlClient> = Layer.effect(
  AuditStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return AuditStore.of({
      append: (entry) => Effect.asVoid(Effect.orDie(insertRecord(sql, "audit_entries", entry))),
      list: (organisation_id, limit) =>
        rows.all(sql`
          SELECT ${sql.literal(rows.columns("a"))} FROM audit_entries AS a WHERE a.organisation_id = ${organisation_id}
          ORDER BY a.created_at DESC, a.id DESC LIMIT ${limit}`)
    })
  })
)
