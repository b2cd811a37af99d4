import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, type Scope } from "effect"
import pg from "pg"
import { Almoner } from "../../src/index.ts"
import { DeliverySignal } from "../../src/ports.ts"
import { type HostClient, postgres } from "../../src/postgres.ts"
import { fieldsOf } from "../support/Answer.ts"
import { freshPool } from "../support/HostPool.ts"
import { rowsOf } from "../support/TableRows.ts"
import { charity, keys } from "./Charity.ts"

const gift = { donation_type: "MONETARY", amount_cents: 5_000, donation_date: "2026-04-01" } as const

/** Two schemas of one database: one on connections of its own, one on the host's pool, whose tables are in `public`. */
const names = ["almoner", "Second-One"] as const

const make = Effect.gen(function* () {
  const { pool, url } = yield* freshPool
  // The host has tables with the names of ours, and a search path that finds them.
  yield* Effect.promise(() => pool.query("CREATE TABLE donors (name text); CREATE TABLE almoner_migrations (n int)"))
  const opened = (backend: ReturnType<typeof postgres>): Effect.Effect<Almoner<HostClient>, never, Scope.Scope> =>
    Effect.acquireRelease(
      Effect.promise(() => Almoner.open({ backend, keys })),
      (open) => Effect.promise(() => open.close())
    )
  const first = yield* opened(postgres({ url: Redacted.value(url), schema: names[0], maxConnections: 6 }))
  const second = yield* opened(postgres({ pool, schema: names[1] }))
  return { pool, url: Redacted.value(url), first, second }
})

type World = Effect.Success<typeof make>

const inWorld = (body: (world: World) => Promise<void>) =>
  Effect.scoped(Effect.flatMap(make, (world) => Effect.promise(() => body(world))))

/** Everything in the database that somebody made, by kind and schema. */
const made = async (pool: pg.Pool): Promise<ReadonlyArray<string>> => {
  const { rows } = await pool.query<{ what: string }>(`
    SELECT kind || ' ' || n.nspname || '.' || name AS what FROM (
      SELECT 'relation' AS kind, relnamespace AS space, relname AS name FROM pg_class
      UNION ALL SELECT 'type', typnamespace, typname FROM pg_type
      UNION ALL SELECT 'function', pronamespace, proname FROM pg_proc
      UNION ALL SELECT 'constraint', connamespace, conname FROM pg_constraint
    ) AS o JOIN pg_namespace AS n ON n.oid = o.space
    WHERE n.nspname NOT IN ('pg_catalog', 'pg_toast', 'information_schema') ORDER BY 1`)
  return rows.map(({ what }) => what)
}

/** Works with everything a little: keyed and grouped gifts, parts, events with deliveries, keys, segments, mails. */
const work = async (almoner: Almoner<HostClient>, name: string) => {
  const { live } = await almoner.organisations.create({ ...charity, name })
  const ada = await almoner.caller({ organisation: "riverside", user: "ada", scope: "WRITE" })
  await almoner.webhookEndpoints.create(ada, { url: "https://93.184.216.34/hook", event_types: ["donor.created"] })
  const donor = await almoner.donors.create(ada, { first_name: name, email: "mary@example.org" })
  const donation = await almoner.donations.create(ada, { ...gift, donor_id: donor.id })
  return { live, ada, donor, donation }
}

