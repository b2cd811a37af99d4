import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { demoKeys, freePort, preparedFolder, run, serve } from "./Almoner.ts"
import { call, gift, listAll, prepare } from "./Calls.ts"
import { makeInbox, verifyArrivals } from "./Inbox.ts"

const origin = "https://app.example.org"

const makeService = Effect.gen(function* () {
  const DATA_DIR = yield* preparedFolder
  const env = { DATA_DIR, PORT: `${yield* freePort}`, EMBEDDED_DURABILITY: "relaxed", CORS_ORIGINS: origin }
  yield* serve(env)
  return { env, demo: yield* demoKeys(DATA_DIR) } as const
})

class Service extends Context.Service<Service, Effect.Success<typeof makeService>>()("test/Service") {}

const times = (count: number) => Array.from({ length: count }, (_, index) => index)

layer(Layer.effect(Service, makeService), { excludeTestServices: true })("a served installation", (it) => {
  it.effect("answers the pages of configured origins, and no others", () =>
    Effect.gen(function* () {
      const { demo } = yield* Service
      const preflight = (from: string) =>
        call(demo.base_url, "/donors", {
          method: "OPTIONS",
          headers: { origin: from, "access-control-request-method": "POST" }
        })
      const allowed = yield* preflight(origin)
      assert.strictEqual(allowed.status, 204)
      assert.strictEqual(allowed.headers.get("access-control-allow-origin"), origin)
      const read = yield* call(demo.base_url, "/whoami", { key: demo.live.read_key, headers: { origin } })
      assert.strictEqual(read.headers.get("access-control-allow-origin"), origin)
      const refused = yield* preflight("https://elsewhere.example")
      assert.isNull(refused.headers.get("access-control-allow-origin"))
    })
  )

  it.effect("makes one gift of equal keyed requests at the same moment", () =>
    Effect.gen(function* () {
      const { demo } = yield* Service
      const key = demo.live.write_key
      const donor = yield* call(demo.base_url, "/donors", { key, body: { first_name: "Ada" } })
      const body = gift(`${donor.body["id"]}`, 4_200)
      const headers = { "idempotency-key": "one and the same" }
      const answers = yield* Effect.all(
        times(8).map(() => call(demo.base_url, "/donations", { key, headers, body })),
        { concurrency: "unbounded" }
      )
      const made = answers.filter(({ status }) => status === 201)
      assert.isNotEmpty(made)
      assert.isTrue(answers.every(({ status }) => status === 201 || status === 409))
      const again = yield* call(demo.base_url, "/donations", { key, headers, body })
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      for (const { text } of made) assert.strictEqual(text, again.text)
      const other = yield* call(demo.base_url, "/donations", { key, headers, body: { ...body, amount_cents: 1 } })
      assert.strictEqual(Object(other.body["error"]).code, "idempotency_conflict")
      assert.lengthOf(yield* listAll(demo.base_url, "/donations", key), 1)
    })
  )

  it.effect("sends a replayed delivery under a new id, with the same event", () =>
    Effect.gen(function* () {
      const { demo } = yield* Service
      const key = demo.sandbox.write_key
      const inbox = yield* makeInbox
      const { donor_id, secret } = yield* prepare(demo, inbox.url)
      yield* call(demo.base_url, "/donations", { key, body: gift(donor_id, 1) })
      while (inbox.arrivals.length < 2) yield* Effect.sleep(10)
      const first = inbox.arrivals[0]
      let replayed = yield* call(demo.base_url, `/webhook-deliveries/${first?.id}/replay`, { key, method: "POST" })
      // Refused until the delivery's outcome is recorded.
      while (replayed.status === 409) {
        yield* Effect.sleep(10)
        replayed = yield* call(demo.base_url, `/webhook-deliveries/${first?.id}/replay`, { key, method: "POST" })
      }
      assert.strictEqual(replayed.status, 200, replayed.text)
      assert.strictEqual(replayed.body["replay_of"], first?.id)
      while (inbox.arrivals.length < 3) yield* Effect.sleep(10)
      const arrived = verifyArrivals(inbox.arrivals, secret)
      assert.strictEqual(arrived.size, 3)
      assert.strictEqual(arrived.get(`${replayed.body["id"]}`)?.body, first?.body)
    })
  )

  it.effect("refuses a key at once when the command line revoked it through this server", () =>
    Effect.gen(function* () {
      const { demo, env } = yield* Service
      const of = ["--organisation", "demo", "--json"]
      const made = JSON.parse((yield* run(["key", "create", "--name", "CRM", "--scope", "READ", ...of], env)).stdout)
      const whoami = Effect.map(call(demo.base_url, "/whoami", { key: made.secret }), ({ status }) => status)
      assert.strictEqual(yield* whoami, 200)
      assert.strictEqual((yield* run(["key", "revoke", made.id, ...of], env)).status, 0)
      assert.strictEqual(yield* whoami, 401)
    })
  )
})
