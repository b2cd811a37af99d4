import { once } from "node:events"
import { connect } from "node:net"
import { assert, beforeAll, it } from "@effect/vitest"
import fc from "fast-check"
import { type Answer, assertLaws } from "../support/Answer.ts"
import { guardedOperations, writes } from "../support/Declaration.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { hostileRequests } from "../support/Rounds.ts"
import { describeService, inMemory } from "../support/ServiceSuite.ts"
import { makeTenant, type Tenant } from "../support/Tenant.ts"
import { parse } from "../support/Wire.ts"
import { type Ids, populate, requestTo } from "../support/World.ts"

/** Connections of a whole run; `HOSTILE_REQUESTS` asks for another number of requests. */
const connections = Math.ceil(hostileRequests / 5)

/** The ways in which a client sends, or does not send, the body that it announced. */
type Sending = "whole" | "chunked" | "twice" | "announced longer" | "announced shorter" | "broken chunks" | "cut off"

interface Piece {
  readonly operation: (typeof guardedOperations)[number]
  readonly sending: Sending
  readonly more: ReadonlyArray<string>
}

/** Headers beside those that the request needs, one of them more than once. */
const more = fc.array(
  fc.constantFrom(
    "content-type: text/plain",
    "x-request-id: a",
    "x-request-id: b",
    "idempotency-key: a",
    "idempotency-key: b",
    "host: elsewhere",
    "accept: */*",
    "expect: 100-continue",
    "x-forwarded-for: 10.0.0.1",
    `x-long: ${"x".repeat(5_000)}`,
    "transfer-encoding: gzip",
    "content-length: 5",
    "bad header",
    ": none",
    "x-ctl: \u0001"
  ),
  { maxLength: 2 }
)

const sound: fc.Arbitrary<Piece> = fc.record({
  operation: fc.constantFrom(...guardedOperations),
  sending: fc.constantFrom<Sending>("whole", "chunked"),
  more: fc.constant<ReadonlyArray<string>>([])
})

const hostile: fc.Arbitrary<Piece> = fc.record({
  operation: fc.constantFrom(...guardedOperations),
  sending: fc.constantFrom<Sending>(
    "whole",
    "chunked",
    "twice",
    "announced longer",
    "announced shorter",
    "broken chunks",
    "cut off"
  ),
  more
})

const chunked = (body: string): string => `${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`

const lengthOf = (body: string, more = 0): string => `content-length: ${Buffer.byteLength(body) + more}`

const framed = (sending: Sending, body: string): { readonly header: string; readonly body: string } => {
  switch (sending) {
    case "whole":
      return { header: lengthOf(body), body }
    case "chunked":
      return { header: "transfer-encoding: chunked", body: chunked(body) }
    case "twice":
      return { header: `${lengthOf(body)}\r\ntransfer-encoding: chunked`, body: chunked(body) }
    case "announced longer":
      return { header: lengthOf(body, 7), body }
    case "announced shorter":
      return { header: lengthOf(body.slice(1)), body }
    case "broken chunks":
      return { header: "transfer-encoding: chunked", body: `zz\r\n${body}\r\n` }
    case "cut off":
      return { header: lengthOf(body), body: body.slice(0, body.length / 2) }
  }
}

/** The answers in what came over a connection; every byte belongs to one. */
const answersIn = (bytes: Buffer): ReadonlyArray<Answer> => {
  const answers: Array<Answer> = []
  for (let rest = bytes; rest.byteLength > 0; ) {
    const next = parse(rest) ?? assert.fail(rest.toString("latin1"))
    // The 100 in reply to `Expect` is no answer.
    if (next.answer.status !== 100) answers.push(next.answer)
    rest = next.rest
  }
  return answers
}

describeService(inMemory, "hostile connections", (service) => {
  let tenant: Tenant
  let ids: Ids
  let port: number

  beforeAll(async () => {
    service.pace = 0
    tenant = await makeTenant(service)
    service.pace = 10
    ids = await populate(service, tenant)
    service.pace = 0
    port = await service.listen({ bodyTimeoutMillis: 100, headersTimeoutMillis: 200, idleTimeoutMillis: 100 })
  })

  const bytesOf = ({ more, operation, sending }: Piece): string => {
    const { path, sent } = requestTo(operation, ids)
    const body = writes(operation) ? framed(sending, JSON.stringify(sent.json ?? {})) : undefined
    return [
      `${operation.method} /api/v1${path} HTTP/1.1`,
      "host: localhost",
      `authorization: Bearer ${tenant.readKey.secret}`,
      ...(body === undefined ? [] : ["content-type: application/json", body.header]),
      ...more,
      "",
      body?.body ?? ""
    ].join("\r\n")
  }

  /** Everything that a connection answers until the service ends it, once nothing more is sent. */
  const exchange = async (bytes: string, cuts: ReadonlyArray<number>): Promise<ReadonlyArray<Answer>> => {
    service.clock.advance(2_000)
    const socket = connect(port, "127.0.0.1")
    const chunks: Array<Buffer> = []
    socket.on("error", () => {})
    socket.on("data", (chunk: Buffer) => chunks.push(chunk))
    await once(socket, "connect")
    // A write to a connection that was refused fails; what was answered before counts.
    const ended = new Promise<void>((resolve) => socket.on("close", () => resolve()))
    const all = Buffer.from(bytes, "latin1")
    const places = [0, ...cuts.map((cut) => cut % (all.byteLength + 1)).toSorted((a, b) => a - b), all.byteLength]
    for (const [index, place] of places.entries()) {
      socket.write(all.subarray(place, places[index + 1] ?? all.byteLength))
      if (index < places.length - 2) await new Promise(setImmediate)
    }
    socket.end()
    await ended
    return answersIn(Buffer.concat(chunks))
  }

  it("are ended, and everything that they were answered is an answer of the contract", async () => {
    const pieces = fc.tuple(fc.array(sound, { maxLength: 3 }), hostile, fc.array(hostile, { maxLength: 1 }))
    const cuts = fc.array(fc.nat(), { maxLength: 3 })
    await forEveryAsyncWith({ numRuns: connections }, pieces, cuts, async ([before, bad, after], cuts) => {
      const answers = await exchange([...before, bad, ...after].map(bytesOf).join(""), cuts)
      // Bytes that are not HTTP end the connection, even where requests wait for their answers.
      const isSound = after.length === 0 && bad.more.length === 0 && ["whole", "chunked"].includes(bad.sending)
      if (isSound) assert.lengthOf(answers, before.length + 1)
      assert.isAtMost(answers.length, before.length + 1 + 2 * (1 + after.length))
      for (const [index, answer] of answers.entries()) {
        if (answer.status !== 501) assert.isBelow(answer.status, 500, answer.text)
        const piece = before[index]
        if (piece !== undefined) assert.strictEqual(answer.status, writes(piece.operation) ? 403 : 200, answer.text)
        const sentRequestId = undefined
        if (answer.headers.get("x-request-id")?.startsWith("req_") !== true) continue
        const { bucket, clock, settings } = service
        assertLaws(answer, { ...bucket, now: clock.now, apiBaseUrl: settings.apiBaseUrl, sentRequestId })
      }
    })
    assert.deepStrictEqual(service.logs, [])
  }, 600_000)
})
