import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Client from "../../src/adapters/postgres/connection/Client.ts"
import * as Migrations from "../../src/adapters/postgres/migrations/Migrations.ts"
import { administer, freshRole, freshUrl } from "../support/FreshDatabase.ts"
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
    if (failure._tag !== "DatabaseNewer") return assert.fail(failure.message)
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

describe("a database that cannot take them", () => {
  /** Runs statements as the superuser, and then the migrations as a role of its own. */
  const refused = Effect.fnUntraced(function* (prepare: (role: string) => string) {
    const role = yield* freshRole
    const url = new URL(Redacted.value(yield* freshUrl))
    yield* Effect.promise(() => administer(prepare(role), url.href))
    url.username = role
    const client = Client.layerServer({ url: Redacted.make(url.href), start_wait: 0 })
    return yield* Effect.flip(Effect.provide(Migrations.run, Layer.fresh(client)))
  })

  const mayCreate = (role: string) => `GRANT CREATE ON SCHEMA public TO ${role};`
  const otherBook = (role: string) =>
    `CREATE TABLE almoner_migrations (id int); GRANT ALL ON almoner_migrations TO ${role}`
  const readOnly = (role: string) => `ALTER ROLE ${role} SET default_transaction_read_only = on`

  const states: ReadonlyArray<readonly [state: string, prepare: (role: string) => string, reason: RegExp]> = [
    ["gives the role no right to its schema", () => "", /lacks a right: permission denied for schema public/],
    [
      "has tables of another program",
      (role) => `${mayCreate(role)} CREATE TABLE donors (id int)`,
      /another program: .*donors/
    ],
    [
      "has another program's table of migrations",
      (role) => mayCreate(role) + otherBook(role),
      /not as Almoner made it/
    ],
    ["is read-only for the role", (role) => mayCreate(role) + readOnly(role), /read-only/]
  ]

  it.live.each(states)("%s is named with what to do", ([, prepare, reason]) =>
    Effect.scoped(
      Effect.map(refused(prepare), (failure) => {
        assert.strictEqual(failure._tag, "DatabaseUnusable")
        assert.match(failure.message, reason)
      })
    )
  )
})
