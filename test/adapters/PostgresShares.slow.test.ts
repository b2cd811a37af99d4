import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Logger, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import pg from "pg"
import { allowanceOf } from "../../src/adapters/postgres/connection/Allowance.ts"
import * as Client from "../../src/adapters/postgres/connection/Client.ts"
import { divide } from "../../src/adapters/postgres/connection/Client.ts"
import * as Migrations from "../../src/adapters/postgres/migrations/Migrations.ts"
import * as PostgresStores from "../../src/adapters/postgres/Stores.ts"
import { Almoner } from "../../src/facade/Almoner.ts"
import { postgres } from "../../src/facade/Postgres.ts"
import { Background, DonorStore, Transaction } from "../../src/ports.ts"
import { donorOf, newOrganisation } from "../../src/testing/conformance/Records.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { forEvery } from "../support/Property.ts"
import { startService } from "../support/Service.ts"
import { live } from "../support/Steps.ts"
import { makeTenants } from "../support/Tenant.ts"
import { storesOn } from "./PostgresStores.ts"

/** A session beside the service's, until the scope closes. */
const outsider = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new pg.Client({ connectionString: url })
      client.on("error", () => {})
      await client.connect()
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )

const ask = (client: pg.Client, text: string, values: Array<unknown> = []) =>
  Effect.promise(async () => (await client.query(text, values)).rows)

describe("a record that somebody holds", () => {
  live("is waited for briefly, costs its organisation its share, and no other organisation anything", function* () {
    const url = Redacted.value(yield* freshUrl)
    const request_bounds = { lockMillis: 4_000, waitMillis: 4_000 }
    const client = Client.layerServer({ url: Redacted.make(url), max_connections: 8, request_bounds })
    const stores = PostgresStores.layer.pipe(
      Layer.provide(Layer.orDie(Migrations.layer)),
      Layer.provide(Layer.orDie(client))
    )
    const service = yield* Effect.acquireRelease(
      Effect.promise(() => startService({ stores })),
      (running) => Effect.promise(() => running.stop())
    )
    const { live: held } = yield* Effect.promise(() => makeTenants(service))
    const { live: other } = yield* Effect.promise(() => makeTenants(service))
    const made = (tenant: typeof held) =>
      Effect.promise(() => tenant.writer.post("/donors", { first_name: "Mary", email: "mary@example.org" }))
    const donor = (yield* made(held)).textAt("id")
    const free = (yield* made(other)).textAt("id")
    const change = (tenant: typeof held, id: string, n: number) =>
      tenant.writer.patch(`/donors/${id}`, { occupation: `changed ${n}` }, { "idempotency-key": `change ${id} ${n}` })

    const somebody = yield* outsider(url)
    yield* ask(somebody, "BEGIN")
    yield* ask(somebody, "SELECT id FROM donors WHERE id = $1 FOR UPDATE", [donor])

    let refused = 0
    const hot = Array.from({ length: 15 }, (_, n) =>
      change(held, donor, n).then((answer) => {
        refused += 1
        return answer
      })
    )
    // Until the first of them are at the lock.
    const watcher = yield* outsider(url)
    const atLock = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    while ((yield* ask(watcher, atLock)).length === 0) yield* Effect.sleep("10 millis")

    const answers = yield* Effect.promise(() =>
      Promise.all([
        ...Array.from({ length: 6 }, (_, n) => change(other, free, n)),
        other.reader.get("/donors?limit=1"),
        held.reader.get(`/donors/${donor}`)
      ])
    )
    assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [200])
    assert.isBelow(refused, 15, "the others did not wait for the record to come free")

    for (const answer of yield* Effect.promise(() => Promise.all(hot))) {
      assert.strictEqual(answer.status, 409, answer.text)
      assert.include(answer.text, "conflict")
      assert.include(answer.text, "try again")
    }
    yield* ask(somebody, "ROLLBACK")
    const events = "SELECT count(*)::int AS count FROM events WHERE type = 'donor.updated' AND organisation_id = $1"
    assert.deepStrictEqual(yield* ask(watcher, events, [held.organisation.id]), [{ count: 0 }])
    // The keys are free.
    const again = yield* Effect.promise(() => change(held, donor, 3))
    assert.strictEqual(again.status, 200, again.text)
    assert.isFalse(again.headers.has("idempotent-replayed"))
  })
})

describe("a record that somebody holds, to a host", () => {
  live("is told as something to try again", function* () {
    const url = Redacted.value(yield* freshUrl)
    const keys = `test:${Buffer.alloc(32, 7).toString("base64")}`
    const almoner = yield* Effect.acquireRelease(
      Effect.promise(() => Almoner.open({ backend: postgres({ url }), keys })),
      (open) => Effect.promise(() => open.close())
    )
    const charity = { slug: "riverside", name: "Riverside", timezone: "Australia/Sydney", default_currency: "AUD" }
    const donor = yield* Effect.promise(async () => {
      await almoner.organisations.create(charity)
      const caller = await almoner.caller({ organisation: "riverside", user: "ada", scope: "WRITE" })
      const { id } = await almoner.donors.create(caller, { first_name: "Mary" })
      return { caller, id }
    })
    const somebody = yield* outsider(url)
    yield* ask(somebody, "BEGIN")
    yield* ask(somebody, "SELECT id FROM donors WHERE id = $1 FOR UPDATE", [donor.id])
    const change = () => almoner.donors.update(donor.caller, donor.id, { occupation: "Nurse" }).outcome()
    const refused = yield* Effect.promise(change)
    assert.isFalse(refused.ok)
    if (!refused.ok) {
      assert.deepInclude(refused.failure, { _tag: "AlmonerUnavailable", reason: "retry" })
      assert.include(String(Object(refused.failure).message), "try again")
    }
    yield* ask(somebody, "ROLLBACK")
    assert.isTrue((yield* Effect.promise(change)).ok)
  })
})

