import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { MandateId } from "../../../domain/kernel/Ids.ts"
import { Mandate } from "../../../domain/payments/Mandate.ts"
import { MandateStore } from "../../../ports/payments/MandateStore.ts"
import { makeRecords } from "../records/Records.ts"
import { rowsOf } from "../records/Rows.ts"

export const layer: Layer.Layer<MandateStore, never, SqlClient.SqlClient> = Layer.effect(
  MandateStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    MandateStore.of(makeRecords<Mandate, MandateId>(sql, { rows: rowsOf(Mandate), table: "mandates" }))
  )
)
