import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Refund } from "../../../domain/giving/Refund.ts"
import type { RefundId } from "../../../domain/kernel/Ids.ts"
import { RefundStore } from "../../../ports/giving/RefundStore.ts"
import { makeRecords } from "../records/Records.ts"
import { rowsOf } from "../records/Rows.ts"

const rows = rowsOf(Refund)

export const layer: Layer.Layer<RefundStore, never, SqlClient.SqlClient> = Layer.effect(
  RefundStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    RefundStore.of({
      ...makeRecords<Refund, RefundId>(sql, { rows, table: "refunds" }),
      ofDonation: (organisation_id, donation_id) =>
        rows.all(sql`
          SELECT ${sql.literal(rows.columns("t"))} FROM refunds AS t
          WHERE t.organisation_id = ${organisation_id} AND t.donation_id = ${donation_id}`),
      ofCharge: (organisation_id, charge_id) =>
        rows.all(sql`
          SELECT ${sql.literal(rows.columns("t"))} FROM refunds AS t
          WHERE t.organisation_id = ${organisation_id} AND t.charge_id = ${charge_id}`)
    })
  )
)
