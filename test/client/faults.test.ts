import { assert, it } from "@effect/vitest"
import fc from "fast-check"
import { type ClientOptions, createClient } from "../../src/client.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { cases } from "../support/Rounds.ts"
import { describeService, inMemory } from "../support/ServiceSuite.ts"
import { makeTenant } from "../support/Tenant.ts"
import { broken, refusal } from "./Fake.ts"

type Fetch = NonNullable<ClientOptions["fetch"]>

const dropped: Fetch = async () => broken()

const hang: Fetch = (_, { signal }) =>
  new Promise((_, reject) => {
    if (signal?.aborted === true) reject(signal.reason)
    signal?.addEventListener("abort", () => reject(signal.reason))
  })

/** The faults of one attempt; each kind either reaches the service or does not. */
const faults: Readonly<Record<string, Fetch>> = {
  none: (url, init) => fetch(url, init),
  neverSent: dropped,
  answerDropped: async (url, init) => {
    await (await fetch(url, init)).text()
    return broken()
  },
  answerCut: async (url, init) => {
    const response = await fetch(url, init)
    const text = await response.text()
    return new Response(text.slice(0, text.length / 2), response)
  },
  refusedBefore: async () => refusal(500, "internal_error")(),
  gatewayAfter: async (url, init) => {
    await (await fetch(url, init)).text()
    return new Response("Bad gateway", { status: 502 })
  },
  limited: async () => refusal(429, "rate_limited", { "retry-after": "1" })(),
  hangBefore: hang,
  hangAfter: async (url, init) => {
    await (await fetch(url, init)).text()
    return hang(url, init)
  }
}

interface Plan {
  readonly change: "create" | "update" | "archive"
  readonly kinds: ReadonlyArray<string>
}

const kind = fc.constantFrom(...Object.keys(faults))
const plan: fc.Arbitrary<Plan> = fc.record({
  change: fc.constantFrom("create" as const, "update" as const, "archive" as const),
  kinds: fc.array(kind, { maxLength: 6 })
})

describeService(inMemory, "whatever happens to the requests", (service) => {
  let marks = 0

  /** A client whose attempts meet the faults in turn, and then none. */
  const clientWith = (baseUrl: string, apiKey: string, kinds: ReadonlyArray<string>) => {
    let attempts = 0
    return createClient({
      baseUrl,
      apiKey,
      timeoutMillis: kinds.some((name) => name.startsWith("hang")) ? 60 : 30_000,
      fetch: (url, init) => (faults[kinds[attempts++] ?? "none"] ?? hang)(url, init),
      sleep: async (millis) => service.clock.advance(Math.ceil(millis))
    })
  }

  it("a call has at most one effect, and its result is what the service holds", async () => {
    const tenant = await makeTenant(service)
    const baseUrl = `http://127.0.0.1:${await service.listen()}`
    const plain = clientWith(baseUrl, tenant.writeKey.secret, [])

    const eventsOf = async (type: "donor.created" | "donor.updated", id: string): Promise<number> => {
      let count = 0
      for await (const { data } of plain.events.all({ type })) if (Reflect.get(data, "id") === id) count += 1
      return count
    }

    const perform = async ({ change, kinds }: Plan) => {
      marks += 1
      const mark = `mark${String(marks).padStart(6, "0")}`
      const faulty = clientWith(baseUrl, tenant.writeKey.secret, kinds)
      const held = change === "create" ? null : await plain.donors.create({ first_name: "Ada" })
      const call =
        held === null
          ? faulty.donors.create({ first_name: "Ada", last_name: mark })
          : change === "update"
            ? faulty.donors.update(held.id, { last_name: mark })
            : faulty.donors.archive(held.id)
      const outcome = await call.outcome()
      const { data } = await plain.donors.list({ search: mark, archived: true })
      assert.isAtMost(data.length, 1)
      if (outcome.ok) assert.deepStrictEqual(await plain.donors.read(outcome.value.id), outcome.value)
      if (outcome.ok && change !== "archive") assert.deepStrictEqual(data, [outcome.value])
      const id = held?.id ?? data[0]?.id
      if (id !== undefined)
        assert.isAtMost(await eventsOf(change === "update" ? "donor.updated" : "donor.created", id), 1)
      // Four retries outlast four faults; a hanging attempt may be cut off while the service is still at it.
      const isBounded = kinds.filter((name) => name !== "none").length <= 4
      if (isBounded && !kinds.some((name) => name.startsWith("hang"))) assert.isTrue(outcome.ok)
    }

    await forEveryAsyncWith({ numRuns: cases(60) }, fc.array(plan, { minLength: 1, maxLength: 3 }), async (plans) => {
      await Promise.all(plans.map(perform))
    })
  })
})
