import { PgClient } from "@effect/sql-pg"
import { assert, describe } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import * as Client from "../../src/adapters/postgres/connection/Client.ts"
import { Notifications } from "../../src/adapters/postgres/connection/Notifications.ts"
import * as DeliverySignalLayer from "../../src/adapters/postgres/outbox/DeliverySignal.ts"
import { EventHint } from "../../src/adapters/postgres/outbox/EventHint.ts"
import * as Ports from "../../src/ports.ts"
import { answerOf, at, donorOf, newOrganisation, scopeOf } from "../../src/testing/conformance/Records.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { makeProxy, type ProxyMode } from "../support/Proxy.ts"
import { live } from "../support/Steps.ts"
import { storesOn, writeDonor } from "./PostgresStores.ts"

/** Bounds that a test can wait for. */
const brief: Partial<Client.Bounds> = {
  statementMillis: 600,
  lockMillis: 300,
  answerMillis: 200,
  connectMillis: 600,
  waitMillis: 1_000
}

const quick = { request_bounds: brief, background_bounds: brief }

/** A database behind a proxy, and the stores on it. */
const behindProxy = Effect.gen(function* () {
  const url = Redacted.value(yield* freshUrl)
  const proxy = yield* makeProxy(Number(new URL(url).port))
  const client = Client.layerServer({ url: Redacted.make(proxy.through(url)), max_connections: 9, ...quick })
  const stores = yield* Layer.build(storesOn(Layer.orDie(client)))
  const direct = yield* Layer.build(Layer.orDie(Client.layerServer({ url: Redacted.make(url) })))
  return { proxy, stores, direct, url } as const
})

type Services = Layer.Success<ReturnType<typeof storesOn>>

const inBackground = Effect.provideService(Ports.Background, true)

const reading = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1`)

const keyed = Effect.gen(function* () {
  const { id } = yield* newOrganisation()
  const scope = yield* scopeOf(id)
  const store = yield* Ports.IdempotencyStore
  const transaction = yield* Ports.Transaction
  yield* transaction.run(
    Effect.gen(function* () {
      yield* store.reserve(scope, ["a"], at(0))
      yield* store.keep(scope, "a", answerOf(new Uint8Array([1])), { secret: false, now: at(0) })
    })
  )
})

const looking = Effect.flatMap(Ports.DeliveryStore, ({ untilDue }) => untilDue)

const claiming = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    WITH held AS MATERIALIZED (
      SELECT m.organisation_id, m.id FROM /* every organisation */ mails AS m LIMIT 1 FOR UPDATE SKIP LOCKED)
    UPDATE mails AS m SET lease_id = 'x' FROM held AS h WHERE m.organisation_id = h.organisation_id AND m.id = h.id`
)

const locking = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const transaction = yield* Ports.Transaction
  yield* transaction.run(Effect.orDie(sql`SELECT pg_advisory_xact_lock(1)`))
})

const telling = Effect.flatMap(PgClient.PgClient, (client) => client.notify("somebody", "x"))

/** Every way in which the service uses its database. */
const uses: ReadonlyArray<readonly [name: string, use: Effect.Effect<unknown, SqlError.SqlError, Services>]> = [
  ["a read", reading],
  ["a change", writeDonor],
  ["a keyed change", keyed],
  ["a worker's look", inBackground(looking)],
  ["a worker's claim", inBackground(claiming)],
  ["a worker's change", inBackground(writeDonor)],
  ["an advisory lock", locking],
  ["a notification", telling]
]

const isLost = (exit: Exit.Exit<unknown, unknown>): boolean => {
  if (Exit.isSuccess(exit)) return false
  const failure = Cause.squash(exit.cause)
  return SqlError.isSqlError(failure) && failure.reason._tag === "ConnectionError"
}

/** A use that never ends fails the test by its own message. */
const ended = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.exit(effect).pipe(Effect.timeoutOrElse({ duration: "15 seconds", orElse: () => Effect.die("it hangs") }))

/** Until it works again, with no hand at it. */
const recovers = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    while (Exit.isFailure(yield* ended(effect))) yield* Effect.sleep("50 millis")
  }).pipe(Effect.timeoutOrElse({ duration: "20 seconds", orElse: () => Effect.die("it does not recover") }))

const faults: ReadonlyArray<ProxyMode["_tag"]> = ["Silent", "Deaf", "Reset"]

