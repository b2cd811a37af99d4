import { EventEmitter } from "node:events"
import { createServer } from "node:http"
import type { Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { HttpService } from "../../src/adapters/http/Service.ts"
import { type ConnectionCaps, makeConnections } from "../../src/adapters/http/server/Connections.ts"
import { listenerOf } from "../../src/adapters/http/server/NodeServer.ts"
import { clientAddresses } from "../../src/domain/access/ClientAddress.ts"
import { assertRefused } from "../support/Answer.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { startService } from "../support/Service.ts"
import { describeService, describeServiceWith, inMemory } from "../support/ServiceSuite.ts"
import { memory } from "../support/Stores.ts"
import { makeTenant, type Tenant } from "../support/Tenant.ts"
import { ends, makeWire, type Wire } from "../support/Wire.ts"

/** A connection as far as the caps look at it. */
class FakeSocket extends EventEmitter {
  destroyed = false
  readonly remoteAddress: string
  constructor(remoteAddress: string) {
    super()
    this.remoteAddress = remoteAddress
  }
  destroy() {
    this.destroyed = true
    // As a real one does, later.
    queueMicrotask(() => this.emit("close"))
  }
}

const socketOf = (address: string) => new FakeSocket(address) as FakeSocket & Socket

type Step =
  | { readonly does: "connects"; readonly from: string }
  | { readonly does: "asks" | "asks with a key" | "is answered" | "hangs up"; readonly which: number }

const addresses = ["192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2", "10.0.0.1"]

/** The two of one /64 are one client; the last is a proxy. */
const clientOf = (address: string): string => (address.startsWith("2001") ? "2001" : address)

const isProxy = (address: string): boolean => address.startsWith("10.")

const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...addresses).map((from): Step => ({ does: "connects", from })) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom("asks", "asks with a key", "is answered", "hangs up"), fc.nat(30))
        .map(([does, which]): Step => ({ does, which }))
    }
  ),
  { maxLength: 80, size: "max" }
)

interface Modelled {
  readonly socket: FakeSocket & Socket
  answering: number
  known: boolean
}

describe("the caps on connections", () => {
  it("are never passed, end nobody's but an idle stranger's, and refuse nobody while there is room", async () => {
    const caps = fc.record({ total: fc.integer({ min: 1, max: 6 }), perAddress: fc.integer({ min: 1, max: 4 }) })
    await forEveryAsyncWith({ numRuns: 300 }, caps, steps, async (given: ConnectionCaps, script) => {
      const connections = makeConnections(given, clientAddresses({ header: null, trusted: ["10.0.0.0/8"] }))
      let open: Array<Modelled> = []
      const isIdleStranger = ({ answering, known, socket }: Modelled) =>
        answering === 0 && !known && !isProxy(socket.remoteAddress)
      for (const step of script) {
        if (step.does === "connects") {
          const before = open
          const same = before.filter(({ socket }) => clientOf(socket.remoteAddress) === clientOf(step.from))
          const isFull = !isProxy(step.from) && same.length >= given.perAddress
          const candidates = (isFull ? same : before).filter(isIdleStranger)
          const needsRoom = isFull || before.length >= given.total
          const socket = socketOf(step.from)
          const admitted = connections.admit(socket)
          open = before.filter((each) => !each.socket.destroyed)
          const ended = before.filter((each) => each.socket.destroyed)
          assert.strictEqual(admitted, !needsRoom || candidates.length > 0)
          assert.lengthOf(ended, admitted && needsRoom ? 1 : 0)
          for (const each of ended) assert.include(candidates, each)
          if (admitted) open.push({ socket, answering: 0, known: false })
        } else {
          const chosen = open[step.which % Math.max(1, open.length)]
          if (chosen === undefined) continue
          const { socket } = chosen
          if (step.does === "hangs up") {
            socket.destroy()
            await Promise.resolve()
            open = open.filter((each) => each !== chosen)
          } else if (step.does === "is answered") {
            if (chosen.answering > 0) {
              chosen.answering -= 1
              connections.end(socket)
            }
          } else {
            chosen.answering += 1
            connections.begin(socket)
            if (step.does === "asks with a key") {
              chosen.known = true
              connections.recognise(socket)
            }
          }
          assert.strictEqual(connections.isAnswering(socket), chosen.answering > 0 && !socket.destroyed)
        }
        await Promise.resolve()
        assert.isAtMost(open.length, given.total)
        for (const address of addresses.filter((each) => !isProxy(each))) {
          const own = open.filter(({ socket }) => clientOf(socket.remoteAddress) === clientOf(address))
          assert.isAtMost(own.length, given.perAddress)
        }
      }
    })
  })
})

