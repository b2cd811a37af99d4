import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { PaymentExceptionId } from "../../../domain/kernel/Ids.ts"
import { PaymentException } from "../../../domain/payments/PaymentException.ts"
import { PaymentExceptionStore } from "../../../ports/payments/PaymentExceptionStore.ts"
import { makeRecords } from "../records/Records.ts"
import { rowsOf } from "../records/Rows.ts"
import { cents } from "./Cents.ts"

const rows = rowsOf(PaymentException, { amount_cents: cents, held_cents: cents })

export const layer: Layer.Layer<PaymentExceptionStore, never, SqlClient.SqlClient> = Layer.effect(
  PaymentExceptionStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    PaymentExceptionStore.of({
      ...makeRecords<PaymentException, PaymentExceptionId>(sql, { rows, table: "payment_exceptions" }),
      ofCharge: (organisation_id, charge_id) =>
        rows.all(sql`
          SELECT ${sql.literal(rows.columns("t"))} FROM payment_exceptions AS t
          WHERE t.organisation_id = ${organisation_id} AND t.charge_id = ${charge_id}`),
      ofSubject: (organisation_id, subject_id) =>
        rows.all(sql`
          SELECT ${sql.literal(rows.columns("t"))} FROM payment_exceptions AS t
          WHERE t.organisation_id = ${organisation_id} AND t.subject_id = ${subject_id}`)
    })
  )
)
