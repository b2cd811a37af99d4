import { statSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Schema } from "effect"
import { call, maxRequestBytes, serve } from "../../src/adapters/cli/ControlSocket.ts"
import * as SocketFolder from "../../src/adapters/postgres/connection/SocketFolder.ts"
import { folder } from "../support/Folder.ts"
import { live } from "../support/Steps.ts"

const socketPath = Effect.map(folder, (path) => join(path, "control.sock"))

const echo = (request: unknown) => Effect.succeed(request)

/** The server's answer to bytes that no caller of ours sends. */
const raw = (path: string, bytes: string) =>
  Effect.callback<string>((resume) => {
    let answer = ""
    const socket = connect(path, () => socket.write(bytes))
    socket.setEncoding("utf8").on("data", (text: string) => {
      answer += text
      if (answer.endsWith("\n")) socket.destroy()
    })
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.succeed(answer)))
  })

describe("a control socket", () => {
  it.effect.prop("carries any JSON there and back", { request: Schema.Json }, ({ request }) =>
    Effect.gen(function* () {
      const path = yield* socketPath
      yield* serve(path, echo)
      assert.deepStrictEqual(yield* call(path, request), JSON.parse(JSON.stringify(request)))
    }).pipe(Effect.scoped)
  )

  live("is the owner's alone", function* () {
    const path = yield* socketPath
    yield* serve(path, echo)
    assert.strictEqual(statSync(path).mode & 0o777, 0o600)
  })

  live("serves many clients at the same time", function* () {
    const path = yield* socketPath
    const met = yield* Latch.make()
    let waiting = 0
    yield* serve(path, (request) =>
      Effect.suspend(() => (++waiting === 20 ? Effect.as(met.open, request) : Effect.as(met.await, request)))
    )
    const answers = yield* Effect.forEach(
      Array.from({ length: 20 }, (_, n) => n),
      (n) => call(path, { n }),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(
      answers,
      answers.map((_, n) => ({ n }))
    )
  })

  live("refuses what is no JSON and what is too large, and serves the next", function* () {
    const path = yield* socketPath
    yield* serve(path, echo)
    assert.include(yield* raw(path, "not json\n"), "not a line of JSON")
    assert.include(yield* raw(path, "x".repeat(maxRequestBytes + 1)), "too large")
    assert.strictEqual(yield* call(path, "still here"), "still here")
  })

  live("tells the caller that a request died, without saying of what", function* () {
    const path = yield* socketPath
    yield* serve(path, () => Effect.die("a secret"))
    const failure = yield* call(path, null).pipe(Effect.flip)
    assert.strictEqual(failure.reason, "the request failed")
  })

  live(
    "that nobody serves is unavailable, also when its file was left behind, which the next server replaces",
    function* () {
      const path = yield* socketPath
      assert.strictEqual((yield* call(path, 1).pipe(Effect.flip))._tag, "ControlUnavailable")
      yield* Effect.scoped(serve(path, echo))
      assert.strictEqual((yield* call(path, 1).pipe(Effect.flip))._tag, "ControlUnavailable")
      writeFileSync(path, "")
      yield* serve(path, echo)
      assert.strictEqual(yield* call(path, 1), 1)
    }
  )

  live("ends its callers' waiting when it closes", function* () {
    const path = yield* socketPath
    const received = yield* Latch.make()
    const caller = yield* Effect.scoped(
      Effect.gen(function* () {
        yield* serve(path, () => Effect.andThen(received.open, Effect.never))
        const caller = yield* call(path, 1).pipe(Effect.flip, Effect.forkChild)
        yield* received.await
        return caller
      })
    )
    assert.strictEqual((yield* caller.pipe(Fiber.join))._tag, "ControlUnavailable")
  })

  live("works in a data folder with a path longer than a socket's address", function* () {
    const data_dir = join(yield* folder, "long".repeat(40))
    const path = yield* SocketFolder.controlSocket(data_dir)
    yield* serve(path, echo)
    const other = yield* SocketFolder.controlSocket(data_dir)
    assert.strictEqual(yield* call(other, "hello"), "hello")
    assert.isTrue(statSync(join(data_dir, "run", "control.sock")).isSocket())
  })
})
