import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { IntroductionId } from "../../../domain/kernel/Ids.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { Introduction, limitRule, ranOut } from "../../../domain/sharing/Introduction.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { IntroductionStore } from "../../../ports/sharing/IntroductionStore.ts"
import { expirable } from "../records/ExpirableRecords.ts"
import { rowsOf } from "../records/Rows.ts"
import { ruleOf } from "../records/Rules.ts"
import { makeUniqueRecords } from "../records/UniqueRecords.ts"

const rows = rowsOf(Introduction)

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const records = makeUniqueRecords<Introduction, IntroductionId>(sql, yield* Transaction, {
    rows,
    table: "introductions",
    unique: {
      columns: ["external_id"],
      constraint: "introductions_external_id",
      record: "introduction",
      field: "external_id"
    }
  })
  const everywhere = sql`SELECT ${sql.literal(rows.columns("t"))} FROM /* every organisation */ introductions AS t`

  /**
   * Counting transactions wait for each other at the organisation's row. Readers of the row, and foreign keys to it, do
   * not wait.
   */
  const countForUpdate: IntroductionStore["Service"]["countForUpdate"] = Effect.fnUntraced(function* (
    organisation_id,
    now
  ) {
    yield* sql`SELECT id FROM organisations WHERE id = ${organisation_id} FOR NO KEY UPDATE`
    const [row] = yield* sql<{ readonly count: number }>`
      SELECT count(*)::int4 AS count FROM introductions AS t
      WHERE t.organisation_id = ${organisation_id} AND ${ruleOf(sql, Rule.at(limitRule, now), "t")}`
    return row?.count ?? 0
  }, Effect.orDie)

  return IntroductionStore.of({
    ...records,
    locate: (id) => rows.first(sql`${everywhere} WHERE t.id = ${id}`),
    countForUpdate,
    expirable: (now, limit, except, only) =>
      Effect.orDie(
        expirable(sql, { table: "introductions", ranOut: ruleOf(sql, Rule.at(ranOut, now), "t"), limit, except, only })
      )
  })
})

export const layer: Layer.Layer<IntroductionStore, never, SqlClient.SqlClient | Transaction> = Layer.effect(
  IntroductionStore,
  make
)
