import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { InvoiceId } from "../../../domain/kernel/Ids.ts"
import { Invoice, unendedRule } from "../../../domain/payments/Invoice.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { InvoiceStore } from "../../../ports/payments/InvoiceStore.ts"
import { rowsOf } from "../records/Rows.ts"
import { ruleOf } from "../records/Rules.ts"
import { makeManyUniqueRecords } from "../records/UniqueRecords.ts"

const rows = rowsOf(Invoice)

const uniques = [
  { columns: ["subscription_id", "due_on"], constraint: "invoices_due", record: "invoice", field: "due_on" }
]

/** Invoices of recurring gifts on the database. */
export const layer: Layer.Layer<InvoiceStore, never, SqlClient.SqlClient | Transaction> = Layer.effect(
  InvoiceStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return InvoiceStore.of({
      ...makeManyUniqueRecords<Invoice, InvoiceId>(sql, yield* Transaction, { rows, table: "invoices", uniques }),
      openOf: (organisation_id, subscription_id) =>
        rows.all(sql`
          SELECT ${sql.literal(rows.columns("t"))} FROM invoices AS t
          WHERE t.organisation_id = ${organisation_id} AND t.subscription_id = ${subscription_id}
            AND ${ruleOf(sql, unendedRule, "t")}
          ORDER BY t.due_on`)
    })
  })
)
