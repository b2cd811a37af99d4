import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { fieldsOf } from "../support/Answer.ts"
import { layerFresh } from "../support/FreshDatabase.ts"
import { withLayer } from "../support/Steps.ts"
import { storesOn } from "./PostgresStores.ts"

/** The least and the greatest value of each column that the database bounds by numbers; null where there is no greatest. */
const bounds: Readonly<Record<string, readonly [least: number, greatest: number | null]>> = {
  "charges.amount_cents": [1, null],
  "charges.looks": [0, null],
  "charges.processor_fee_cents": [0, null],
  "checkout_links.amount_cents": [1, Limits.donationMaximumCents],
  "consent_prompts.position": [1, Limits.consentPromptPosition],
  "credits.amount_cents": [1, null],
  "credits.number": [1, null],
  "disputes.amount_cents": [0, null],
  "disputes.fee_cents": [0, null],
  "donations.amount_cents": [1, Limits.donationMaximumCents],
  "invoices.amount_cents": [1, Limits.donationMaximumCents],
  "invoices.failures": [0, null],
  "ledger_entries.amount_cents": [1, null],
  "notices.attempts": [0, null],
  "payment_allocations.gross_amount_cents": [0, Limits.donationMaximumCents],
  "payment_exceptions.amount_cents": [0, null],
  "payments.total_amount_cents": [1, Limits.donationMaximumCents],
  "recommendation_sets.allocation_count": [1, null],
  "recommendation_sets.min_total_cents": [1, null],
  "recommendation_sets.total_amount_cents": [0, null],
  "refunds.amount_cents": [1, Limits.donationMaximumCents],
  "set_allocations.amount_cents": [0, Limits.donationMaximumCents],
  "subscriptions.amount_cents": [1, Limits.donationMaximumCents],
  "tariffs.basis_points": [0, 10_000],
  "tariffs.fixed_cents": [0, null],
  "test_charges.amount_cents": [0, null],
  "test_charges.fee_cents": [0, null],
  "test_notices.sends": [0, null],
  "transfer_attempts.amount_cents": [1, null],
  "transfer_attempts.looks": [0, null]
}

/** The checks of one column alone. Those of several compare columns with each other. */
const checks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<{ readonly name: string; readonly column: string; readonly expression: string }>`
    SELECT t.relname || '.' || a.attname AS name, a.attname AS "column", pg_get_expr(c.conbin, c.conrelid) AS expression
    FROM pg_constraint AS c JOIN pg_class AS t ON t.oid = c.conrelid
    JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
    WHERE c.contype = 'c' AND cardinality(c.conkey) = 1 AND t.relnamespace = 'public'::regnamespace
    ORDER BY name`
})

withLayer(storesOn(layerFresh), { excludeTestServices: true })("a bound that the database keeps", ({ effect }) => {
  effect("is one that the limits name, and the other way round", function* () {
    const sql = yield* SqlClient.SqlClient
    const found = yield* checks
    assert.deepStrictEqual(fieldsOf(found, "name"), Object.keys(bounds))
    for (const { column, expression, name } of found) {
      const [least = 0, greatest = null] = bounds[name] ?? []
      const admits = Effect.fnUntraced(function* (value: number) {
        const [row] = yield* sql<{ readonly admitted: boolean }>`
            SELECT ${sql.literal(expression)} AS admitted FROM (SELECT ${`${value}`}::int8) AS t (${sql(column)})`
        return row?.admitted
      })
      assert.isFalse(yield* admits(least - 1), name)
      assert.isTrue(yield* admits(least), name)
      assert.isTrue(yield* admits(greatest ?? Limits.donationMaximumCents + 1), name)
      if (greatest !== null) assert.isFalse(yield* admits(greatest + 1), name)
    }
  })
})
