import type { IncomingMessage } from "node:http"
import { createServer as createTcpServer, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import fc from "fast-check"
import type { Resolve } from "../../src/adapters/webhooks/Resolver.ts"
import { layerWith, type TransportOptions } from "../../src/adapters/webhooks/Transport.ts"
import { OrganisationId } from "../../src/domain/kernel/Ids.ts"
import type { AddressRules } from "../../src/domain/outbox/WebhookAddress.ts"
import { type WebhookRequest, WebhookTransport } from "../../src/ports/outbox/WebhookTransport.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { live } from "../support/Steps.ts"
import { bodyOf, closedSocket, listenAs, rawReceiver, receiver, until } from "./Receivers.ts"

const loopback: AddressRules = { require_https: false, allowed_cidrs: ["127.0.0.0/8", "::1/128"] }
const organisation_id = OrganisationId.make("org_01jqz6x8h4e5vb9m2k7ncw3t5d")

const answering =
  (...addresses: ReadonlyArray<string>): Resolve =>
  () =>
    Promise.resolve(addresses)

const transport = (options: TransportOptions = {}) =>
  Effect.map(Layer.build(layerWith(options)), (context) => Context.get(context, WebhookTransport))

const request = (url: string, changes: Partial<WebhookRequest> = {}): WebhookRequest => ({
  organisation_id,
  url,
  headers: { "content-type": "application/json", "webhook-id": "dlv_1" },
  body: "{}",
  rules: loopback,
  begun_millis: Number(process.hrtime.bigint()) / 1_000_000,
  ...changes
})

describe("an exchange", () => {
  live(
    "is answered, whatever is said before the answer without being asked, on a connection that is kept",
    function* () {
      const ok = "HTTP/1.1 200 OK\r\ncontent-length: 16\r\n\r\nHTTP/1.1 100 x\r\n"
      const before = [
        "HTTP/1.1 100 Continue\r\n\r\n",
        "HTTP/1.1 100 \r\nx: y\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n".repeat(3)
      ]
      const { url } = yield* rawReceiver((socket, turn) => {
        const said = before[(turn - 1) % before.length] ?? ""
        if (turn <= before.length) socket.write(said + ok)
        else {
          socket.write(said)
          // In pieces, however the network cuts them.
          const pieces = [said.slice(0, 11), said.slice(11), ok.slice(0, 9), ok.slice(9)]
          for (const [index, piece] of pieces.entries()) setTimeout(() => socket.write(piece), 5 * index)
        }
      })
      const { post } = yield* transport()
      for (let turn = 0; turn < 2 * before.length; turn++) {
        const outcome = yield* post(request(url))
        assert.deepInclude(
          outcome,
          { response_status: 200, response_excerpt: "HTTP/1.1 100 x\r\n", error: null },
          `${turn}`
        )
      }
    }
  )

  live("POSTs the body to the judged address under the original host", function* () {
    const seen: Array<IncomingMessage> = []
    const bodies: Array<string> = []
    const { port } = yield* receiver(async (incoming, response) => {
      seen.push(incoming)
      bodies.push(await bodyOf(incoming))
      response.writeHead(201, { "retry-after": "120" }).end("thanks")
    })
    const { post } = yield* transport({ resolve: answering("127.0.0.1") })
    const body = `{"name":"Zoë"}`
    const outcome = yield* post(request(`http://receiver.example:${port}/hook?a=b`, { body }))
    assert.deepInclude(outcome, { response_status: 201, response_excerpt: "thanks", retry_after: "120", error: null })
    assert.deepStrictEqual(bodies, [body])
    assert.strictEqual(seen[0]?.method, "POST")
    assert.strictEqual(seen[0]?.url, "/hook?a=b")
    assert.deepInclude(seen[0]?.headers, {
      host: `receiver.example:${port}`,
      "content-type": "application/json",
      "webhook-id": "dlv_1",
      "content-length": String(Buffer.byteLength(body))
    })
    assert.notProperty(seen[0]?.headers, "accept-encoding")
  })

  live("names the original host in the TLS handshake", function* () {
    let hello = ""
    const { port } = yield* listenAs(
      createTcpServer((socket) => {
        socket.once("data", (chunk) => {
          hello = chunk.toString("latin1")
          socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")
        })
      })
    )
    const { post } = yield* transport({ resolve: answering("127.0.0.1") })
    const outcome = yield* post(request(`https://receiver.example:${port}/`))
    assert.include(hello, "receiver.example")
    assert.deepInclude(outcome, { response_status: null, error: "tls_failed" })
  })

  live("keeps a compressed answer as it came", function* () {
    const { url } = yield* receiver((_incoming, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end("not gzip")
    })
    const { post } = yield* transport()
    assert.deepInclude(yield* post(request(url)), { response_excerpt: "not gzip", error: null })
  })

  live("keeps at most 1,024 bytes of an answer, cut between characters and storable as text", function* () {
    const bodies = ["a".repeat(1_024), `a${"é".repeat(5_000)}`, "\u0000b", Buffer.alloc(4_096, 0xff)]
    const { url } = yield* receiver((_incoming, response) => {
      response.end(bodies.shift())
    })
    const { post } = yield* transport()
    const excerpt = Effect.map(post(request(url)), (outcome) => outcome.response_excerpt)
    assert.strictEqual(yield* excerpt, "a".repeat(1_024))
    assert.strictEqual(yield* excerpt, `a${"é".repeat(511)}`)
    assert.strictEqual(yield* excerpt, "\ufffdb")
    assert.isAtMost(Buffer.byteLength((yield* excerpt) ?? ""), 1_024)
  })

  live("hangs up on an answer that does not end, which counts by its status", function* () {
    const { sockets, url } = yield* receiver((_incoming, response) => {
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(1_000)));
      }
      response.on("drain", more)
      more()
    })
    const { post } = yield* transport()
    assert.deepInclude(yield* post(request(url)), {
      response_status: 200,
      response_excerpt: "x".repeat(1_024),
      error: null
    })
    yield* closedSocket(sockets[0])
  })
})

