import { assert, describe } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { IdempotencyStore, Transaction } from "../../src/ports.ts"
import { answerOf, at, newOrganisation, scopeOf } from "../../src/testing/conformance/Records.ts"
import { live, withLayer } from "../support/Steps.ts"
import { databases, storesOn, twoPrograms } from "./PostgresStores.ts"

const bytes = new TextEncoder().encode('{"id":"1"}')

describe("a key that is held while a part of its request runs in no transaction", () => {
  live("is held in two programs, and free in both once it is released", function* () {
    const [first, second] = yield* twoPrograms
    const scope = yield* Effect.provide(
      Effect.flatMap(newOrganisation(), ({ id }) => scopeOf(id)),
      first
    )
    const hold = IdempotencyStore.use((store) => store.hold(scope, "holder", at(0), Duration.minutes(1)))
    assert.isTrue(yield* Effect.provide(hold, first))
    assert.isFalse(yield* Effect.provide(hold, second))
    yield* Effect.provide(
      IdempotencyStore.use((store) => store.release(scope, "holder")),
      first
    )
    assert.isTrue(yield* Effect.provide(hold, second))
  })
})

for (const [name, database] of databases) {
  withLayer(storesOn(database), { excludeTestServices: true })(`keys of ${name}`, ({ effect }) => {
    const reserve = Effect.gen(function* () {
      const { id } = yield* newOrganisation()
      const scope = yield* scopeOf(id)
      const store = yield* IdempotencyStore
      return { scope, store, reserved: store.reserve(scope, ["hash"], at(0)) }
    })

    effect("that are reserved in a savepoint are held until the outermost transaction ends", function* () {
      const transaction = yield* Transaction
      const { reserved } = yield* reserve
      const tags = yield* transaction.run(
        Effect.gen(function* () {
          const first = yield* transaction.run(reserved)
          return [first._tag, (yield* reserved)._tag]
        })
      )
      assert.deepStrictEqual(tags, ["Run", "InFlight"])
      assert.strictEqual((yield* transaction.run(reserved))._tag, "Run")
    })

    effect("are not reserved outside of a transaction", function* () {
      const { reserved } = yield* reserve
      assert.isTrue((yield* Effect.exit(reserved))._tag === "Failure")
    })

    effect("a secret answer is sealed in the table, and no byte of it is there in the clear", function* () {
      const sql = yield* SqlClient.SqlClient
      const transaction = yield* Transaction
      const { reserved, scope, store } = yield* reserve
      yield* transaction.run(store.keep(scope, "hash", answerOf(bytes), { secret: true, now: at(0) }))
      const [row] = yield* sql<{ readonly body: unknown; readonly scope: string; readonly sealed_body: string }>`
          SELECT body, scope, sealed_body FROM idempotency_records WHERE organisation_id = ${scope.organisation_id}`
      assert.isNull(row?.body)
      assert.isTrue(row?.sealed_body.startsWith(`${row.scope}|`), "it is sealed for its scope")
      const again = yield* transaction.run(reserved)
      assert.deepStrictEqual(again._tag === "Replay" ? [...again.answer.body] : again._tag, [...bytes])
    })
  })
}
