import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Client from "../../src/adapters/postgres/connection/Client.ts"
import { TransactionState } from "../../src/adapters/postgres/connection/SessionState.ts"
import { administer, freshUrl } from "../support/FreshDatabase.ts"
import { effect, live } from "../support/Steps.ts"

const ask = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1 AS one`)

/** More statements than there are sessions, at once. */
const askAll = Effect.all(
  Array.from({ length: 24 }, () => ask),
  { concurrency: "unbounded", discard: true }
)

const on = (url: Redacted.Redacted<string>) =>
  Effect.provide(Layer.orDie(Client.layerServer({ url, max_connections: 4 })))

describe("a session that is given back", () => {
  live("in a transaction, failed or not, goes to nobody", function* () {
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE gifts (id int4)`
      for (const last of ["SELECT 1/0", "INSERT INTO gifts VALUES (1)", "ROLLBACK TO SAVEPOINT none"]) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const session = yield* sql.reserve
            yield* session.execute("BEGIN", [], undefined)
            yield* Effect.exit(session.execute(last, [], undefined))
          })
        )
        yield* askAll
      }
      assert.deepStrictEqual(yield* sql`SELECT id FROM gifts`, [], "nothing of it is there")
    }).pipe(on(yield* freshUrl))
  })

  live("without what was prepared on it fails one use at most", function* () {
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const asked = ["1", "2", "3"].map((one) => sql`SELECT ${sql.literal(one)} AS one`)
      const transaction = sql.withTransaction(Effect.all(asked))
      yield* transaction
      yield* Effect.scoped(Effect.flatMap(sql.reserve, (session) => session.execute("DEALLOCATE ALL", [], undefined)))
      yield* Effect.exit(transaction)
      yield* transaction
      yield* transaction
    }).pipe(on(yield* freshUrl))
  })

  live("from a database that was read-only when it began is opened anew", function* () {
    const url = yield* freshUrl
    const database = new URL(Redacted.value(url)).pathname.slice(1)
    const readOnly = (value: string) =>
      Effect.promise(() => administer(`ALTER DATABASE ${database} SET default_transaction_read_only = ${value}`))
    yield* readOnly("on")
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* askAll
      yield* readOnly("off")
      const exit = yield* Effect.exit(sql`CREATE TABLE gifts (id int4)`)
      assert.isTrue(Exit.isFailure(exit))
      yield* sql`CREATE TABLE gifts (id int4)`
      yield* Effect.all(
        Array.from({ length: 24 }, () => sql`INSERT INTO gifts VALUES (1)`),
        { concurrency: "unbounded" }
      )
    }).pipe(on(url))
  })

  effect("is in a transaction from its beginning until the end is confirmed", function* () {
    const state = new TransactionState()
    const openAfter = (sent: string, confirmed: boolean) => {
      state.sent(sent)
      if (confirmed) state.confirmed(sent)
      return state.isOpen
    }
    assert.isFalse(openAfter("SELECT 1", true))
    assert.isTrue(openAfter("BEGIN", false))
    assert.isTrue(openAfter("ROLLBACK TO SAVEPOINT a", true))
    assert.isTrue(openAfter("ROLLBACK", false))
    assert.isFalse(openAfter("ROLLBACK", true))
    assert.isTrue(openAfter("  start transaction read only", true))
    assert.isFalse(openAfter("commit", true))
  })
})
