import { assert, describe } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Client from "../../src/adapters/postgres/connection/Client.ts"
import * as Migrations from "../../src/adapters/postgres/migrations/Migrations.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { live, withFresh } from "../support/Steps.ts"
import { databases } from "./PostgresStores.ts"

describe.each(databases)("migrations of %s", (_name, database) => {
  const { live } = withFresh(database)

  live("are run once", function* () {
    const first = yield* Migrations.run
    assert.isAbove(first.length, 0)
    assert.deepStrictEqual(yield* Migrations.run, [])
  })

  live("of a newer program are refused, and the database is left alone", function* () {
    const sql = yield* SqlClient.SqlClient
    const ran = yield* Migrations.run
    const known = Math.max(...ran.map(([id]) => id))
    yield* sql`INSERT INTO almoner_migrations (migration_id, name) VALUES (${known + 7}, 'later')`
    const failure = yield* Effect.flip(Migrations.run)
    assert.strictEqual(failure._tag, "DatabaseNewer")
    assert.deepStrictEqual([failure.found, failure.known], [known + 7, known])
    assert.lengthOf(yield* sql`SELECT 1 FROM almoner_migrations`, ran.length + 1)
  })
})

describe("programs that start at the same moment", () => {
  live("migrate once, and all of them find the schema", function* () {
    const url = yield* freshUrl
    const runs = yield* Effect.forEach(
      [1, 2, 3, 4],
      () => Effect.provide(Migrations.run, Layer.fresh(Client.layerServer({ url, max_connections: 2 }))),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(
      runs.filter((run) => run.length > 0),
      1
    )
  })
})
