import type { Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, afterEach, assert, beforeAll, describe, it, vi } from "@effect/vitest"
import fc from "fast-check"
import { makeBodyBudget, makeBodyBuffer } from "../../src/adapters/http/pipeline/BodyMemory.ts"
import { bodyTimeoutMillis } from "../../src/adapters/http/pipeline/Handler.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { type Answer, assertRefused } from "../support/Answer.ts"
import { forEvery } from "../support/Property.ts"
import { describeService, inMemory } from "../support/ServiceSuite.ts"
import { makeTenant, type Tenant } from "../support/Tenant.ts"
import { makeWire, type Wire } from "../support/Wire.ts"

type Step =
  | { readonly does: "opens"; readonly holder: string }
  | { readonly does: "holds"; readonly which: number; readonly bytes: number }
  | { readonly does: "releases"; readonly which: number }

const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.oneof(
    fc.constantFrom("a", "b", "c").map((holder): Step => ({ does: "opens", holder })),
    {
      weight: 3,
      arbitrary: fc.tuple(fc.nat(20), fc.nat(60)).map(([which, bytes]): Step => ({ does: "holds", which, bytes }))
    },
    fc.nat(20).map((which): Step => ({ does: "releases", which }))
  ),
  { maxLength: 60, size: "max" }
)

describe("the memory of bodies", () => {
  it("is never more than the budget, nobody's more than their share, and all given back", () =>
    forEvery(fc.nat(200), fc.nat(120), steps, (budget, share, script) => {
      const bodies = makeBodyBudget(budget, share)
      const open: Array<{ readonly holder: string; held: number; readonly of: ReturnType<typeof bodies.open> }> = []
      const sum = (all: typeof open) => all.reduce((total, { held }) => total + held, 0)
      for (const step of script) {
        if (step.does === "opens") open.push({ holder: step.holder, held: 0, of: bodies.open(step.holder) })
        const chosen = step.does === "opens" ? undefined : open[step.which % Math.max(1, open.length)]
        if (chosen === undefined) continue
        if (step.does === "holds") {
          const own = sum(open.filter(({ holder }) => holder === chosen.holder))
          const fits = sum(open) + step.bytes <= budget && own + step.bytes <= share
          assert.strictEqual(chosen.of.hold(step.bytes), fits)
          if (fits) chosen.held += step.bytes
        } else {
          chosen.of.release()
          chosen.held = 0
        }
        assert.strictEqual(bodies.held(), sum(open))
      }
      for (const { of } of open) of.release()
      assert.strictEqual(bodies.held(), 0)
    }))

  const pieces = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 40 })

  it("is of a body alone: its bytes as they came, and nothing of what brought them", () =>
    forEvery(pieces, (given) => {
      const whole = Buffer.concat(given)
      let held = 0
      const hold = (bytes: number) => {
        held += bytes
        return true
      }
      const buffer = makeBodyBuffer({ maximumBytes: 20_000, hold })
      for (const piece of given) {
        // As a server's pool has it: a window of something larger, which is used again at once.
        const pool = new Uint8Array(4_096)
        const window = pool.subarray(100, 100 + piece.byteLength)
        window.set(piece)
        assert.isUndefined(buffer.add(window))
        pool.fill(0xff)
      }
      const bytes = buffer.bytes()
      assert.deepStrictEqual(Buffer.from(bytes), whole)
      assert.strictEqual(bytes.buffer.byteLength, held)
      assert.isAtMost(held, 2 * whole.byteLength)
    }))

  it("takes no byte over the limit, and none that it is not allowed", () =>
    forEvery(pieces, fc.nat(3_000), fc.nat(3_000), (given, maximumBytes, room) => {
      let held = 0
      const hold = (bytes: number) => {
        if (held + bytes > room) return false
        held += bytes
        return true
      }
      const buffer = makeBodyBuffer({ maximumBytes, hold })
      let size = 0
      for (const piece of given) {
        const notKept = buffer.add(piece)
        if (notKept === undefined) size += piece.byteLength
        else {
          if (notKept === "TooLarge") assert.isAbove(size + piece.byteLength, maximumBytes)
          else assert.isAbove(2 * (size + piece.byteLength), room)
          break
        }
      }
      assert.strictEqual(buffer.bytes().byteLength, size)
      assert.isAtMost(size, Math.min(maximumBytes, held))
    }))
})

/** Bodies of the largest size that one organisation may have under way. */
const fitting = Limits.bodiesInFlightShareBytes / Limits.bodyBytes

const largest = (): Buffer => Buffer.from('{"first_name":"Ada"}'.padEnd(Limits.bodyBytes, " "))

