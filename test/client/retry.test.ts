import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { AlmonerError, type Client, ConnectionError } from "../../src/client.ts"
import { forEveryAsync } from "../support/Property.ts"
import { answer, broken, fake, refusal, type Step } from "./Fake.ts"

const calls: ReadonlyArray<readonly [name: string, keyed: boolean, call: (client: Client) => Promise<unknown>]> = [
  ["GET", false, (client) => client.donors.read("dnr_1")],
  ["DELETE", false, (client) => client.donors.archive("dnr_1")],
  ["POST", true, (client) => client.donors.create({ first_name: "Ada" })],
  ["PATCH", true, (client) => client.donors.update("dnr_1", { first_name: "Ada" })]
]

const half: Step = () => new Response('{"id":"dnr_', { status: 200 })
const proxy: Step = () => new Response("<h1>Bad gateway</h1>", { status: 502 })
const passing: ReadonlyArray<Step> = [
  broken,
  half,
  proxy,
  refusal(500, "internal_error"),
  refusal(503, "internal_error")
]

const lasting: ReadonlyArray<readonly [number, string]> = [
  [400, "invalid_request"],
  [400, "validation_failed"],
  [401, "unauthorized"],
  [403, "forbidden"],
  [404, "not_found"],
  [405, "method_not_allowed"],
  [409, "conflict"],
  [409, "idempotency_conflict"]
]

/** The failure of a call that must fail. */
const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => assert.fail("It did not fail."),
    (failure: unknown) => failure
  )