describe("a schema of its own", () => {
  it.live("holds everything that Almoner makes, beside a host's tables of the same names", () =>
    inWorld(async ({ first, pool, second }) => {
      for (const almoner of [first, second]) await work(almoner, "ours")
      const all = await made(pool)
      const inPublic = all.filter((what) => what.includes(" public."))
      const tables = ["donors", "_donors", "almoner_migrations", "_almoner_migrations"]
      assert.deepStrictEqual(
        inPublic.filter(
          (what) => !tables.some((table) => what === `relation public.${table}` || what === `type public.${table}`)
        ),
        []
      )
      const [ours, theirs] = names.map((schema) =>
        all.filter((what) => what.includes(` ${schema}.`)).map((what) => what.replace(` ${schema}.`, " "))
      )
      assert.isAbove(ours?.length ?? 0, 100)
      assert.deepStrictEqual(ours, theirs)
      assert.deepStrictEqual(await rowsOf(pool, "public"), ["public.almoner_migrations []", "public.donors []"])
    })
  )

  it.live("is not touched by what is done in the other one, nor by its end", () =>
    inWorld(async ({ first, pool, second }) => {
      const mine = await work(first, "first")
      const before = await rowsOf(pool, names[0])
      const theirs = await work(second, "second")
      assert.deepStrictEqual(await rowsOf(pool, names[0]), before)
      assert.strictEqual((await second.donors.read(theirs.ada, mine.donor.id).outcome()).ok, false)
      assert.lengthOf((await second.donations.list(theirs.ada)).data, 1)
      await second.close()
      await pool.query(`DROP SCHEMA "${names[1]}" CASCADE`)
      assert.deepStrictEqual(await rowsOf(pool, names[0]), before)
      await first.donations.create(mine.ada, { ...gift, donor_id: mine.donor.id })
      assert.lengthOf((await first.donations.list(mine.ada)).data, 2)
    })
  )

  it.live("is where work inside a host's transaction is written, and the host's search path stays", () =>
    inWorld(async ({ first, pool, second }) => {
      for (const almoner of [first, second]) {
        const { ada } = await work(almoner, "ours")
        const client = await pool.connect()
        await client.query("BEGIN")
        await client.query("INSERT INTO donors VALUES ('the host')")
        const inside = almoner.within(client)
        await inside.donors.create(ada, { first_name: "Inside" })
        assert.deepStrictEqual((await client.query("SHOW search_path")).rows, [{ search_path: '"$user", public' }])
        await client.query("INSERT INTO donors VALUES ('the host again')")
        await client.query("COMMIT")
        await inside.committed()
        client.release()
        assert.lengthOf((await almoner.donors.list(ada)).data, 2)
      }
      assert.strictEqual((await pool.query("SELECT FROM donors")).rowCount, 4)
    })
  )

  it.live("tells only its own processes of new deliveries", () =>
    inWorld(async ({ first, second, url }) => {
      const listener = new pg.Client({ connectionString: url })
      await listener.connect()
      const listening = async () => {
        const { rows } = await listener.query<{ channel: string }>(
          `SELECT DISTINCT replace(replace(query, 'LISTEN ', ''), '"', '') AS channel FROM pg_stat_activity
          WHERE datname = current_database() AND query LIKE 'LISTEN %' ORDER BY 1`
        )
        return rows
      }
      // Nobody listens before somebody waits.
      assert.lengthOf(await listening(), 0)
      for (const almoner of [first, second]) {
        await almoner.run(
          Effect.timeoutOption(
            DeliverySignal.use(({ wait }) => wait),
            "10 millis"
          )
        )
      }
      let rows = await listening()
      while (rows.length < names.length) rows = await listening()
      // Each schema's processes listen on a channel of their own, and nobody on that of sessions without a schema.
      assert.lengthOf(rows, 2)
      assert.notInclude(fieldsOf(rows, "channel"), "almoner_deliveries")
      const told: Array<string> = []
      const heard = (count: number) =>
        new Promise<void>((resolve) => {
          listener.on("notification", ({ channel, payload = "" }) => {
            if (payload.startsWith("beat ")) return
            told.push(channel)
            if (told.length === count) resolve()
          })
        })
      for (const { channel } of rows) await listener.query(`LISTEN "${channel}"`)
      const twice = heard(2)
      await work(first, "first")
      await work(second, "second")
      await twice
      assert.deepStrictEqual([...told].sort(), rows.map(({ channel }) => channel).sort())
      await listener.end()
    })
  )

  it("has a name that PostgreSQL keeps as it is", () => {
    const url = "postgres://localhost/x"
    for (const schema of [
      "",
      "1a",
      "a.b",
      'a"b',
      "a b",
      "pg_almoner",
      "PG_a",
      "information_schema",
      "é",
      "a".repeat(64)
    ]) {
      assert.throws(() => postgres({ url, schema }), RangeError, /schema .* cannot be used/)
    }
    for (const schema of ["a", "_", "Almoner", "a-b", "a".repeat(63)])
      assert.strictEqual(postgres({ url, schema }).name, "postgres")
  })

  it.live("needs no right to make schemas when it is there", () =>
    inWorld(async ({ pool, url }) => {
      const role = `helper_${Math.trunc(performance.now() * 1000)}`
      await pool.query(`CREATE ROLE ${role} LOGIN; CREATE SCHEMA given AUTHORIZATION ${role}`)
      const address = new URL(url)
      address.username = role
      const without = await Almoner.open({ backend: postgres({ url: address.href, schema: "elsewhere" }), keys }).then(
        () => "opened",
        () => "refused"
      )
      assert.strictEqual(without, "refused")
      const almoner = await Almoner.open({
        backend: postgres({ url: address.href, schema: "given", maxConnections: 2 }),
        keys
      })
      await work(almoner, "given")
      await almoner.close()
      await pool.query(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`)
    })
  )
})
