import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { MandateId } from "../../../domain/kernel/Ids.ts"
import { Mandate } from "../../../domain/payments/Mandate.ts"
import { MandateStore } from "../../../ports/payments/MandateStore.ts"
import { makeRecords } from "../records/Records.ts"
import { rowsOf } from "../records/Rows.ts"

const rows = rowsOf(Mandate)

/** Mandates on the database. */
export const layer: Layer.Layer<MandateStore, never, SqlClient.SqlClient> = Layer.effect(
  MandateStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    MandateStore.of({
      ...makeRecords<Mandate, MandateId>(sql, { rows, table: "mandates" }),
      ofReference: (processor, reference) =>
        rows.all(sql`
          SELECT ${sql.literal(rows.columns("t"))} FROM /* every organisation */ mandates AS t
          JOIN integrations AS i ON i.organisation_id = t.organisation_id AND i.id = t.integration_id
          WHERE t.reference = ${reference} AND i.processor = ${processor}`)
    })
  )
)