describe("the retry policy", () => {
  for (const [method, keyed, call] of calls) {
    it(`repeats a ${method} after any passing failures, with the same bytes and key`, () =>
      forEveryAsync(fc.array(fc.constantFrom(...passing), { maxLength: 4 }), async (failures) => {
        const { client, seen } = fake([...failures, answer({ id: "dnr_1" })])
        assert.deepStrictEqual(await call(client), { id: "dnr_1" })
        assert.lengthOf(seen, failures.length + 1)
        assert.lengthOf(new Set(seen.map(({ body, method, url }) => JSON.stringify([body, method, url]))), 1)
        const keys = new Set(seen.map(({ headers }) => headers.get("idempotency-key")))
        assert.lengthOf(keys, 1)
        assert.strictEqual(!keys.has(null), keyed)
      }))
  }

  it("gives each call a key of its own, and takes the caller's", async () => {
    const { client, seen } = fake([answer({})])
    for (let count = 0; count < 50; count++) await client.donors.create({})
    await client.donors.create({}, { idempotencyKey: "mine" })
    assert.lengthOf(new Set(seen.map(({ headers }) => headers.get("idempotency-key"))), 51)
    assert.strictEqual(seen.at(-1)?.headers.get("idempotency-key"), "mine")
  })

  it("never repeats a POST without a key", async () => {
    for (const step of [...passing, refusal(429, "rate_limited", { "retry-after": "1" })]) {
      const { client, seen } = fake([step, answer({})])
      const outcome = await client.donors.create({}, { idempotencyKey: null }).outcome()
      assert.isFalse(outcome.ok)
      assert.deepStrictEqual(
        seen.map(({ headers }) => headers.get("idempotency-key")),
        [null]
      )
    }
  })

  it("never repeats what was refused for good", async () => {
    for (const [status, code] of lasting) {
      for (const [, , call] of calls) {
        const { client, seen } = fake([refusal(status, code, { "retry-after": "1" }), answer({})])
        const failure = await failureOf(call(client))
        assert.instanceOf(failure, AlmonerError)
        assert.deepEqual<unknown>([failure.code, failure.status, failure.request_id], [code, status, "req_1"])
        assert.lengthOf(seen, 1)
      }
    }
  })

  it("waits exactly as long as a 429 says, and not at all for longer than it may", async () => {
    const limited = (seconds: number) => refusal(429, "rate_limited", { "retry-after": String(seconds) })
    const patient = fake([limited(7), limited(0), answer({})])
    await patient.client.donors.list()
    assert.deepStrictEqual(patient.slept, [7_000, 0])
    const locked = fake([limited(3_600), answer({})])
    const outcome = await locked.client.donors.list().outcome()
    assert.isTrue(!outcome.ok && outcome.failure.retry_after_seconds === 3_600)
    assert.lengthOf(locked.seen, 1)
    assert.deepStrictEqual(locked.slept, [])
  })

  it("waits up to a date, by the clock of whoever answered, and not for one that is past or is none", async () => {
    const date = "Sun, 06 Nov 1994 08:49:37 GMT"
    for (const [after, seconds] of [
      ["Sun, 06 Nov 1994 08:49:40 GMT", 3],
      ["Sunday, 06-Nov-94 08:50:07 GMT", 30],
      [date, 0],
      ["Sun, 06 Nov 1994 08:00:00 GMT", 0],
      ["soon, GMT", null]
    ] as const) {
      const { client, slept } = fake([refusal(503, "internal_error", { date, "retry-after": after }), answer({})])
      await client.donors.read("dnr_1")
      assert.deepStrictEqual(slept, [seconds === null ? 250 : seconds * 1000], after)
    }
    // Without a date of its own the answer is as old as the client's clock says.
    const { client } = fake([refusal(429, "rate_limited", { "retry-after": new Date(4e12).toUTCString() })])
    const outcome = await client.donors.read("dnr_1").outcome()
    assert.isTrue(!outcome.ok && (outcome.failure.retry_after_seconds ?? 0) > 60)
  })

  it("waits anything up to a ceiling that doubles", () =>
    forEveryAsync(
      fc.record({
        random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        maxRetries: fc.integer({ min: 0, max: 8 }),
        baseDelayMillis: fc.integer({ min: 1, max: 1_000 }),
        maxDelayMillis: fc.integer({ min: 1, max: 20_000 })
      }),
      async ({ random, ...policy }) => {
        const { client, seen, slept } = fake([broken], { ...policy, random: () => random })
        const outcome = await client.donors.list().outcome()
        assert.isTrue(!outcome.ok && outcome.failure instanceof ConnectionError)
        assert.lengthOf(seen, policy.maxRetries + 1)
        const ceilings = Array.from(slept, (_, n) => Math.min(policy.maxDelayMillis, policy.baseDelayMillis * 2 ** n))
        assert.deepStrictEqual(
          slept,
          ceilings.map((ceiling) => random * ceiling)
        )
      }
    ))

  it("ends with the signal, before a call, during it, and between attempts", async () => {
    const before = fake([answer({})])
    const early = await before.client.donors.list({}, { signal: AbortSignal.abort("over") }).outcome()
    assert.isTrue(!early.ok && early.failure.name === "ConnectionError" && early.failure.reason === "aborted")
    assert.lengthOf(before.seen, 0)

    const controller = new AbortController()
    const between = fake([broken], { sleep: async () => controller.abort("over") })
    const outcome = await between.client.donors.list({}, { signal: controller.signal }).outcome()
    assert.isTrue(!outcome.ok && outcome.failure.name === "ConnectionError" && outcome.failure.cause === "over")
    assert.lengthOf(between.seen, 1)
  })

  it("gives up an attempt whose time is over and makes another one", async () => {
    let attempts = 0
    const { client } = fake([], {
      timeoutMillis: 5,
      fetch: (_, { signal }) => {
        attempts += 1
        if (attempts > 1) return Promise.resolve(Response.json({ status: "ok" }))
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)))
      }
    })
    assert.deepInclude(await client.meta.health(), { status: "ok" })
    assert.strictEqual(attempts, 2)
  })

  it("does not follow a redirect", async () => {
    const { client, seen } = fake([() => new Response(null, { status: 302, headers: { location: "https://x.test" } })])
    const outcome = await client.donors.list().outcome()
    assert.isTrue(!outcome.ok && outcome.failure.name === "ConnectionError" && outcome.failure.status === 302)
    assert.lengthOf(seen, 1)
  })
})

describe("the caller's own mistakes", () => {
  it("are no failures of the service, and nothing is sent", async () => {
    const { client, seen } = fake([answer({})])
    for (const id of ["", ".", ".."]) assert.instanceOf(await failureOf(client.donors.read(id)), TypeError)
    const list = client.donors.list({ email: { in: ["a,b@example.org"] } })
    assert.instanceOf(await failureOf(list), TypeError)
    assert.lengthOf(seen, 0)
  })
})