describeService(inMemory, "connections over sockets", (service) => {
  let tenant: Tenant

  beforeAll(async () => {
    service.pace = 0
    tenant = await makeTenant(service)
  })

  const request = (path: string, ...headers: ReadonlyArray<string>) =>
    [`GET /api/v1${path} HTTP/1.1`, "host: localhost", ...headers, "", ""].join("\r\n")

  const withKey = () => request("/whoami", `authorization: Bearer ${tenant.readKey.secret}`)

  const serving = async (
    connections: ConnectionCaps,
    run: (wire: Wire) => Promise<void>,
    trusted: Array<string> = []
  ) => {
    const wire = makeWire(service, await service.listen({ connections, proxies: { header: null, trusted } }))
    await run(wire).finally(() => wire.hangUp())
  }

  /** A connection on which a valid key was shown, and which is kept. */
  const recognised = async (wire: Wire, from?: string): Promise<Socket> => {
    const socket = await wire.dial(from)
    const answers = wire.answersOn(socket, 1)
    socket.write(withKey())
    assert.strictEqual((await answers)[0]?.status, 200)
    return socket
  }

  it("over the cap of an address are told so, and to close what they do not use", () =>
    serving({ total: 100, perAddress: 3 }, async (wire) => {
      const kept = [await recognised(wire), await recognised(wire), await recognised(wire)]
      for (let i = 0; i < 10; i++) {
        const socket = await wire.dial()
        const answers = wire.answersOn(socket, 1)
        socket.write(withKey())
        const [refused] = await answers
        if (refused === undefined) throw new Error("The connection ended without an answer.")
        assertRefused(refused, "rate_limited")
        assert.match(refused.textAt("error.message"), /connections/)
        assert.isTrue(await ends(socket))
      }
      // Another address has its own.
      const other = await recognised(wire, "127.0.0.2")
      kept[0]?.destroy()
      await sleep(50)
      assert.strictEqual((await recognised(wire)).destroyed, false)
      for (const socket of [...kept.slice(1), other]) assert.isFalse(socket.destroyed)
    }))

  it("that say nothing make room for those that ask, of their own address and of any", () =>
    serving({ total: 8, perAddress: 6 }, async (wire) => {
      const kept = await recognised(wire)
      const silent: Array<Socket> = []
      for (let i = 0; i < 40; i++) {
        const socket = await wire.dial(i % 2 === 0 ? "127.0.0.3" : "127.0.0.4")
        socket.resume()
        if (i % 4 > 1) socket.write("GET /api/v1/whoami HTTP/1.1\r\nhost: a\r\n")
        silent.push(socket)
      }
      await sleep(50)
      assert.isAtMost(silent.filter(({ destroyed }) => !destroyed).length, 7)
      const answers = wire.answersOn(kept, 1)
      kept.write(withKey())
      assert.strictEqual((await answers)[0]?.status, 200)
      for (const from of ["127.0.0.3", "127.0.0.5", "127.0.0.1"]) await recognised(wire, from)
    }))

  it("of a proxy are as many as it opens, within the total, and are not ended by a refusal", () =>
    serving(
      { total: 20, perAddress: 2 },
      async (wire) => {
        const kept: Array<Socket> = []
        for (let i = 0; i < 10; i++) {
          const socket = await wire.dial()
          const answers = wire.answersOn(socket, 3)
          socket.write(request("/whoami") + request("/whoami", "x-org-slug: a") + withKey())
          assert.deepStrictEqual(
            (await answers).map(({ headers, status }) => [status, headers.get("connection")]),
            [
              [401, "keep-alive"],
              [400, "keep-alive"],
              [200, "keep-alive"]
            ]
          )
          kept.push(socket)
        }
        for (const socket of kept) assert.isFalse(socket.destroyed)
      },
      ["127.0.0.0/8"]
    ))

  it("that are refused are closed even when they say nothing", () =>
    serving({ total: 1, perAddress: 1 }, async (wire) => {
      const kept = await recognised(wire)
      const silent = await Promise.all(Array.from({ length: 100 }, () => wire.dial()))
      for (const socket of silent) assert.isTrue(await ends(socket))
      const answers = wire.answersOn(kept, 1)
      kept.write(withKey())
      assert.strictEqual((await answers)[0]?.status, 200)
    }))
})

describe("a stop", () => {
  it("waits for no connection on which nothing is asked, whatever of a request has come", async () => {
    const service = await startService({ stores: memory })
    service.pace = 0
    const patient = 600_000
    const port = await service.listen({
      headersTimeoutMillis: patient,
      bodyTimeoutMillis: patient,
      drainTimeoutMillis: patient
    })
    const wire = makeWire(service, port)
    const begun = ["", "", "GET / HT", "GET /api/v1/health HTTP/1.1\r\nhost: a"]
    const open = await Promise.all(
      begun.map(async (text) => {
        const socket = await wire.dial()
        if (text !== "") socket.write(text)
        return socket
      })
    )
    const asked = await wire.exchange("GET /api/v1/health HTTP/1.1\r\nhost: a\r\n\r\n")
    assert.strictEqual(asked.status, 200)
    await service.stop()
    for (const socket of open) assert.isTrue(await ends(socket))
    wire.hangUp()
  })
})

