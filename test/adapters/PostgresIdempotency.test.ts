import { assert, describe } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Latch } from "effect"
import { SqlClient } from "effect/sql"
import { IdempotencyStore, Transaction } from "../../src/ports.ts"
import { answerOf, at, newOrganisation, scopeOf } from "../../src/testing/conformance/Records.ts"
import { live, withLayer } from "../support/Steps.ts"
import { databases, storesOn, twoPrograms } from "./PostgresStores.ts"

const bytes = new TextEncoder().encode('{"id":"1"}')

describe("equal keys at the same moment", () => {
  live("in two programs: one of fifty runs, the others are told at once", function* () {
    const programs = yield* twoPrograms
    const [first] = programs
    const scope = yield* Effect.provide(
      Effect.flatMap(newOrganisation(), ({ id }) => scopeOf(id)),
      first
    )
    const refused = yield* Latch.make()
    let running = 0
    let told = 0
    const attempt = Effect.gen(function* () {
      const transaction = yield* Transaction
      const store = yield* IdempotencyStore
      return yield* transaction.run(
        Effect.gen(function* () {
          const { _tag } = yield* store.reserve(scope, ["hash"], at(0))
          if (_tag === "Run") {
            running++
            // Holds the key until all the others have their answer: one that waited would never get it.
            yield* refused.await
            yield* store.keep(scope, "hash", answerOf(bytes), { secret: false, now: at(0) })
          } else if (++told === 49) yield* refused.open
          return _tag
        })
      )
    })
    const tags = yield* Effect.forEach(
      Array.from({ length: 50 }, (_, index) => programs[index % 2] ?? first),
      (program) => Effect.provide(attempt, program),
      { concurrency: "unbounded" }
    )
    assert.strictEqual(running, 1)
    assert.deepStrictEqual(
      tags.filter((tag) => tag !== "Run"),
      Array(49).fill("InFlight")
    )
    assert.deepStrictEqual(yield* Effect.forEach(programs, (program) => Effect.provide(attempt, program)), [
      "Replay",
      "Replay"
    ])
  })
})

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

    effect("are free again however the transaction ended", function* () {
      const transaction = yield* Transaction
      const { reserved } = yield* reserve
      const started = yield* Deferred.make<void>()
      const stuck = yield* transaction
        .run(reserved.pipe(Effect.andThen(Deferred.succeed(started, undefined)), Effect.andThen(Effect.never)))
        .pipe(Effect.forkChild)
      yield* Deferred.await(started)
      yield* Fiber.interrupt(stuck)
      yield* Effect.exit(transaction.run(Effect.andThen(reserved, Effect.die("broken"))))
      yield* Effect.exit(transaction.run(Effect.andThen(reserved, Effect.fail("refused"))))
      yield* transaction.run(Effect.exit(transaction.run(Effect.andThen(reserved, Effect.fail("refused")))))
      assert.strictEqual((yield* transaction.run(reserved))._tag, "Run")
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
