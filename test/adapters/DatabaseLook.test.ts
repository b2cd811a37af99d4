import { randomBytes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Client from "../../src/adapters/postgres/connection/Client.ts"
import { clockFinding, layerFit, lookAtDatabase } from "../../src/adapters/postgres/connection/DatabaseLook.ts"
import { administer, copyOf } from "../support/FreshDatabase.ts"
import { migratedUrl } from "../support/MigratedDatabase.ts"
import { live } from "../support/Steps.ts"

const clientOf = (url: string) =>
  Layer.orDie(Client.layerServer({ url: Redacted.make(url), max_connections: 1, prepare: false }))

/** What a look says of the database, without what is well. */
const saidOf = (url: string) =>
  Effect.map(Effect.provide(lookAtDatabase, clientOf(url)), ({ found }) =>
    found.filter(({ state }) => state !== "ok").map(({ message, state }) => `${state}: ${message}`)
  )

/** A migrated database as a role without any right sees it; what the role has is gone with the scope. */
const stranger = Effect.gen(function* () {
  const owned = Redacted.value(yield* migratedUrl)
  const name = `role_${randomBytes(6).toString("hex")}`
  yield* Effect.acquireRelease(
    Effect.promise(() => administer(`CREATE ROLE ${name} LOGIN PASSWORD 'word'`)),
    () => Effect.promise(() => administer(`DROP OWNED BY ${name}`, owned).then(() => administer(`DROP ROLE ${name}`)))
  )
  const seen = Object.assign(new URL(owned), { username: name, password: "word" })
  return { name, owned, url: seen.href }
})

describe("A look at a database", () => {
  live("finds nothing wrong with an empty one, nor with a migrated one", function* () {
    assert.deepStrictEqual(yield* saidOf(Redacted.value(yield* copyOf("template1"))), [])
    assert.deepStrictEqual(yield* saidOf(Redacted.value(yield* migratedUrl)), [])
  })

  live("tells a role without rights on the tables, and one that may only read, and a start is refused", function* () {
    const { name, owned, url } = yield* stranger
    const [lacking = "", ...others] = yield* saidOf(url)
    assert.match(lacking, /^wrong: .*may not write almoner_migrations, .* and \d+ others \(42501\)\. Give the role /)
    assert.isEmpty(others)
    const failure = yield* Effect.flip(Layer.build(Layer.provide(layerFit, clientOf(url))))
    assert.strictEqual(`wrong: ${failure.message}`, lacking)

    const grant = `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${name}`
    yield* Effect.promise(() => administer(grant, owned))
    assert.deepStrictEqual(yield* saidOf(url), [])
    yield* Effect.promise(() => administer(`ALTER ROLE ${name} SET default_transaction_read_only = on`))
    assert.match((yield* saidOf(url)).join(), /^wrong: .* it is read-only: .* \(25006\)\. /)
  })

  live("warns of another program's tables", function* () {
    const url = Redacted.value(yield* copyOf("template1"))
    yield* Effect.promise(() => administer("CREATE TABLE donors (id int); CREATE TABLE notes (id int)", url))
    assert.match(
      (yield* saidOf(url)).join(),
      /^warning: The database has tables of another program \(donors, notes\)\./
    )
  })

  it("tells how far apart the clocks are, and says when signatures would be refused", () => {
    const stateAt = (seconds: number) => clockFinding(seconds * 1000, 0)
    assert.deepStrictEqual(
      [0, 9, -9, 30, -30, 299, 301, -90_000].map((seconds) => stateAt(seconds).state),
      ["ok", "ok", "ok", "warning", "warning", "warning", "away", "away"]
    )
    assert.include(stateAt(30).message, "30 s ahead of that of the database")
    assert.include(stateAt(-30).message, "30 s behind that of the database")
  })
})