describe("the one deadline", () => {
  const timeoutMillis = 300

  live("ends a body that drips or stops, and the answer counts by its status", function* () {
    const { sockets, url } = yield* receiver((incoming, response) => {
      response.writeHead(incoming.url === "/busy" ? 503 : 202).write("first ")
      if (incoming.url === "/stops") return
      const drip = setInterval(() => response.write("."), 20)
      response.on("close", () => clearInterval(drip))
    })
    const { post } = yield* transport({ timeoutMillis })
    for (const [path, status] of [
      ["drips", 202],
      ["stops", 202],
      ["busy", 503]
    ] as const) {
      const outcome = yield* post(request(url + path))
      assert.deepInclude(outcome, { response_status: status, error: null })
      // The body is read for the log until the deadline.
      assert.match(outcome.response_excerpt ?? "", path === "stops" ? /^first $/ : /^first \.+$/)
    }
    yield* Effect.forEach(sockets, closedSocket)
  })

  live("ends headers that drip", function* () {
    const { sockets, url } = yield* rawReceiver((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n")
      const drip = setInterval(() => socket.write("x-drip: 1\r\n"), 20)
      socket.on("close", () => clearInterval(drip))
    })
    const { post } = yield* transport({ timeoutMillis })
    assert.deepInclude(yield* post(request(url)), { response_status: null, error: "timeout" })
    yield* closedSocket(sockets[0])
  })

  live("ends a silent receiver, a silent handshake and a silent resolver", function* () {
    const { port, url } = yield* listenAs(createTcpServer(() => undefined))
    const { post } = yield* transport({ timeoutMillis, resolve: () => new Promise(() => undefined) })
    const urls = [url, `https://127.0.0.1:${port}/`, "http://receiver.example/"]
    for (const silent of urls) {
      assert.deepInclude(yield* post(request(silent)), { response_status: null, error: "timeout" })
    }
  })

  live("stops a request that is due for writing after it: the process may have slept", function* () {
    let requests = 0
    const { url } = yield* receiver((incoming, response) => {
      requests += 1
      incoming.resume()
      response.end()
    })
    const { post } = yield* transport({ timeoutMillis: 200 })
    const sleep = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250)
    const sleepAfter = (turns: number): unknown => setImmediate(() => (turns === 0 ? sleep() : sleepAfter(turns - 1)))
    // A kept connection is looked at for some turns of the event loop before a request is written to it.
    for (const turns of [0, 1]) {
      assert.strictEqual((yield* post(request(url))).response_status, 200)
      sleepAfter(turns)
      assert.deepInclude(yield* post(request(url)), { response_status: null, error: "timeout" })
    }
    assert.strictEqual((yield* post(request(url))).response_status, 200)
    assert.strictEqual(requests, 3)
  })
})

describe("the address", () => {
  live("is resolved anew for each exchange, whatever connection is kept", function* () {
    const answers = [["127.0.0.1"], ["10.0.0.1"], ["127.0.0.1", "169.254.169.254"], [], ["127.0.0.1"]]
    const { port, sockets } = yield* receiver((_incoming, response) => response.end())
    const { post } = yield* transport({ resolve: () => Promise.resolve(answers.shift() ?? []) })
    const errors: Array<string | null> = []
    for (let turn = 0; turn < 5; turn++) {
      errors.push((yield* post(request(`http://receiver.example:${port}/`))).error)
    }
    assert.deepStrictEqual(errors, [null, "dns_failed", "dns_failed", "dns_failed", null])
    assert.lengthOf(sockets, 1)
  })

  live("may be any of several: one that does not answer is passed over", function* () {
    const { port } = yield* receiver((_incoming, response) => response.end())
    const { post } = yield* transport({ resolve: answering("::1", "127.0.0.1") })
    assert.deepInclude(yield* post(request(`http://receiver.example:${port}/`)), { response_status: 200, error: null })
    assert.deepInclude(yield* post(request(`http://localhost:${port}/`)), { response_status: 200, error: null })
  })
})

