import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { folder } from "../support/Folder.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { rounds } from "../support/Rounds.ts"
import { commandsOf, demoKeys, freePort, giveMonthly, type RunningProcess, run, serve } from "./Almoner.ts"
import { type ApiAnswer, attempt, call, expireLeases, listAll, query } from "./Calls.ts"
import { makeInbox, verifyArrivals } from "./Inbox.ts"

const ALMONER_ENCRYPTION_KEYS = `e2e:${Buffer.alloc(32, 6).toString("base64")}`

/** How often the server is killed while time passes. */
const kills = rounds > 1 ? 6 * rounds : 2

/** Milliseconds within which it is killed after it was asked: a year takes several seconds. */
const killedWithin = 2_500

const year = 365 * 86_400_000

const told = ["subscription.created", "donation.created", "donation.succeeded", "subscription.payment_failed"]

/** A server of a sandbox, which can be killed and started again. */
const installation = Effect.gen(function* () {
  const DATABASE_URL = Redacted.value(yield* freshUrl)
  const DATA_DIR = yield* folder
  const env = { DATABASE_URL, DEMO: "on", ALMONER_ENCRYPTION_KEYS, DATA_DIR, PORT: `${yield* freePort}` }
  let running: RunningProcess = yield* serve(env)
  const { base_url, sandbox } = yield* demoKeys(DATA_DIR)
  const key = sandbox.write_key
  const again = Effect.gen(function* () {
    running.kill("SIGKILL")
    yield* Effect.promise(() => running.ended)
    // What the killed one held would be another's after a minute.
    yield* expireLeases(DATABASE_URL)
    yield* query(DATABASE_URL, "UPDATE sandbox_clocks SET holder = NULL, held_until = NULL")
    running = yield* serve(env)
  })
  const json = commandsOf("demo-sandbox", env)
  const post = Effect.fnUntraced(function* (path: string, body: object) {
    const answer = yield* call(base_url, path, { key, body })
    assert.include([200, 201], answer.status, answer.text)
    return answer.body
  })
  const books = Effect.map(run(["ledger", "check", "--json"], env), ({ stdout }) => JSON.parse(stdout))
  return { again, base_url, books, json, key, post } as const
})

describe("kill -9 while the clock of a sandbox is moved", () => {
  it.live(
    "leaves a year that goes on where it was, and is told as if nothing had happened",
    () =>
      Effect.gen(function* () {
        const { again, base_url, books, json, key, post } = yield* installation
        const inbox = yield* makeInbox
        const endpoint = yield* post("/webhook-endpoints", { url: inbox.url, event_types: told })
        yield* json("integration", "create", "--label", "Main", "--processor-connect-account", "acct_1")
        yield* post("/forms", { name: "Appeal", status: "ACTIVE" })
        const gift = yield* giveMonthly(json)
        const began = Date.parse(`${(yield* call(base_url, "/sandbox", { key })).body["now"]}`)
        let killed = 0

        const askedOnce = (to: string): Effect.Effect<ApiAnswer | undefined> =>
          attempt(base_url, "/sandbox/advance", { key, body: { to } })

        /** Asks, and has the server killed meanwhile; without an answer where it was. */
        const cutOff = (to: string) => {
          const kill = Effect.delay(again, Math.floor(Math.random() * killedWithin))
          return Effect.map(Effect.all([askedOnce(to), kill], { concurrency: 2 }), ([answer]) => answer)
        }

        /** Moves the clock on until it is there. */
        const passed = Effect.fnUntraced(function* (days: number, most: number) {
          const to = new Date(began + days * 86_400_000).toISOString()
          for (let left = most; ; ) {
            const answer = yield* left > 0 ? cutOff(to) : askedOnce(to)
            if (left > 0 && answer === undefined) killed += 1
            left -= 1
            if (answer === undefined) continue
            // One that was killed after it came there, and before it said so.
            if (answer.status === 409 && answer.text.includes("cannot be set back")) return
            assert.strictEqual(answer.status, 200, answer.text)
            if (answer.body["reached"] === true) return
          }
        })

        yield* passed(70, 1)
        const [charge] = (yield* json("charge", "list")).data.slice(-1)
        yield* json("test-processor", "set-mandate", charge.id, "--mandate", "DECLINING")
        yield* passed(94, 0)
        yield* json("test-processor", "set-mandate", charge.id, "--mandate", "WORKING")
        yield* passed(365, kills - 1)
        assert.isAbove(killed, 0, "it was killed while it worked")

        const clock = yield* call(base_url, "/sandbox", { key })
        assert.isAtLeast(Date.parse(`${clock.body["now"]}`) - began, year)
        const invoices = yield* listAll(base_url, `/subscriptions/${gift.subscription_id}/invoices`, key)
        assert.strictEqual(new Set(invoices.map(({ due_on }) => due_on)).size, invoices.length)
        assert.deepStrictEqual([...new Set(invoices.map(({ status }) => status))], ["PAID"])
        for (const { faults } of (yield* books).data) assert.deepStrictEqual(faults, [])

        // A request that was under way when its sender was killed comes again, as the same one.
        const arrived = [...verifyArrivals(inbox.arrivals, `${endpoint["secret"]}`).values()]
        const events: ReadonlyArray<{ type: string; occurred_at: string }> = arrived.map(({ body }) => JSON.parse(body))
        const count = (type: string) => events.filter((event) => event.type === type).length
        const months = invoices.length
        assert.isAtLeast(months, 13)
        assert.deepStrictEqual(told.map(count), [1, months + 1, months, 1])
        const succeeded = events
          .filter(({ type }) => type === "donation.succeeded")
          .map(({ occurred_at }) => occurred_at)
        assert.deepStrictEqual(succeeded, succeeded.toSorted(), "in the order in which it happened")
      }).pipe(Effect.scoped),
    120_000 + 30_000 * kills
  )
})
