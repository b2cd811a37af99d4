import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type pg from "pg"
import { Almoner, AlmonerUnavailable, type Caller } from "../../src/index.ts"
import { type HostClient, postgres } from "../../src/postgres.ts"
import { administer, freshUrl } from "../support/FreshDatabase.ts"
import { hostPool } from "../support/HostPool.ts"
import { callerIn, failureOf, keys } from "./Charity.ts"

interface Lent {
  readonly url: string
  readonly pool: pg.Pool
  /** Another program's pool on the same database. */
  readonly others: pg.Pool
  readonly almoner: Almoner<HostClient>
  readonly caller: Caller
}

/** Runs with a host whose pool has some options. */
const withPool = (options: pg.PoolConfig, body: (lent: Lent) => Promise<void>): Effect.Effect<void> =>
  Effect.gen(function* () {
    const url = yield* freshUrl
    const pool = yield* hostPool(url, options)
    const others = yield* hostPool(url)
    yield* Effect.promise(async () => {
      await others.query("CREATE TABLE pledges (name text)")
      await using almoner = await Almoner.open({ backend: postgres({ pool }), keys, logger: () => {} })
      await body({ url: Redacted.value(url), pool, others, almoner, caller: await callerIn(almoner) })
    })
  }).pipe(Effect.scoped)

/** Holds something in another program's transaction while the body runs. */
const whileHeld = async ({ others }: Lent, statement: string, body: () => Promise<void>): Promise<void> => {
  const other = await others.connect()
  try {
    await other.query("BEGIN")
    await other.query(statement)
    await body()
  } finally {
    await other.query("ROLLBACK")
    other.release()
  }
}

const reasonOf = (failure: object): unknown => (failure instanceof AlmonerUnavailable ? failure.reason : failure)

const namesIn = async (pool: pg.Pool): Promise<ReadonlyArray<unknown>> =>
  (await pool.query("SELECT name FROM pledges")).rows.map(({ name }) => name)

const later = (millis: number) => new Promise((resolve) => setTimeout(resolve, millis))

describe("a session of a host's pool", () => {
  it.live("whose statement the driver gave up is lent to nobody: what the host writes is committed", () =>
    withPool({ max: 2, query_timeout: 150 }, async (lent) => {
      const { almoner, caller, others, pool } = lent
      const { id } = await almoner.donors.create(caller, { first_name: "Mary" })
      await whileHeld(lent, "SELECT FROM donors FOR UPDATE", async () => {
        const failure = await failureOf(almoner.donors.update(caller, id, { last_name: "Okafor" }))
        assert.strictEqual(reasonOf(failure), "away")
      })
      const given = ["one", "two", "three", "four"]
      await Promise.all(given.map((name) => pool.query("INSERT INTO pledges VALUES ($1)", [name])))
      assert.sameMembers([...(await namesIn(others))], given)
      const { last_name } = await almoner.donors.update(caller, id, { last_name: "Ng" })
      assert.strictEqual(last_name, "Ng")
    })
  )

  it.live("goes on being lent after a refusal of the server's, which it answered", () =>
    withPool({ max: 1, statement_timeout: 150 }, async (lent) => {
      const { almoner, caller, pool } = lent
      const { id } = await almoner.donors.create(caller, { first_name: "Mary" })
      const pidOf = async () => (await pool.query("SELECT pg_backend_pid() AS pid")).rows[0].pid
      const before = await pidOf()
      await whileHeld(lent, "SELECT FROM donors FOR UPDATE", async () => {
        await failureOf(almoner.donors.update(caller, id, { last_name: "Okafor" }))
      })
      assert.strictEqual(await pidOf(), before)
    })
  )

  it.live("comes back from lists that were aborted while the pool had no other", () =>
    withPool({ max: 2 }, async (lent) => {
      const { almoner, caller } = lent
      const { signal, abort } = (() => {
        const controller = new AbortController()
        return { signal: controller.signal, abort: () => controller.abort() }
      })()
      const listed: Array<Promise<object>> = []
      await whileHeld(lent, "LOCK TABLE donors IN ACCESS EXCLUSIVE MODE", async () => {
        for (let n = 0; n < 2; n++) listed.push(failureOf(almoner.donors.list(caller, {}, { signal })))
        await later(100)
        abort()
        await later(100)
      })
      assert.deepStrictEqual((await Promise.all(listed)).map(reasonOf), ["aborted", "aborted"])
      assert.deepStrictEqual((await almoner.donors.list(caller)).data, [])
    })
  )
})