describe("connections", () => {
  live("are kept and used again, also after an error status and a chunked answer", function* () {
    let turn = 0
    const { sockets, url } = yield* receiver((_incoming, response) => {
      response.writeHead([200, 204, 500][turn++ % 3] ?? 200)
      if (response.statusCode !== 204) response.write("part")
      response.end()
    })
    const { post } = yield* transport()
    for (let exchange = 0; exchange < 12; exchange++) assert.isNull((yield* post(request(url))).error)
    assert.lengthOf(sockets, 1)
  })

  live("carry one exchange each at a time", function* () {
    const { sockets, url } = yield* receiver((_incoming, response) => {
      setTimeout(() => response.end(), 20)
    })
    const { post } = yield* transport({ idleConnections: 2 })
    const round = Effect.all(
      Array.from({ length: 6 }, () => post(request(url))),
      { concurrency: "unbounded" }
    )
    for (const outcome of yield* round) assert.strictEqual(outcome.response_status, 200)
    assert.lengthOf(sockets, 6)
    yield* until(() => sockets.filter((socket) => socket.closed).length === 4)
    yield* round
    assert.lengthOf(sockets, 10)
  })

  live("that die under a request end the attempt, which is not sent again", function* () {
    const kept = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"
    let requests = 0
    const { sockets, url } = yield* rawReceiver((socket, turn) => {
      requests = turn
      if (turn === 2) socket.destroy()
      else if (turn === 4) socket.resetAndDestroy()
      else if (turn === 6) socket.end()
      else socket.write(kept)
    })
    const { post } = yield* transport()
    const outcomes = []
    for (let exchange = 0; exchange < 7; exchange++) outcomes.push((yield* post(request(url))).error)
    const lost = "connection_failed"
    assert.deepStrictEqual(outcomes, [null, lost, null, lost, null, lost, null])
    assert.strictEqual(requests, 7)
    assert.lengthOf(sockets, 4)
  })

  live("that were closed before the request was written are replaced", function* () {
    let requests = 0
    const { sockets, url } = yield* receiver((_incoming, response) => {
      requests++
      response.end()
    })
    const { post } = yield* transport()
    for (let turn = 0; turn < 5; turn++) {
      yield* post(request(url))
      // The close arrives while the event loop is busy, and is not seen when the next exchange takes the connection.
      if (turn % 2 === 0) sockets.at(-1)?.destroy()
      else sockets.at(-1)?.resetAndDestroy()
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
    }
    assert.deepInclude(yield* post(request(url)), { response_status: 200, error: null })
    assert.strictEqual(requests, 6)
    assert.lengthOf(sockets, 6)
  })

  live("are given up before a receiver that says nothing of it would close them", function* () {
    const answer = (header: string) => `HTTP/1.1 200 OK\r\n${header}content-length: 0\r\n\r\n`
    const silent = yield* rawReceiver((socket) => socket.write(answer("")))
    const speaking = yield* rawReceiver((socket) => socket.write(answer("keep-alive: timeout=60\r\n")))
    const { post } = yield* transport()
    for (let turn = 0; turn < 2; turn++) {
      yield* post(request(silent.url))
      yield* post(request(speaking.url))
      if (turn === 0) yield* Effect.sleep("1.9 seconds")
    }
    assert.lengthOf(silent.sockets, 2)
    assert.lengthOf(speaking.sockets, 1)
  })

  live("that the receiver closed while idle are not used", function* () {
    const { sockets, url } = yield* receiver((_incoming, response) => {
      response.end()
    })
    const { post } = yield* transport()
    yield* post(request(url))
    sockets[0]?.end()
    yield* closedSocket(sockets[0])
    assert.deepInclude(yield* post(request(url)), { response_status: 200, error: null })
    assert.lengthOf(sockets, 2)
  })

  live("end with the scope, and so do the exchanges on them", function* () {
    let arrived = 0
    const { sockets, url } = yield* receiver((_incoming, response) => {
      if (++arrived === 1) response.end()
    })
    const scope = yield* Scope.make()
    const { post } = yield* transport().pipe(Scope.provide(scope))
    yield* post(request(url))
    const held = yield* Effect.forkChild(post(request(url)))
    yield* until(() => arrived === 2)
    yield* Scope.close(scope, Exit.void)
    assert.deepInclude(yield* Fiber.join(held), { response_status: null, error: "connection_failed" })
    yield* Effect.forEach(sockets, closedSocket)
    assert.deepInclude(yield* post(request(url)), { response_status: null, error: "connection_failed" })
  })

  live("end when nobody waits for the exchange any more", function* () {
    const { sockets, url } = yield* receiver(() => undefined)
    const { post } = yield* transport()
    const held = yield* Effect.forkChild(post(request(url)))
    yield* until(() => sockets.length === 1)
    yield* Fiber.interrupt(held)
    yield* closedSocket(sockets[0])
  })
})