/** The address of a database whose owner may have so many connections. */
const limitedRole = Effect.fnUntraced(function* (limit: number) {
  const url = new URL(Redacted.value(yield* freshUrl))
  const administrator = yield* outsider(url.href)
  const role = `limited_${url.pathname.slice(1)}`
  yield* Effect.acquireRelease(ask(administrator, `CREATE ROLE ${role} LOGIN CONNECTION LIMIT ${limit}`), () =>
    ask(administrator, `DROP OWNED BY ${role}; DROP ROLE ${role}`)
  )
  yield* ask(administrator, `GRANT ALL ON SCHEMA public TO ${role}`)
  url.username = role
  const count = Effect.map(
    ask(administrator, "SELECT count(*)::int AS count FROM pg_stat_activity WHERE usename = $1", [role]),
    ([row]) => row.count
  )
  return { url: url.href, count } as const
})

const write = Effect.gen(function* () {
  const { id } = yield* newOrganisation()
  const donors = yield* DonorStore
  yield* (yield* Transaction).run(Effect.flatMap(donorOf(id), donors.insert))
})

const read = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT pg_sleep(0.01)`)

const both = Effect.all([Effect.orDie(read), write], { concurrency: "unbounded" })

const busy = Effect.all(
  Array.from({ length: 20 }, (_, n) => Effect.provideService(both, Background, n % 2 === 0)),
  { concurrency: "unbounded" }
)

describe("a role with fewer connections than are asked for", () => {
  for (const limit of [1, 2, 3]) {
    live(`${limit}: it is told at the start in one line, and lived with`, function* () {
      const { count, url } = yield* limitedRole(limit)
      const lines: Array<string> = []
      const logger = Logger.make<unknown, void>(({ message }) => {
        lines.push(Array.isArray(message) ? message.join(" ") : String(message))
      })
      const client = Layer.orDie(Client.layerServer({ url: Redacted.make(url), max_connections: 10 }))
      const stores = yield* Layer.build(Layer.provide(storesOn(client), Logger.layer([logger])))
      for (let round = 0; round < 3; round++) {
        yield* Effect.provideContext(busy, stores)
        assert.isAtMost(yield* count, limit)
      }
      assert.lengthOf(lines, 1)
      assert.match(
        lines[0] ?? "",
        new RegExp(`^10 connections to the database .* CONNECTION LIMIT of the role limited_test_\\w+ allows ${limit}`)
      )
    })
  }

  live("that others use up later: what there is goes on, and more are opened when they can be had", function* () {
    const { count, url } = yield* limitedRole(8)
    const client = Layer.orDie(Client.layerServer({ url: Redacted.make(url), max_connections: 8 }))
    const stores = yield* Layer.build(storesOn(client))
    yield* Effect.scoped(
      Effect.gen(function* () {
        while ((yield* count) < 8) yield* outsider(url)
        const exit = yield* Effect.exit(Effect.provideContext(busy, stores))
        assert.isTrue(Exit.isSuccess(exit), String(exit))
      })
    )
    yield* Effect.provideContext(busy, stores)
  })

  live("of which none is left when it starts: the start says so", function* () {
    const { url } = yield* limitedRole(1)
    yield* outsider(url)
    const failure = yield* Layer.build(Client.layerServer({ url: Redacted.make(url), start_wait: 0 })).pipe(
      Effect.scoped,
      Effect.flip
    )
    assert.include(failure.message, "it has no connections left")
  })
})

describe("connections", () => {
  it("are shared out whole, and requests always have one", () =>
    forEvery(fc.integer({ min: 1, max: 1_000 }), (all) => {
      const { background, listens, requests } = divide(all)
      assert.strictEqual(requests + background, all)
      assert.isAtLeast(requests, 1)
      assert.isAtLeast(requests, background)
      // A listener leaves one to the others.
      if (listens) assert.isAtLeast(background, 2)
      assert.isTrue(all < 2 || background > 0)
    }))

  it("are as many as the tightest of the server's limits allows; a superuser has only the server's", () => {
    const row = { role: "r", database: "d", is_superuser: false, role_limit: -1, database_limit: -1, server_limit: 97 }
    assert.strictEqual(allowanceOf(row).connections, 97)
    assert.strictEqual(allowanceOf({ ...row, role_limit: 5, database_limit: 7 }).connections, 5)
    assert.strictEqual(allowanceOf({ ...row, role_limit: 9, database_limit: 7 }).connections, 7)
    assert.strictEqual(allowanceOf({ ...row, is_superuser: true, role_limit: 5 }).connections, 97)
  })
})
