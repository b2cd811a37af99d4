import { assert, describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Migrations from "../../src/adapters/postgres/migrations/Migrations.ts"
import { ReconciliationStore } from "../../src/ports/payments/ReconciliationStore.ts"
import { newIntegration } from "../../src/testing/conformance/MoneyRecords.ts"
import { at, newOrganisation } from "../../src/testing/conformance/Records.ts"
import { fieldsOf } from "../support/Answer.ts"
import { withFresh } from "../support/Steps.ts"
import { nodes, runOf } from "./ListPlans.ts"
import { databases, storesOn } from "./PostgresStores.ts"

interface Key {
  readonly table: string
  readonly index: string
  readonly columns: ReadonlyArray<string>
}

/** Every primary key, by the database's own account. */
const keys = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql<Key>`
    SELECT c.relname AS table, k.conname AS index, (
      SELECT array_agg(a.attname::text ORDER BY n.position) FROM unnest(k.conkey) WITH ORDINALITY AS n (number, position)
      JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = n.number
    ) AS columns
    FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid
    WHERE k.contype = 'p' AND c.relnamespace = current_schema()::regnamespace ORDER BY 1`
})

/** The plan for the check of a foreign key that leads to a primary key, as the server keeps it: without its values. */
const checkOf = ({ columns, table }: Key) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const conditions = columns.map((column, index) => `x.${column} = $${index + 1}`).join(" AND ")
    const planned = Effect.gen(function* () {
      yield* sql`SET LOCAL plan_cache_mode = force_generic_plan`
      yield* sql.unsafe(`PREPARE checked AS SELECT 1 FROM ONLY ${table} AS x WHERE ${conditions} FOR KEY SHARE OF x`)
        .unprepared
      const unknown = columns.map(() => "NULL").join(", ")
      const plan = yield* sql.unsafe(`EXPLAIN (FORMAT JSON) EXECUTE checked (${unknown})`).unprepared
      yield* sql`DEALLOCATE checked`.unprepared
      return plan
    })
    return yield* sql.withTransaction(planned)
  })

describe("a database that was never analysed", () => {
  for (const [name, database] of databases) {
    withFresh(Layer.fresh(database)).live(`finds every row by its primary key in ${name}`, function* () {
      yield* Migrations.run
      const found = yield* keys
      assert.isAbove(found.length, 30)
      for (const key of found) {
        const plan = yield* checkOf(key)
        const seen = `${key.table}: ${JSON.stringify(plan)}`
        assert.deepStrictEqual(
          nodes(plan).flatMap(({ index }) => index ?? []),
          [key.index],
          seen
        )
        assert.notInclude(seen, '"Filter"', seen)
      }
    })

    withFresh(Layer.fresh(storesOn(database))).live(
      `reads a statement's lines once, however many charges are compared, in ${name}`,
      function* () {
        const store = yield* ReconciliationStore
        const { id } = yield* newOrganisation()
        const account = yield* newIntegration(id)
        const references = Array.from({ length: 50 }, (_, index) => `ch_${index}`)
        const line = { kind: "charge", amount_cents: 5, fee_cents: 1, currency: "AUD", at: at(0) } as const
        yield* store.keep(
          account,
          references.map((each) => ({ ...line, reference: `line_${each}`, charge_reference: each })),
          "a"
        )
        const ran = yield* runOf(store.positions(account, references))
        const reading = ran.filter(({ table }) => table === "processor_movements")
        assert.deepStrictEqual(fieldsOf(reading, "loops"), [1], JSON.stringify(ran))
      }
    )
  }
})