describeServiceWith({ bucket: { perSecond: 0.0001, burst: 5 } })(inMemory, "clients behind a proxy", (service) => {
  beforeAll(async () => {
    // Nothing comes back during a test.
    service.pace = 0
  })

  const serving = async (header: string, trusted: ReadonlyArray<string>) => {
    const wire = makeWire(service, await service.listen({ proxies: { header, trusted } }))
    /** Tokens that are left of the bucket which the request drew on. */
    const left = async (...lines: ReadonlyArray<string>): Promise<number> => {
      const request = ["GET /api/v1/health HTTP/1.1", "host: localhost", ...lines, "", ""].join("\r\n")
      return Number((await wire.exchange(request)).headers.get("ratelimit-remaining"))
    }
    return { left, hangUp: wire.hangUp }
  }

  it("have each their bucket, whatever else they claim", async () => {
    const { hangUp, left } = await serving("x-forwarded-for", ["127.0.0.0/8", "10.0.0.0/8"])
    assert.strictEqual(await left("X-Forwarded-For: 192.0.2.1"), 4)
    assert.strictEqual(await left("x-forwarded-for: 203.0.113.9, 192.0.2.1, 10.0.0.9"), 3)
    assert.strictEqual(await left("x-forwarded-for: 203.0.113.9", "X-FORWARDED-FOR: 192.0.2.1:4711"), 2)
    assert.strictEqual(await left("x-forwarded-for: 192.0.2.2", "forwarded: for=192.0.2.1"), 4)
    assert.strictEqual(await left("x-forwarded-for: 2001:db8:9:9::1"), 4)
    assert.strictEqual(await left("x-forwarded-for: [2001:db8:9:9:ffff::2]:80"), 3)
    // Many lines hide none: the last one is the proxy's.
    const many = Array.from({ length: 2_500 }, (_, index) => `a${index.toString(36)}:`)
    assert.strictEqual(await left(...many, "x-forwarded-for: 192.0.2.1"), 1)
    // A text that is no address counts as the proxy itself.
    assert.strictEqual(await left("x-forwarded-for: unknown"), 4)
    assert.strictEqual(await left(), 3)
    hangUp()
  })

  it("are the connection's where the peer is no proxy", async () => {
    const { hangUp, left } = await serving("x-forwarded-for", ["10.0.0.0/8"])
    const first = await left("x-forwarded-for: 192.0.2.77")
    assert.strictEqual(await left("x-forwarded-for: 192.0.2.78"), first - 1)
    hangUp()
  })

  it("may be told as RFC 7239 has it", async () => {
    const { hangUp, left } = await serving("forwarded", ["127.0.0.0/8"])
    assert.strictEqual(await left("Forwarded: for=198.51.100.1;proto=https"), 4)
    assert.strictEqual(await left('forwarded: for="_x", For="198.51.100.1:80";by=203.0.113.43'), 3)
    assert.strictEqual(await left('forwarded: for="[2001:db8:5:5::1]"', "x-forwarded-for: 198.51.100.1"), 4)
    hangUp()
  })

  it("are told apart in a host's own server, too", async () => {
    const { handle, unreadable } = await service.run(HttpService)
    const proxies = { header: "x-forwarded-for", trusted: ["127.0.0.1/32"] }
    const server = createServer(listenerOf({ handle, unreadable }, (effect) => service.run(effect), { proxies }))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    const wire = makeWire(service, typeof address === "object" && address !== null ? address.port : 0)
    const ask = (client: string, ...more: ReadonlyArray<string>) =>
      wire.exchange(
        ["GET /api/v1/whoami HTTP/1.1", "host: a", `x-forwarded-for: ${client}`, ...more, "", ""].join("\r\n")
      )
    for (const remaining of ["4", "3"]) {
      const answer = await ask("192.0.2.200")
      assert.deepStrictEqual(
        [answer.status, answer.headers.get("ratelimit-remaining"), answer.headers.get("connection")],
        [401, remaining, "keep-alive"]
      )
    }
    // Before the request can be read, too.
    const broken = await ask("192.0.2.200", "host: b")
    assert.deepStrictEqual([broken.status, broken.headers.get("ratelimit-remaining")], [400, "2"])
    wire.hangUp()
    server.close()
  })
})
