import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Client from "../../src/adapters/postgres/connection/Client.ts"
import { troubleOfCause } from "../../src/ports/kernel/DatabaseTrouble.ts"
import { administer } from "../support/FreshDatabase.ts"
import { postgresServer } from "../support/PostgresServer.ts"
import { makeProxy } from "../support/Proxy.ts"
import { live } from "../support/Steps.ts"
import { storesOn, writeDonor } from "./PostgresStores.ts"

const isStandby = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly it: boolean }>`SELECT pg_is_in_recovery() AS it`
  return row?.it
})

/** A server with a standby, and the stores on the address that leads to the server. */
const pair = Effect.gen(function* () {
  const primary = yield* postgresServer({})
  const proxy = yield* makeProxy(primary.port)
  const client = Client.layerServer({ url: Redacted.make(proxy.through(primary.url)), max_connections: 9 })
  const stores = yield* Layer.build(storesOn(Layer.orDie(client)))
  const standby = yield* postgresServer({ follows: primary })
  return { primary, proxy, standby, stores } as const
})

const isReadOnly = (exit: Exit.Exit<unknown, unknown>): boolean =>
  Exit.isFailure(exit) && troubleOfCause(exit.cause)?.code === "25006"

/** Within five seconds. */
const until = <E, R>(what: string, done: Effect.Effect<boolean | undefined, E, R>) =>
  Effect.gen(function* () {
    while ((yield* done) !== true) yield* Effect.sleep("50 millis")
  }).pipe(Effect.timeoutOrElse({ duration: "5 seconds", orElse: () => Effect.die(`not in time: ${what}`) }))

const writes = Effect.map(Effect.exit(writeDonor), Exit.isSuccess)

describe("a failover", () => {
  live("is followed by an address of several hosts, which passes over one that takes no writes", function* () {
    const primary = yield* postgresServer({})
    const standby = yield* postgresServer({ follows: primary })
    const nobody = yield* postgresServer({})
    yield* Effect.promise(() => nobody.stop())
    const hosts = [nobody, standby, primary].map(({ port }) => `127.0.0.1:${port}`).join(",")
    const asked = (parameters: string) =>
      Effect.provide(
        isStandby,
        Client.layerServer({ url: Redacted.make(`postgres://postgres@${hosts}/postgres${parameters}`) })
      )
    assert.isTrue(yield* asked(""))
    assert.isFalse(yield* asked("?target_session_attrs=read-write"))
    assert.isFalse(yield* asked("?target_session_attrs=primary"))
  })

  live("to a standby that is promoted: writes go on by themselves", function* () {
    const { primary, proxy, standby, stores } = yield* pair
    yield* Effect.gen(function* () {
      yield* writeDonor
      proxy.lead(standby.port)
      yield* Effect.promise(() => primary.stop())
      yield* until(
        "the standby is reached",
        Effect.map(Effect.exit(isStandby), (exit) => Exit.isSuccess(exit) && exit.value)
      )
      assert.isTrue(isReadOnly(yield* Effect.exit(writeDonor)), "it takes no writes")
      yield* Effect.promise(() => administer("SELECT pg_promote()", standby.url))
      yield* until("writes", writes)
    }).pipe(Effect.provideContext(stores))
  })

  live("that leaves connections to a server which became read-only: all go to the one that takes writes", function* () {
    const { primary, proxy, standby, stores } = yield* pair
    yield* Effect.gen(function* () {
      proxy.lead(standby.port)
      proxy.set("Reset")
      proxy.set("Pass")
      const reads = Effect.all(
        Array.from({ length: 40 }, () => isStandby),
        { concurrency: "unbounded" }
      )
      yield* until(
        "the standby is reached",
        Effect.map(Effect.exit(isStandby), (exit) => Exit.isSuccess(exit) && exit.value)
      )
      yield* reads
      proxy.lead(primary.port)
      assert.isTrue(yield* isStandby, "what is open stays")
      assert.isTrue(isReadOnly(yield* Effect.exit(writeDonor)), "it takes no writes")
      yield* until("writes", writes)
      assert.deepStrictEqual(new Set(yield* reads), new Set([false]), "nor does anybody read there")
    }).pipe(Effect.provideContext(stores))
  })
})