describe("a client that is given to within", () => {
  it.live("cannot commit once it did not answer what undoes a call that failed", () =>
    withPool({ max: 2, query_timeout: 150 }, async (lent) => {
      const { almoner, caller, others, pool } = lent
      const client = await pool.connect()
      client.on("error", () => {})
      await client.query("BEGIN")
      await client.query("INSERT INTO pledges VALUES ('Mary')")
      // The donor's row is written before its event has to wait.
      await whileHeld(lent, "LOCK TABLE events IN ACCESS EXCLUSIVE MODE", async () => {
        const failure = await failureOf(almoner.within(client).donors.create(caller, { first_name: "Mary" }))
        assert.strictEqual(reasonOf(failure), "away")
      })
      const ended = await client.query("COMMIT").then(
        () => "committed",
        () => "refused"
      )
      client.release()
      assert.strictEqual(ended, "refused")
      assert.deepStrictEqual(await namesIn(others), [])
      assert.deepStrictEqual((await almoner.donors.list(caller)).data, [])
    })
  )
})

describe("a database whose sessions have another isolation", () => {
  for (const isolation of ["repeatable read", "serializable"]) {
    it.live(`is opened by several at once, and used as any other: ${isolation}`, () =>
      Effect.gen(function* () {
        const url = yield* freshUrl
        const address = Redacted.value(url)
        yield* Effect.promise(() =>
          administer(
            `ALTER DATABASE ${new URL(address).pathname.slice(1)} SET default_transaction_isolation = '${isolation}'`
          )
        )
        const pool = yield* hostPool(url)
        yield* Effect.promise(async () => {
          const backends = [postgres({ url: address }), postgres({ pool }), postgres({ url: address })]
          const opened = await Promise.all(backends.map((backend) => Almoner.open({ backend, keys })))
          const seen: Array<unknown> = []
          try {
            const [first] = opened
            if (first === undefined) return
            await first.donors.create(await callerIn(first), { first_name: "Mary" })
            for (const [n, almoner] of opened.entries()) {
              await almoner.events.subscribe(
                { name: `consumer-${n}`, from: "beginning", transactional: true },
                async (_, { client }) => {
                  const { rows } = await client.query("SELECT current_setting('transaction_isolation') AS isolation")
                  seen.push(rows[0]?.["isolation"])
                }
              )
              assert.isAbove(await almoner.consume(), 0)
            }
          } finally {
            for (const almoner of opened) await almoner.close()
          }
          assert.deepStrictEqual(new Set(seen), new Set(["read committed"]))
        })
      }).pipe(Effect.scoped)
    )
  }
})

describe("a database that is opened with migrate: false", () => {
  for (const schema of [undefined, "almoner"]) {
    it.live(`must have exactly the tables of this version: ${schema ?? "by the search_path"}`, () =>
      Effect.gen(function* () {
        const url = yield* freshUrl
        const pool = yield* hostPool(url)
        yield* Effect.promise(async () => {
          const open = async (migrate: boolean): Promise<string> => {
            try {
              const backend = postgres({ url: Redacted.value(url), migrate, schema })
              await (await Almoner.open({ backend, keys })).close()
              return "opened"
            } catch (error) {
              return error instanceof Error ? error.message : "no error"
            }
          }
          assert.match(
            await open(false),
            /^The database has no tables of Almoner\. Open it once without migrate: false/
          )
          assert.strictEqual(await open(true), "opened")
          assert.strictEqual(await open(false), "opened")
          const table = `${schema === undefined ? "" : `${schema}.`}almoner_migrations`
          await pool.query(`DELETE FROM ${table} WHERE migration_id >= 60`)
          assert.match(await open(false), /^The database has migration 59, and this version of Almoner needs \d+\. /)
          await pool.query(`INSERT INTO ${table} (migration_id, name) VALUES (9999, 'later')`)
          assert.match(await open(false), /^The database has migration 9999, .* Use the newer version\.$/)
        })
      }).pipe(Effect.scoped)
    )
  }
})

describe("processes that are restarted one after the other with a new encryption key", () => {
  it.live("give a keyed call no second effect, and no advice to take another key", () =>
    Effect.gen(function* () {
      const backend = postgres({ url: Redacted.value(yield* freshUrl) })
      const next = `next:${Buffer.alloc(32, 8).toString("base64")}`
      yield* Effect.promise(async () => {
        await using old = await Almoner.open({ backend, keys })
        await using renewed = await Almoner.open({ backend, keys: `${next},${keys}` })
        await using prepared = await Almoner.open({ backend, keys: `${keys},${next}` })
        const caller = await callerIn(old)
        const add = (almoner: Almoner<HostClient>) =>
          almoner.keyed("order 7").donors.create(caller, { first_name: "Mary" })
        const { id } = await add(renewed)
        assert.deepInclude(await failureOf(add(old)), { _tag: "IdempotencyConflict", reason: "in_flight" })
        assert.strictEqual((await add(prepared)).id, id)
        assert.lengthOf((await old.donors.list(caller)).data, 1)
      })
    }).pipe(Effect.scoped)
  )
})
