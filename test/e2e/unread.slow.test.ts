import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { assert, describe } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { folder } from "../support/Folder.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { live } from "../support/Steps.ts"
import { demoKeys, freePort, noLimits, serve } from "./Almoner.ts"
import { call } from "./Calls.ts"

const residentMegabytes = (pid: number): number =>
  Number(execFileSync("ps", ["-o", "rss=", "-p", `${pid}`], { encoding: "utf8" })) / 1024

/** The status on the first line of what a connection was sent. */
const statusOn = async (socket: Socket): Promise<string> => {
  const read = once(socket, "data")
  socket.resume()
  const [bytes] = await read
  return /^HTTP\/1\.1 (\d+)/.exec(`${bytes}`)?.[1] ?? `${bytes}`
}

describe("answers that nobody reads", () => {
  live("take no more memory than is set aside for them, and hold up no other organisation", function* () {
    const DATA_DIR = yield* folder
    const PORT = yield* freePort
    const env = {
      ...{ ...noLimits, DATA_DIR, PORT: `${PORT}`, DEMO: "on", DATABASE_URL: Redacted.value(yield* freshUrl) },
      MAX_CONNECTIONS_PER_ADDRESS: "1000",
      ALMONER_ENCRYPTION_KEYS: `e2e:${Buffer.alloc(32, 6).toString("base64")}`
    }
    const server = yield* serve(env, { isProduct: true })
    const { base_url, live: other, sandbox } = yield* demoKeys(DATA_DIR)
    const key = sandbox.write_key
    const text = "€".repeat(Limits.textCharacters)
    const texts = { description: text, thank_you_message: text, disclaimer_text: text }
    for (let n = 0; n < 100; n++) yield* call(base_url, "/forms", { key, body: { name: `Form ${n}`, ...texts } })

    const lines = ["GET /api/v1/forms?limit=100 HTTP/1.1", "host: localhost", `authorization: Bearer ${key}`, "", ""]
    const request = lines.join("\r\n")
    const sockets = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Array.from({ length: 512 }, () => {
          const socket = connect(PORT, "127.0.0.1")
          socket.on("error", () => {}).pause()
          // As often as it may, one behind the other.
          socket.write(request.repeat(4))
          return socket
        })
      ),
      (all) =>
        Effect.sync(() => {
          for (const socket of all) socket.destroy()
        })
    )
    let most = 0
    for (let tries = 0; tries < 60; tries++) {
      yield* Effect.sleep(100)
      most = Math.max(most, residentMegabytes(server.pid))
      const whoami = yield* call(base_url, "/whoami", { key: other.read_key })
      assert.strictEqual(whoami.status, 200, whoami.text)
    }
    assert.isBelow(most, 300)
    const statuses = yield* Effect.promise(() => Promise.all(sockets.map(statusOn)))
    assert.deepStrictEqual(new Set(statuses), new Set(["200", "429"]))
    // What is read is forgotten.
    while ((yield* call(base_url, "/forms", { key })).status !== 200) yield* Effect.sleep(50)
  })
})
