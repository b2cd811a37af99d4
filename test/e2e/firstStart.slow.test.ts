import { readdir, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { folder } from "../support/Folder.ts"
import { live } from "../support/Steps.ts"
import { ask, demoKeys, freePort, run, serve, start, stop } from "./Almoner.ts"

const moments = 20

/** The first start's own time, so that its moments spread over all of it. */
const timed = Effect.gen(function* () {
  const env = { DATA_DIR: yield* folder, PORT: `${yield* freePort}` }
  const begun = performance.now()
  yield* stop(yield* serve(env))
  return performance.now() - begun
}).pipe(Effect.scoped)

describe("a first start", () => {
  live(
    "that is killed at any moment goes on at the next start, with the keys that it wrote",
    function* () {
      const millis = yield* timed
      let kept = 0
      for (let moment = 0; moment < moments; moment++) {
        const DATA_DIR = yield* folder
        const env = { DATA_DIR, PORT: `${yield* freePort}` }
        const first = yield* Effect.promise(() => start(["serve"], env))
        const file = (name: string) => Effect.promise(() => readFile(join(DATA_DIR, name), "utf8").catch(() => null))
        yield* Effect.promise(() => wait((millis * (moment + 1)) / moments))
        // However slow the machine has become, the last one has written its keys.
        while (moment === moments - 1 && (yield* file("demo.json")) === null) yield* Effect.promise(() => wait(20))
        yield* Effect.promise(() => {
          first.kill("SIGKILL")
          return first.ended
        })
        const [ring, demo] = [yield* file("keys.json"), yield* file("demo.json")]
        const server = yield* serve(env)
        if (ring !== null) assert.strictEqual(yield* file("keys.json"), ring)
        if (demo !== null) {
          kept += 1
          assert.strictEqual(yield* file("demo.json"), demo)
        }
        const { live: organisation } = yield* demoKeys(DATA_DIR)
        const known = yield* ask(`http://localhost:${env.PORT}`, "/whoami", organisation.write_key)
        assert.deepInclude(known.body, { organisation_id: organisation.organisation_id })
        yield* stop(server)
        assert.notInclude(yield* Effect.promise(() => readdir(DATA_DIR)), "demo.json.new")
      }
      assert.isAbove(kept, 0)
      assert.isBelow(kept, moments)
    },
    600_000
  )

  live("whose database is gone is not begun again beside its keys, by no command", function* () {
    const DATA_DIR = yield* folder
    const env = { DATA_DIR, PORT: `${yield* freePort}` }
    yield* stop(yield* serve(env))
    const keys = yield* demoKeys(DATA_DIR)
    yield* Effect.promise(() => rm(join(DATA_DIR, "postgres"), { recursive: true }))
    for (const command of [["serve"], ["migrate"], ["organisation", "list"]]) {
      const refused = yield* run(command, env)
      assert.strictEqual(refused.status, 3, refused.stdout)
      assert.match(refused.stderr, /^(The data folder \S+ cannot be used: it holds |There is no database in )[^\n]+\n$/)
    }
    assert.deepStrictEqual(yield* demoKeys(DATA_DIR), keys)
    assert.notInclude(yield* Effect.promise(() => readdir(DATA_DIR)), "postgres")
  })

  live("whose keys are gone makes no others, by no command", function* () {
    const DATA_DIR = yield* folder
    const env = { DATA_DIR, PORT: `${yield* freePort}` }
    yield* stop(yield* serve(env))
    yield* Effect.promise(() => rm(join(DATA_DIR, "keys.json")))
    for (const command of [["serve"], ["migrate"], ["organisation", "list"]]) {
      const refused = yield* run(command, env)
      assert.strictEqual(refused.status, 3, refused.stdout)
      assert.match(refused.stderr, /^The encryption keys \S+keys\.json are missing\. [^\n]+\n$/)
    }
    assert.notInclude(yield* Effect.promise(() => readdir(DATA_DIR)), "keys.json")
  })
})