describe("a way to the server that breaks", () => {
  for (const fault of faults) {
    live(`${fault}: whatever is under way ends with a lost connection, and works again by itself`, function* () {
      const { proxy, stores } = yield* behindProxy
      for (const [name, use] of uses) {
        const run = Effect.provideContext(use, stores)
        yield* run
        proxy.set(fault)
        assert.isTrue(isLost(yield* ended(run)), `${name}: it is told as lost`)
        assert.isTrue(isLost(yield* ended(run)), `${name}: so is the next one`)
        proxy.set("Pass")
        yield* recovers(run)
      }
    })
  }

  live("Slow: nothing is taken for lost that answers in time", function* () {
    const { proxy, stores } = yield* behindProxy
    proxy.set({ _tag: "Slow", millis: 20 })
    for (const [, use] of uses) yield* Effect.provideContext(use, stores)
  })

  live("in the middle of a transaction: it writes nothing, and the next one has another connection", function* () {
    const { direct, proxy, stores } = yield* behindProxy
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`CREATE TABLE halves (n int)`
      const transaction = yield* Ports.Transaction
      const half = transaction.run(
        Effect.gen(function* () {
          yield* sql`INSERT INTO halves VALUES (1)`
          proxy.set("Silent")
          yield* sql`INSERT INTO halves VALUES (2)`
        })
      )
      assert.isTrue(isLost(yield* ended(half)))
      proxy.set("Pass")
      yield* recovers(transaction.run(Effect.orDie(sql`INSERT INTO halves VALUES (3)`)))
    }).pipe(Effect.provideContext(stores))
    const rows = Effect.provideContext(
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT n FROM halves`),
      direct
    )
    assert.deepStrictEqual(yield* rows, [{ n: 3 }])
  })

  live(
    "at a COMMIT that the server got: nothing says that it was not made, and the key knows the answer",
    function* () {
      const { proxy, stores } = yield* behindProxy
      yield* Effect.gen(function* () {
        const { id } = yield* newOrganisation()
        const scope = yield* scopeOf(id)
        const donors = yield* Ports.DonorStore
        const store = yield* Ports.IdempotencyStore
        const transaction = yield* Ports.Transaction
        const donor = yield* donorOf(id)
        const answer = answerOf(new Uint8Array([7]))
        let effects = 0
        const request = transaction.run(
          Effect.gen(function* () {
            const reservation = yield* store.reserve(scope, ["a"], at(0))
            if (reservation._tag !== "Run") return reservation
            yield* donors.insert(donor)
            yield* store.keep(scope, "a", answer, { secret: false, now: at(0) })
            effects += 1
            proxy.set("Deaf")
            return reservation
          })
        )
        assert.isTrue(isLost(yield* ended(request)))
        proxy.set("Pass")
        // The server may not know yet that the first one is gone: then the key is in flight.
        let again = yield* Effect.exit(request)
        while (Exit.isFailure(again) || again.value._tag === "InFlight") {
          yield* Effect.sleep("50 millis")
          again = yield* Effect.exit(request)
        }
        assert.deepStrictEqual(again.value, { _tag: "Replay", answer })
        assert.strictEqual(effects, 1)
      }).pipe(Effect.provideContext(stores))
    }
  )

  live("a statement that is interrupted on a silent connection does not hold up its interrupter", function* () {
    const { proxy, stores } = yield* behindProxy
    yield* Effect.gen(function* () {
      const transaction = yield* Ports.Transaction
      const sql = yield* SqlClient.SqlClient
      yield* sql`SELECT 1`
      proxy.set("Silent")
      const hanging = yield* Effect.forkChild(transaction.run(Effect.orDie(sql`SELECT 1`)))
      yield* Effect.sleep("50 millis")
      yield* ended(Fiber.interrupt(hanging))
      proxy.set("Pass")
      yield* recovers(sql`SELECT 1`)
    }).pipe(Effect.provideContext(stores))
  })

  live("a listener that was cut off without a word listens again", function* () {
    const url = Redacted.value(yield* freshUrl)
    const proxy = yield* makeProxy(Number(new URL(url).port))
    const signalAt = (address: string) =>
      Effect.map(
        Layer.build(
          Layer.fresh(
            Layer.provide(
              DeliverySignalLayer.layer.pipe(
                Layer.provide(EventHint.layer),
                Layer.provide(Notifications.layerWith({ every: "200 millis", within: "400 millis" }))
              ),
              Layer.orDie(Client.layerServer({ url: Redacted.make(address), ...quick }))
            )
          )
        ),
        (context) => Effect.provideContext(Ports.DeliverySignal, context)
      )
    const here = yield* yield* signalAt(proxy.through(url))
    const there = yield* yield* signalAt(url)
    const heard = Effect.gen(function* () {
      const waiting = yield* Effect.forkChild(here.wait)
      while (waiting.pollUnsafe() === undefined) {
        yield* there.raise
        yield* Effect.sleep("60 millis")
      }
    })
    yield* ended(heard)
    proxy.set("Silent")
    yield* Effect.sleep("1500 millis")
    proxy.set("Pass")
    // The new listener itself raised a hint, which is taken first; then it hears the other process.
    yield* recovers(Effect.andThen(here.wait, heard))
    yield* ended(heard)
  })
})
