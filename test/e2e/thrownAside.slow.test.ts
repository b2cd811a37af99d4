import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { freePort, preparedFolder, serve } from "./Almoner.ts"

/** Throws in a callback that no code of the product is around, as a library may. */
const library = `data:text/javascript,${encodeURIComponent(`
  process.on("SIGUSR2", () => void Promise.reject(new Error("nobody waits for it")))
  process.on("SIGHUP", () => setTimeout(() => { throw new TypeError("nobody catches it") }))
`)}`

it.live(
  "what a library throws aside ends nothing that is under way, and the process in one line at most",
  () =>
    Effect.gen(function* () {
      const PORT = `${yield* freePort}`
      const server = yield* serve({
        DATABASE_URL: "embedded",
        DATA_DIR: yield* preparedFolder,
        PORT,
        NODE_OPTIONS: `--import ${library}`
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
