import { chmod, rm } from "node:fs/promises"
import { connect, createServer, type Server, type Socket } from "node:net"
import { Effect, FiberSet, Schema, type Scope } from "effect"
import { loggedCause } from "../../ports/kernel/LoggedCause.ts"

/** No process serves at the socket, or the answer did not arrive. `reason` completes a sentence. */
export class ControlUnavailable extends Schema.TaggedError<ControlUnavailable>()("ControlUnavailable", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message(): string {
    return `The running server cannot be reached through ${this.path}: ${this.reason}.`
  }
}

/** The longest request line that a server reads. */
export const maxRequestBytes = 1024 * 1024
/** The longest answer that a caller reads. */
export const maxAnswerBytes = 64 * 1024 * 1024

const Request = Schema.fromJsonString(Schema.Unknown)
const Answer = Schema.fromJsonString(
  Schema.Union([Schema.Struct({ answer: Schema.Unknown }), Schema.Struct({ refused: Schema.String })])
)

const decodeRequest = Schema.decodeUnknownEffect(Request)
const decodeAnswer = Schema.decodeUnknownEffect(Answer)

const newline = 0x0a

const unavailable = (path: string) => (cause: unknown) =>
  new ControlUnavailable({ path, reason: cause instanceof Error ? cause.message : String(cause) })

/** Calls `onLine` for each line as its bytes arrive, and `onExcess` for a line longer than `limit`. */
const readLines = (socket: Socket, limit: number, onLine: (line: string) => void, onExcess: () => void): void => {
  let parts: Array<Buffer> = []
  let length = 0
  socket.on("data", (chunk: Buffer) => {
    let rest = chunk
    for (let end = rest.indexOf(newline); end >= 0; end = rest.indexOf(newline)) {
      const line = Buffer.concat([...parts, rest.subarray(0, end)])
      parts = []
      length = 0
      rest = rest.subarray(end + 1)
      if (line.length > limit) return onExcess()
      onLine(line.toString("utf8"))
    }
    parts.push(rest)
    length += rest.length
    if (length > limit) onExcess()
  })
}

const listen = (path: string, server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(path, resolve)
  })

/**
 * Serves requests from processes of the same user until the scope closes: each is a line of JSON and is answered by a
 * line of JSON. Requests of one client are answered in their order, those of several at the same time. A socket left
 * behind at `path` is replaced, since the caller holds the data folder. `path` has at most 103 bytes and lies in a
 * folder that only its owner may enter.
 */
export const serve = <R>(
  path: string,
  handler: (request: unknown) => Effect.Effect<unknown, never, R>
): Effect.Effect<void, ControlUnavailable, R | Scope.Scope> =>
  Effect.gen(function* () {
    const run = yield* FiberSet.makeRuntimePromise<R>()
    const answerTo = (line: string) =>
      decodeRequest(line).pipe(
        Effect.matchEffect({
          onFailure: () => Effect.succeed({ refused: "the request is not a line of JSON" }),
          onSuccess: (request) => Effect.map(handler(request), (answer) => ({ answer: answer ?? null }))
        }),
        Effect.catchCause((cause) =>
          Effect.as(Effect.logError("a control request failed", loggedCause(cause)), { refused: "the request failed" })
        ),
        Effect.map((answer) => `${JSON.stringify(answer)}\n`)
      )
    const clients = new Set<Socket>()
    const server = createServer((socket) => {
      clients.add(socket)
      let turn = Promise.resolve()
      socket.on("close", () => clients.delete(socket)).on("error", () => socket.destroy())
      readLines(
        socket,
        maxRequestBytes,
        (line) => {
          turn = turn.then(async () => {
            socket.write(await run(answerTo(line)))
          })
          turn.catch(() => socket.destroy())
        },
        () => socket.end(`${JSON.stringify({ refused: "the request is too large" })}\n`)
      )
    })
    yield* Effect.acquireRelease(
      Effect.tryPromise({
        try: async () => {
          await rm(path, { force: true })
          await listen(path, server)
          await chmod(path, 0o600)
        },
        catch: unavailable(path)
      }),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          for (const socket of clients) socket.destroy()
        })
    )
  })

const exchange = (path: string, line: string): Effect.Effect<string, ControlUnavailable> =>
  Effect.callback<string, ControlUnavailable>((resume) => {
    const socket = connect(path, () => socket.write(line))
    const settle = (result: Effect.Effect<string, ControlUnavailable>) => {
      socket.destroy()
      resume(result)
    }
    const fail = (reason: string) => settle(Effect.fail(new ControlUnavailable({ path, reason })))
    readLines(
      socket,
      maxAnswerBytes,
      (answer) => settle(Effect.succeed(answer)),
      () => fail("the answer is too large")
    )
    socket.once("error", (cause) => fail(cause.message))
    socket.once("close", () => fail("the connection was closed before the answer"))
    return Effect.sync(() => socket.destroy())
  })

/** Sends a request to the process that serves at `path`. The answer is its handler's, by way of JSON. */
export const call = (path: string, request: unknown): Effect.Effect<unknown, ControlUnavailable> =>
  exchange(path, `${JSON.stringify(request ?? null)}\n`).pipe(
    Effect.flatMap((line) => Effect.mapError(decodeAnswer(line), unavailable(path))),
    Effect.flatMap((answer) =>
      "answer" in answer
        ? Effect.succeed(answer.answer)
        : Effect.fail(new ControlUnavailable({ path, reason: answer.refused }))
    )
  )