describe("an answer whose headers came", () => {
  const pieces = fc.array(fc.constantFrom("", "a", "\r\n", "0\r\n\r\n", "5\r\nhello\r\n", "z".repeat(40_000)), {
    maxLength: 4
  })
  const framing = fc.constantFrom("content-length: 9", "transfer-encoding: chunked", "connection: close")
  const ending = fc.constantFrom("end", "reset", "destroy", "hang")

  it("counts by its status, whatever follows them", () =>
    forEveryAsyncWith(
      { numRuns: 40 },
      fc.integer({ min: 200, max: 599 }),
      framing,
      pieces,
      ending,
      fc.boolean(),
      (status, header, body, end, apart) =>
        Effect.gen(function* () {
          const { url } = yield* rawReceiver((socket) => {
            const head = `HTTP/1.1 ${status} Said\r\n${header}\r\n\r\n`
            const finish = () => {
              if (end === "end") socket.end()
              if (end === "reset") socket.resetAndDestroy()
              if (end === "destroy") socket.destroySoon()
            }
            socket.write(apart ? head : head + body.join(""))
            // The rest comes once the headers have arrived, as far as one can tell from here.
            setTimeout(() => {
              if (apart) socket.write(body.join(""))
              setTimeout(finish, 10)
            }, 10)
          })
          const { post } = yield* transport({ timeoutMillis: 600 })
          assert.deepInclude(yield* post(request(url)), { response_status: status, error: null })
        }).pipe(Effect.scoped, Effect.runPromise)
    ))
})

describe("a receiver that misbehaves", () => {
  const lost = { response_status: null, error: "connection_failed" }
  const cases: ReadonlyArray<readonly [string, (socket: Socket) => void, object]> = [
    ["hangs up without an answer", (socket) => socket.end(), lost],
    ["resets the connection", (socket) => socket.resetAndDestroy(), lost],
    ["does not speak HTTP", (socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"), lost],
    ["breaks off in the headers", (socket) => socket.end("HTTP/1.1 200 OK\r\nx-a: "), lost],
    ["sends huge headers", (socket) => socket.end(`HTTP/1.1 200 OK\r\nx-a: ${"a".repeat(70_000)}\r\n\r\n`), lost],
    [
      "changes the protocol",
      (socket) => socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n"),
      lost
    ],
    [
      "breaks off in the body",
      (socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"),
      { response_status: 200, response_excerpt: "half", error: null }
    ],
    [
      "breaks off between chunks",
      (socket) => socket.end("HTTP/1.1 503 Busy\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n"),
      { response_status: 503, response_excerpt: "half", error: null }
    ],
    [
      "sends an interim answer first",
      (socket) => socket.write("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"),
      { response_status: 204, response_excerpt: null, error: null }
    ],
    [
      "ends its answer by closing",
      (socket) => socket.end("HTTP/1.0 200 OK\r\n\r\nold"),
      { response_status: 200, response_excerpt: "old", error: null }
    ]
  ]
  for (const [name, respond, expected] of cases) {
    live(`and ${name} is an outcome, and the next exchange is not harmed`, function* () {
      const { url } = yield* rawReceiver((socket, turn) =>
        turn === 1 ? respond(socket) : socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
      )
      const { post } = yield* transport()
      assert.deepInclude(yield* post(request(url)), expected)
      assert.deepInclude(yield* post(request(url)), { response_status: 200, error: null })
    })
  }

  live("or is not there is an outcome, and so is a name that does not resolve", function* () {
    const { port } = yield* Effect.scoped(receiver(() => undefined))
    const { post } = yield* transport({ resolve: () => Promise.reject(new Error("ENOTFOUND")) })
    assert.deepInclude(yield* post(request(`http://127.0.0.1:${port}/`)), lost)
    assert.deepInclude(yield* post(request(`https://127.0.0.1:${port}/`)), lost)
    assert.deepInclude(yield* post(request("https://receiver.example/")), {
      response_status: null,
      error: "dns_failed"
    })
  })
})
