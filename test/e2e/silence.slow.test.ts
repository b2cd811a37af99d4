import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { folder } from "../support/Folder.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { makeProxy } from "../support/Proxy.ts"
import { demoKeys, freePort, serve, stop } from "./Almoner.ts"
import { allGiven, attempt, call, giftSender, prepare } from "./Calls.ts"
import { makeInbox, verifyArrivals } from "./Inbox.ts"

const ALMONER_ENCRYPTION_KEYS = `e2e:${Buffer.alloc(32, 6).toString("base64")}`

const readyOf = (base_url: string) => Effect.promise(async () => (await fetch(`${base_url}/ready`)).status)

describe("a database behind a way that goes silent", () => {
  it.live("costs requests their answer and nothing else: each ends, and gifts and deliveries go on by themselves", () =>
    Effect.gen(function* () {
      const url = Redacted.value(yield* freshUrl)
      const proxy = yield* makeProxy(Number(new URL(url).port))
      const DATA_DIR = yield* folder
      const PORT = `${yield* freePort}`
      const env = { DATABASE_URL: proxy.through(url), DEMO: "on", ALMONER_ENCRYPTION_KEYS, DATA_DIR, PORT }
      const server = yield* serve(env)
      const base_url = `http://localhost:${PORT}`
      const demo = yield* demoKeys(DATA_DIR)
      const key = demo.sandbox.write_key
      const inbox = yield* makeInbox
      const { donor_id, secret } = yield* prepare(demo, inbox.url)

      const give = giftSender(base_url, key, donor_id)
      const delivered = Effect.fnUntraced(function* (events: number) {
        while (verifyArrivals(inbox.arrivals, secret).size < events) yield* Effect.sleep(50)
      })
      assert.strictEqual((yield* give(1))?.status, 201)
      yield* delivered(2)

      proxy.set("Silent")
      const asked = [give(2), give(3), give(4), attempt(base_url, "/donors", { key })]
      const answers = yield* Effect.all(asked, { concurrency: "unbounded" })
      for (const answer of answers) {
        assert.deepStrictEqual([answer?.status, answer?.headers.get("retry-after")], [500, "5"])
      }
      assert.strictEqual((yield* call(base_url, "/health")).status, 200)
      assert.strictEqual(yield* readyOf(base_url), 503)
      assert.lengthOf(server.stdout().match(/The database cannot be used: /g) ?? [], 1)

      proxy.set("Pass")
      while ((yield* readyOf(base_url)) !== 200) yield* Effect.sleep(100)
      for (const n of [2, 3, 4]) {
        // A session that the server still believes in may hold the key for a while.
        let status = (yield* give(n))?.status
        while (status !== 201) {
          assert.include([409, 500], status)
          yield* Effect.sleep(100)
          status = (yield* give(n))?.status
        }
      }
      yield* delivered(8)
      yield* allGiven(base_url, key, 4)
      yield* stop(server)
    }).pipe(Effect.scoped)
  )
})