describeService(inMemory, "unfinished bodies", (service) => {
  let greedy: Tenant
  let other: Tenant
  let wire: Wire

  beforeAll(async () => {
    service.pace = 0
    greedy = await makeTenant(service)
    other = await makeTenant(service)
    wire = makeWire(service, await service.listen())
  })
  afterAll(async () => {
    wire.hangUp()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const head = ({ writeKey }: Tenant, ...more: ReadonlyArray<string>): string =>
    [
      "POST /api/v1/donors HTTP/1.1",
      "host: localhost",
      `authorization: Bearer ${writeKey.secret}`,
      "content-type: application/json",
      `content-length: ${Limits.bodyBytes}`,
      ...more,
      "",
      ""
    ].join("\r\n")

  interface Begun {
    readonly socket: Socket
    readonly answer: Promise<Answer | undefined>
  }

  /** Sends all of a body but its last byte. */
  const begin = async (tenant: Tenant, ...more: ReadonlyArray<string>): Promise<Begun> => {
    const socket = await wire.dial()
    const answer = wire.answersOn(socket, 1).then(([first]) => first)
    socket.write(head(tenant, ...more))
    await new Promise((resolve) => socket.write(largest().subarray(0, -1), resolve))
    return { socket, answer }
  }

  const finish = ({ answer, socket }: Begun): Promise<Answer | undefined> => {
    socket.write(" ")
    return answer
  }

  /** Begins bodies until one is refused; answers those under way and the refusal. */
  const fill = async (tenant: Tenant): Promise<{ readonly begun: ReadonlyArray<Begun>; readonly refusal: Answer }> => {
    const begun: Array<Begun> = []
    let refusal: Answer | undefined
    while (refusal === undefined) {
      const next = await begin(tenant, `idempotency-key: body ${begun.length}`)
      begun.push(next)
      assert.isAtMost(begun.length, fitting + 1)
      const settled = begun.map(async ({ answer }) => answer)
      refusal = await Promise.race([...settled, sleep(begun.length > fitting ? 10_000 : 100).then(() => undefined)])
    }
    return { begun, refusal }
  }

  it("of one organisation leave room to the others, and cost it a refusal that can be tried again", async () => {
    const { begun, refusal } = await fill(greedy)
    assertRefused(refusal, "rate_limited")
    assert.match(refusal.textAt("error.message"), /bodies/)
    assert.strictEqual(refusal.headers.get("connection"), "close")
    assert.strictEqual((await finish(await begin(other)))?.status, 201)
    for (const { socket } of begun) socket.destroy()
    await sleep(100)
    // The memory that they held is free again, and the refused key was never taken.
    const again = await Promise.all(
      Array.from({ length: fitting }, (_, index) => begin(greedy, `idempotency-key: body ${index}`))
    )
    for (const each of again) assert.strictEqual((await finish(each))?.status, 201)
    assert.deepStrictEqual(service.logs, [])
  })

  it("that are only announced cost nobody anything", async () => {
    for (let i = 0; i < 3 * fitting; i++) (await wire.dial()).write(head(greedy))
    assert.strictEqual((await finish(await begin(greedy)))?.status, 201)
  })

  it("are held to the same in a web-standard host, which is told to stop sending", async () => {
    const sources: Array<{ cancelled: boolean; close: () => void }> = []
    const send = (tenant: Tenant) => {
      const source = { cancelled: false, close: () => {} }
      sources.push(source)
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          controller.enqueue(largest().subarray(0, -1))
          source.close = () => controller.close()
        },
        cancel: () => {
          source.cancelled = true
        }
      })
      const headers = { "content-type": "application/json" }
      return service.as(tenant.writeKey.secret).request("POST", "/donors", { body, headers })
    }
    const under = Array.from({ length: fitting }, () => send(greedy))
    await sleep(100)
    assertRefused(await send(greedy), "rate_limited")
    assert.isTrue(sources.at(-1)?.cancelled)
    for (const { cancelled, close } of sources) if (!cancelled) close()
    for (const answer of await Promise.all(under)) assert.strictEqual(answer.status, 201)
    const next = send(greedy)
    sources.at(-1)?.close()
    assert.strictEqual((await next).status, 201)
  })

  it("end in time in a web-standard host", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    let cancelled = false
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(Buffer.from("{")),
      cancel: () => {
        cancelled = true
      }
    })
    const headers = { "content-type": "application/json" }
    const answer = service.as(greedy.writeKey.secret).request("POST", "/donors", { body, headers })
    while (vi.getTimerCount() === 0) await new Promise(setImmediate)
    vi.advanceTimersByTime(bodyTimeoutMillis)
    assertRefused(await answer, "invalid_request")
    assert.match((await answer).textAt("error.message"), /in time/)
    assert.isTrue(cancelled)
  })
})
