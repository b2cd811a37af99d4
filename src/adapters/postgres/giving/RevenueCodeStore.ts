import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { codeKey, type Namespace, RevenueCode } from "../../../domain/giving/RevenueCode.ts"
import type { RevenueCodeId } from "../../../domain/kernel/Ids.ts"
import { RevenueCodeStore } from "../../../ports/giving/RevenueCodeStore.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { insertRecord } from "../records/RecordWriter.ts"
import { rowsOf } from "../records/Rows.ts"
import { makeUniqueRecords } from "../records/UniqueRecords.ts"

const rows = rowsOf(RevenueCode)

const toRecord = (code: RevenueCode) => ({ ...code, code_key: codeKey(code.code) })

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const records = makeUniqueRecords<RevenueCode, RevenueCodeId>(sql, yield* Transaction, {
    rows,
    table: "revenue_codes",
    archivable: true,
    toRecord,
    unique: {
      columns: ["namespace", "code_key"],
      constraint: "revenue_codes_code",
      record: "revenue code",
      field: "code"
    }
  })
  const select = sql`SELECT ${sql.literal(rows.columns("t"))} FROM revenue_codes AS t`

  const findByCode = (organisation_id: string, namespace: Namespace, code: string) =>
    rows.first(sql`
      ${select}
      WHERE t.organisation_id = ${organisation_id} AND t.namespace = ${namespace} AND t.code_key = ${codeKey(code)}`)

  /**
   * Waits for a transaction that is writing the same text; when that one rolls back or changes its text, it tries
   * again.
   */
  const findOrInsert = (code: RevenueCode): Effect.Effect<{ readonly code: RevenueCode; readonly created: boolean }> =>
    Effect.gen(function* () {
      const written = yield* Effect.orDie(
        sql`
          ${insertRecord(sql, "revenue_codes", toRecord(code))}
          ON CONFLICT (organisation_id, namespace, code_key) DO NOTHING RETURNING id`
      )
      if (written.length > 0) return { code, created: true }
      const holder = yield* findByCode(code.organisation_id, code.namespace, code.code)
      return Option.isSome(holder) ? { code: holder.value, created: false } : yield* findOrInsert(code)
    })

  return RevenueCodeStore.of({ ...records, findOrInsert, findByCode })
})

export const layer: Layer.Layer<RevenueCodeStore, never, SqlClient.SqlClient | Transaction> = Layer.effect(
  RevenueCodeStore,
  make
)
