import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type pg from "pg"
import { Almoner, type Caller } from "../../src/index.ts"
import { type HostClient, postgres } from "../../src/postgres.ts"
import { root } from "../architecture/Checkout.ts"
import { callerIn, keys } from "../facade/Charity.ts"
import { freshPool } from "../support/HostPool.ts"
import { nodeFlags } from "../support/NodeFlags.ts"
import { rounds } from "../support/Rounds.ts"
import { bundleModule } from "./Program.ts"

const entry = (name: string): string => JSON.stringify(join(root, "dist", name))

/**
 * A host that handles what is due and ends. It kills itself with SIGKILL before the statement of that number is sent, or,
 * with the number negative, as soon as it is: then nobody knows what it did. Statements are those of Almoner's pool and of the host's own.
 */
const host = `
import pg from "pg"
import { Almoner } from ${entry("index.js")}
import { postgres } from ${entry("postgres.js")}
const { URL_OF_DATABASE: connectionString, KILL_AT, KEYS: keys } = process.env
const killAt = Number(KILL_AT)
let counts = false
let count = 0
const die = () => process.kill(process.pid, "SIGKILL")
class Client extends pg.Client {
  query(...args) {
    if (!counts) return super.query(...args)
    const n = ++count
    if (n === killAt) { die(); return new Promise(() => {}) }
    const asked = super.query(...args)
    if (n === -killAt) setImmediate(die)
    return asked
  }
}
const pool = new pg.Pool({ connectionString, Client, max: 8 })
const own = new pg.Pool({ connectionString, Client, max: 1 })
const almoner = await Almoner.open({ backend: postgres({ pool, migrate: false }), keys, logger: () => {} })
await almoner.events.subscribe({ name: "each", types: ["donor.created"], inFlight: 1 }, async ({ id }) => {
  await own.query("INSERT INTO seen VALUES ('each', $1)", [id])
})
await almoner.events.subscribe(
  { name: "once", types: ["donor.created"], inFlight: 1, transactional: true },
  async ({ id }, { client }) => {
    await client.query("INSERT INTO seen VALUES ('once', $1)", [id])
  }
)
counts = true
await almoner.consume()
counts = false
await almoner.close()
await Promise.all([pool.end(), own.end()])
console.log(count)
`

interface Ended {
  readonly signal: string | null
  readonly output: string
}

const runHost = async (url: string, killAt: number): Promise<Ended> => {
  const program = await bundleModule("host-of-consumers", { stdin: { contents: host, resolveDir: root } })
  const child = spawn(process.execPath, [...nodeFlags, program], {
    cwd: root,
    env: { ...process.env, URL_OF_DATABASE: url, KILL_AT: `${killAt}`, KEYS: keys },
    stdio: ["ignore", "pipe", "pipe"]
  })
  let output = ""
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString()
  })
  child.stderr.on("data", (chunk: Buffer) => {
    output += chunk.toString()
  })
  const [code, signal] = await once(child, "close")
  assert.isTrue(code === 0 || signal === "SIGKILL", output)
  return { signal, output }
}

/** The leases of the dead run out, and what an operator would have tried anew is. */
const passTime = async (pool: pg.Pool, almoner: Almoner<HostClient>): Promise<void> => {
  await pool.query("UPDATE consumed_events SET lease_until = to_timestamp(0) WHERE lease_id IS NOT NULL")
  await pool.query("UPDATE consumed_events SET next_attempt_at = now() WHERE next_attempt_at > now()")
  for (const { name } of await almoner.eventConsumers.list()) {
    const { events } = await almoner.eventConsumers.read(name)
    for (const { event_id, status } of events) {
      if (status === "PARKED") await almoner.eventConsumers.retry(name, event_id)
    }
  }
}

const seenBy = async (pool: pg.Pool, consumer: string): Promise<ReadonlyArray<string>> =>
  (await pool.query<{ id: string }>("SELECT id FROM seen WHERE consumer = $1 ORDER BY id", [consumer])).rows.map(
    ({ id }) => id
  )

const opened = Effect.gen(function* () {
  const { pool, url } = yield* freshPool
  const almoner = yield* Effect.acquireRelease(
    Effect.promise(() => Almoner.open({ backend: postgres({ pool }), keys, logger: () => undefined })),
    (open) => Effect.promise(() => open.close())
  )
  const caller = yield* Effect.promise(async (): Promise<Caller> => {
    await pool.query("CREATE TABLE seen (consumer text, id text)")
    return callerIn(almoner)
  })
  return { pool, url: Redacted.value(url), almoner, caller }
})

describe("a host that handles events", () => {
  it.live(
    "misses none, and in a transaction repeats none, whichever statement it is killed at",
    () =>
      Effect.scoped(
        Effect.flatMap(opened, ({ almoner, caller, pool, url }) =>
          Effect.promise(async () => {
            const never = async () => undefined
            for (const name of ["each", "once"]) {
              await almoner.events.subscribe({ name, types: ["donor.created"] }, never)
            }
            await almoner.donors.create(caller, { first_name: "Ada" })
            const measured = Number((await runHost(url, 0)).output)
            assert.isAbove(measured, 10)
            let kills = 0
            const tries = Array.from({ length: rounds * measured }, (_, index) => index)
            for (const index of tries) {
              await almoner.donors.create(caller, { first_name: `Ada ${index}` })
              const at = (index % measured) + 1
              const isBefore = (at + Math.floor(index / measured)) % 2 === 0
              const { signal } = await runHost(url, isBefore ? at : -at)
              if (signal !== null) kills += 1
              await passTime(pool, almoner)
            }
            for (let left = 1; left > 0; ) {
              await runHost(url, 0)
              await passTime(pool, almoner)
              left = (await almoner.eventConsumers.list()).reduce(
                (sum, { behind, parked, waiting }) => sum + behind + parked + waiting,
                0
              )
            }
            const { rows } = await pool.query<{ id: string }>(
              "SELECT id FROM events WHERE type = 'donor.created' ORDER BY id"
            )
            const all = rows.map(({ id }) => id)
            assert.lengthOf(all, tries.length + 1)
            assert.isAbove(kills, measured / 2)
            assert.deepStrictEqual(await seenBy(pool, "once"), all)
            const each = await seenBy(pool, "each")
            assert.deepStrictEqual([...new Set(each)], all)
            // Each kill repeats one event at most: one is under way at a time.
            assert.isAtMost(each.length, all.length + kills)
          })
        )
      ),
    600_000
  )
})
