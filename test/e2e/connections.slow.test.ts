import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { live } from "../support/Steps.ts"
import { ask, demoKeys, freePort, preparedFolder, serve, stop } from "./Almoner.ts"

/** Opens a connection of one of many addresses of loopback, which may be refused. */
const dial = (port: number, n: number) =>
  Effect.promise(async () => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: `127.0.1.${1 + (n % 100)}` })
    socket.on("error", () => {}).resume()
    await Promise.race([once(socket, "connect"), once(socket, "close")])
    if (n % 3 === 1) socket.write("GET /api/v1/whoami HTTP/1.1\r\nhost: a\r\n")
    if (n % 3 === 2) socket.write("GET /api/v1/health HTTP/1.1\r\nhost: a\r\n\r\n")
    return socket
  })

/** Many connections that are opened anew as they end, until the scope closes. */
const flood = (port: number, count: number) =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const open = new Set<Socket>()
      const lane = Effect.gen(function* () {
        for (let n = 0; ; n++) {
          while (open.size >= count) yield* Effect.sleep(5)
          const socket = yield* dial(port, n)
          open.add(socket)
          socket.once("close", () => open.delete(socket))
        }
      })
      const lanes = yield* Effect.forkChild(Effect.all([lane, lane], { concurrency: "unbounded" }))
      return { open, lanes }
    }),
    ({ lanes, open }) =>
      Effect.sync(() => {
        lanes.interruptUnsafe()
        for (const socket of open) socket.destroy()
      })
  )

describe("a process that may open few files", () => {
  live("says so, and goes on through more connections than it may have, on its embedded database", function* () {
    const DATA_DIR = yield* preparedFolder
    const port = yield* freePort
    const server = yield* serve({ DATA_DIR, PORT: `${port}`, EMBEDDED_DURABILITY: "relaxed" }, { descriptors: 512 })
    assert.match(server.stdout(), /At most 128 connections are open at once/)
    const { sandbox } = yield* demoKeys(DATA_DIR)
    const base_url = `http://127.0.0.1:${port}`
    const works = Effect.gen(function* () {
      const health = yield* ask(base_url, "/health", "")
      assert.strictEqual(health.status, 200)
      const made = yield* ask(base_url, "/donors", sandbox.write_key, { first_name: "Ada" })
      assert.strictEqual(made.status, 201)
      for (const path of ["/donors", "/donations", "/forms", "/events", "/webhook-deliveries", "/segments"]) {
        assert.strictEqual((yield* ask(base_url, path, sandbox.read_key)).status, 200, path)
      }
    })
    yield* Effect.scoped(
      Effect.gen(function* () {
        yield* flood(port, 300)
        yield* Effect.sleep(1_000)
        for (let round = 0; round < 3; round++) yield* works
      })
    )
    yield* works
    const { stderr, stdout } = yield* stop(server)
    assert.notMatch(stdout + stderr, /EMFILE|ENFILE|58P0|ERROR/)
  })
})
