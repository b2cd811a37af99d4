import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { DisputeId } from "../../../domain/kernel/Ids.ts"
import { Dispute } from "../../../domain/payments/Dispute.ts"
import { DisputeStore } from "../../../ports/payments/DisputeStore.ts"
import { makeRecords } from "../records/Records.ts"
import { rowsOf } from "../records/Rows.ts"
import { cents } from "./Cents.ts"

const rows = rowsOf(Dispute, { amount_cents: cents, fee_cents: cents })

export const layer: Layer.Layer<DisputeStore, never, SqlClient.SqlClient> = Layer.effect(
  DisputeStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    DisputeStore.of({
      ...makeRecords<Dispute, DisputeId>(sql, { rows, table: "disputes" }),
      ofCharge: (organisation_id, charge_id) =>
        rows.all(sql`
          SELECT ${sql.literal(rows.columns("t"))} FROM disputes AS t
          WHERE t.organisation_id = ${organisation_id} AND t.charge_id = ${charge_id}`)
    })
  )
)
