import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { folder } from "../support/Folder.ts"
import { live } from "../support/Steps.ts"
import { demoKeys, serve } from "./Almoner.ts"
import { attempt, call, listAll } from "./Calls.ts"
import { anywhere, assertStopped, embeddedSite, only, suite } from "./Stops.ts"

suite(
  "the embedded database",
  embeddedSite,
  only(anywhere, ["asked with SIGINT", "with a request whose body does not come", "with the backlog of a crash"])
)

/** `npm start` in a group of its own; signals go to npm alone, as a supervisor sends them. */
const npmStart = (env: Readonly<Record<string, string>>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn("npm", ["start"], {
        cwd: fileURLToPath(new URL("../..", import.meta.url)),
        env: { PATH: process.env["PATH"] ?? "", ...env },
        stdio: ["ignore", "pipe", "pipe"],
        detached: true
      })
      let printed = ""
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          printed += text
        })
      }
      const ended = new Promise<{ readonly status: number | null; readonly signal: NodeJS.Signals | null }>((resolve) =>
        child.once("exit", (status, signal) => resolve({ status, signal }))
      )
      const kill = (signal: NodeJS.Signals) => void child.kill(signal)
      return { ended, kill, pid: child.pid ?? 0, printed: () => printed }
    }),
    ({ pid }) =>
      Effect.sync(() => {
        try {
          process.kill(-pid, "SIGKILL")
        } catch {}
      })
  )

describe("npm start", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    live(`ends with its server, well, when npm alone gets ${signal}`, function* () {
      const { env } = yield* embeddedSite
      const npm = yield* npmStart({ ...env, HOME: yield* folder })
      let over = false
      npm.ended.then(() => {
        over = true
      })
      while (!npm.printed().includes("Almoner listens on ")) {
        assert.isFalse(over, npm.printed())
        yield* Effect.sleep(20)
      }
      const demo = yield* demoKeys(env.DATA_DIR)
      const key = demo.sandbox.write_key
      assert.strictEqual((yield* call(demo.base_url, "/donors", { key, body: { first_name: "Ada" } })).status, 201)
      yield* assertStopped(npm, [signal])
      assert.isUndefined(yield* attempt(demo.base_url, "/health"))
      const again = yield* serve(env)
      assert.lengthOf(yield* listAll(demo.base_url, "/donors", key), 1)
      yield* assertStopped(again)
    })
  }
})
