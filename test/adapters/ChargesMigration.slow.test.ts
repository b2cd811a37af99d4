import { assert, describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { charges } from "../../src/adapters/postgres/migrations/0023_charges.ts"
import * as Migrations from "../../src/adapters/postgres/migrations/Migrations.ts"
import { withFresh } from "../support/Steps.ts"
import { databases } from "./PostgresStores.ts"

const id = (prefix: string, n: number) => `${prefix}_01h2xcejqtf2nbrexx3v${String(n).padStart(6, "0")}`

/** A database as it was before the migration, with two organisations; the first has two integrations. */
const former = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Migrations.run
  yield* sql`DROP TABLE tariffs, payment_exceptions, ledger_entries, disputes, charges CASCADE`
  yield* sql`DROP FUNCTION almoner_refuse_change`
  yield* sql`
    ALTER TABLE integrations DROP COLUMN methods, DROP COLUMN settlement_currency, DROP COLUMN is_default,
      DROP COLUMN is_active, DROP COLUMN bank_account`
  yield* sql`ALTER TABLE donations DROP COLUMN charge_id, DROP COLUMN checkout_link_id`
  yield* sql`ALTER TABLE refunds DROP COLUMN charge_id, DROP COLUMN is_beside_gift`
  for (const [n, currency] of ["AUD", "NZD"].entries()) {
    yield* sql`
      INSERT INTO organisations
      VALUES (${id("org", n)}, ${`s${n}`}, 'n', false, 'UTC', ${currency}, NULL, NULL, 'FREE', '{}', now(), now())`
  }
  const made: ReadonlyArray<readonly [integration: number, organisation: number, day: string]> = [
    [1, 0, "2026-02-01"],
    [2, 0, "2026-01-01"],
    [3, 1, "2026-03-01"]
  ]
  for (const [n, organisation, day] of made) {
    yield* sql`
      INSERT INTO integrations (organisation_id, id, label, processor, processor_connect_account_id, charges_enabled,
        created_at, updated_at)
      VALUES (${id("org", organisation)}, ${id("intg", n)}, 'Main', 'test', 'acct_1', true, ${day}::timestamptz, now())`
  }
})

describe("the migration to charges", () => {
  for (const [name, database] of databases) {
    withFresh(Layer.fresh(database)).live(
      `gives integrations their growth, and each organisation one default, in ${name}`,
      function* () {
        const sql = yield* SqlClient.SqlClient
        yield* former
        yield* charges
        const found = yield* sql`
          SELECT id, methods, settlement_currency, is_default, is_active, bank_account
          FROM /* every organisation */ integrations ORDER BY id`
        const grown = { methods: ["card", "au_becs_debit", "payto"], is_active: true, bank_account: null }
        assert.deepStrictEqual<unknown>(found, [
          { id: id("intg", 1), ...grown, settlement_currency: "AUD", is_default: false },
          { id: id("intg", 2), ...grown, settlement_currency: "AUD", is_default: true },
          { id: id("intg", 3), ...grown, settlement_currency: "NZD", is_default: true }
        ])
      }
    )
  }
})
