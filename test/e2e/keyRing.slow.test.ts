import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { folder } from "../support/Folder.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { demoKeys, freePort, run, serve, stop } from "./Almoner.ts"
import { call, gift, prepare } from "./Calls.ts"
import { makeInbox, verifyArrivals } from "./Inbox.ts"

const key = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString("base64")}`

const readyOf = (base_url: string) =>
  Effect.promise(async () => {
    const answer = await fetch(`${base_url}/ready`)
    return { status: answer.status, checks: Object(await answer.json()).checks }
  })

describe("encryption keys beside a database server", () => {
  it.live("is tried at the start, rotated without a stop of deliveries, and sealed anew until the old key can go", () =>
    Effect.gen(function* () {
      const place = { DATABASE_URL: Redacted.value(yield* freshUrl), DEMO: "on", DATA_DIR: yield* folder }
      const PORT = `${yield* freePort}`
      const base_url = `http://localhost:${PORT}`
      const starting = (...ring: ReadonlyArray<string>) => ({ ...place, PORT, ALMONER_ENCRYPTION_KEYS: ring.join(",") })
      const inbox = yield* makeInbox

      const first = yield* serve(starting(key("old", 1)))
      const demo = yield* demoKeys(place.DATA_DIR)
      const { donor_id, secret } = yield* prepare(demo, inbox.url)
      const ok = { database: "ok", writes: "ok", migrations: "ok", key_ring: "ok", server: "ok" }
      assert.deepStrictEqual(yield* readyOf(base_url), { status: 200, checks: ok })
      yield* stop(first)

      for (const wrong of [key("old", 2), key("new", 3)]) {
        const refused = yield* run(["serve"], starting(wrong))
        assert.deepInclude(refused, { status: 3, stdout: "" })
        assert.match(refused.stderr, /^The encryption keys do not fit the database: [^\n]* old[ .][^\n]+\.\n$/)
      }

      const ring = [key("new", 3), key("old", 1)] as const
      const rotating = yield* serve(starting(...ring))
      const keys = Effect.fnUntraced(function* (command: string) {
        const { stderr, stdout } = yield* run(["key-ring", command, "--json"], starting(...ring))
        assert.strictEqual(stderr, "")
        return JSON.parse(stdout)
      })
      const secretsOf = Effect.map(keys("status"), ({ data }) =>
        data.map((each: { readonly key_id: string; readonly webhook_secrets: number; readonly in_ring: boolean }) => [
          each.key_id,
          each.webhook_secrets,
          each.in_ring
        ])
      )
      assert.deepStrictEqual(yield* secretsOf, [
        ["new", 0, true],
        ["old", 1, true]
      ])
      const resealed = yield* keys("reseal")
      assert.isAtLeast(resealed.resealed, 1)
      assert.deepStrictEqual(yield* secretsOf, [
        ["new", 1, true],
        ["old", 0, true]
      ])
      assert.deepStrictEqual(yield* keys("reseal"), { resealed: 0, unopened: 0 })
      yield* stop(rotating)

      const last = yield* serve(starting(key("new", 3)))
      const given = yield* call(base_url, "/donations", { key: demo.sandbox.write_key, body: gift(donor_id, 1) })
      assert.strictEqual(given.status, 201)
      while (verifyArrivals(inbox.arrivals, secret).size < 2) yield* Effect.sleep(50)
      yield* stop(last)
    }).pipe(Effect.scoped)
  )
})
