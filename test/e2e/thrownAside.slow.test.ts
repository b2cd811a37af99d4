import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { demoKeys, freePort, preparedFolder, serve } from "./Almoner.ts"
import { call } from "./Calls.ts"
import { makeInbox } from "./Inbox.ts"

const imported = (code: string): string => `--import data:text/javascript,${encodeURIComponent(code)}`

/** Throws in a callback that no code of the product is around, as a library may. */
const library = imported(`
  process.on("SIGUSR2", () => void Promise.reject(new Error("nobody waits for it")))
  process.on("SIGHUP", () => setTimeout(() => { throw new TypeError("nobody catches it") }))
`)

/** Does something whenever something is sent to a port. */
const doingAt = (port: number, code: string) =>
  imported(`
    import { subscribe } from "node:diagnostics_channel"
    subscribe("undici:client:sendHeaders", ({ socket }) => {
      if (socket.remotePort === ${port}) setTimeout(() => { ${code} })
    })
  `)

/** How a process is ended, and its status then. */
const ends: ReadonlyArray<readonly [how: string, code: string, status: number | null]> = [
  ["makes a library throw aside", 'throw new TypeError("nobody catches it")', 3],
  ["has the process killed", 'process.kill(process.pid, "SIGKILL")', null]
]

it.live(
  "what a library throws aside ends nothing that is under way, and the process in one line at most",
  () =>
    Effect.gen(function* () {
      const PORT = `${yield* freePort}`
      const server = yield* serve({
        DATABASE_URL: "embedded",
        DATA_DIR: yield* preparedFolder,
        PORT,
        NODE_OPTIONS: library
      })
      const health = Effect.promise(async () => (await fetch(`http://localhost:${PORT}/api/v1/health`)).status)
      for (const time of [1, 2]) {
        server.kill("SIGUSR2")
        while (server.stdout().split("nobody waits for it").length <= time) yield* Effect.sleep(20)
        assert.strictEqual(yield* health, 200)
      }
      assert.notMatch(server.stdout(), /\n\s+at /u)
      server.kill("SIGHUP")
      const { status, stderr } = yield* Effect.promise(() => server.ended)
      assert.strictEqual(status, 3)
      assert.strictEqual(stderr, "Almoner ended because of an error of its own: nobody catches it\n")
    }),
  60_000
)

it.live.each(ends)(
  "an endpoint that %s is set aside after three deaths, and all others get their webhooks",
  ([, code, status]) =>
    Effect.gen(function* () {
      const [good, deadly] = [yield* makeInbox, yield* makeInbox]
      const DATA_DIR = yield* preparedFolder
      const settings = {
        DATABASE_URL: "embedded",
        DATA_DIR,
        PORT: `${yield* freePort}`,
        WEBHOOK_ALLOW_CIDRS: "127.0.0.0/8",
        NODE_OPTIONS: doingAt(Number(new URL(deadly.url).port), code)
      }
      const post = (path: string, body: object) =>
        Effect.gen(function* () {
          const demo = yield* demoKeys(DATA_DIR)
          const answer = yield* call(demo.base_url, path, { key: demo.sandbox.write_key, body })
          assert.strictEqual(answer.status, 201, answer.text)
        })
      /** A server that lives until something of it is set aside; none where it dies before, as it may before it listens. */
      const life = Effect.fnUntraced(function* (deaths: number) {
        const started = yield* Effect.exit(serve(settings))
        if (Exit.isFailure(started)) {
          assert.include(`${Cause.squash(started.cause)}`, `"status":${status}`)
          return null
        }
        const server = started.value
        if (deaths === 0) {
          for (const { url } of [good, deadly])
            yield* post("/webhook-endpoints", { url, event_types: ["donor.created"] })
        }
        const ended = Effect.promise(() => server.ended)
        // Of endpoints of which one may be deadly, one is sent to at a time.
        const giving = Effect.forever(Effect.andThen(post("/donors", { first_name: "Ada" }), Effect.sleep(500)))
        const isSetAside = Effect.gen(function* () {
          while (!server.stdout().includes("is set aside for 24 hours")) yield* Effect.sleep(20)
        })
        const how = yield* Effect.raceFirst(
          Effect.raceFirst(ended, isSetAside),
          Effect.andThen(Effect.ignoreCause(giving), ended)
        )
        if (how === undefined) return server
        assert.strictEqual(how.status, status)
        return null
      })
      let deaths = 0
      while ((yield* life(deaths)) === null) deaths += 1
      assert.isAtLeast(deaths, 3)
      const before = good.arrivals.length
      yield* post("/donors", { first_name: "Mary" })
      while (good.arrivals.length <= before) yield* Effect.sleep(20)
    }),
  120_000
)
