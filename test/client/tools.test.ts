import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { Webhook } from "standardwebhooks"
import {
  type AttemptLine,
  type EventDataByType,
  type EventType,
  type ExtraHeaders,
  signWebhook,
  verifyWebhook
} from "../../src/client.ts"
import { eventTypes } from "../../src/domain/outbox/Event.ts"
import { webUrl } from "../../src/testing/Characters.ts"
import { forEveryAsync } from "../support/Property.ts"
import { answer, broken, fake, refusal } from "./Fake.ts"

const token = fc.stringMatching(/^x-[a-z]{1,8}$/)
const text = fc.stringMatching(/^[A-Za-z0-9]{1,12}$/)
const headers = fc.dictionary(token, fc.option(text, { nil: undefined }), { maxKeys: 4 })

/** The headers of layers, later ones over earlier ones; what is undefined is none. */
const layered = (...layers: ReadonlyArray<ExtraHeaders>): Readonly<Record<string, string>> => {
  const found: Record<string, string> = {}
  for (const layer of layers) {
    for (const [name, value] of Object.entries(layer)) if (value !== undefined) found[name] = value
  }
  return found
}

describe("options", () => {
  it("that are no number are refused; a time that no timer can wait is as long as one can", async () => {
    const names = ["maxRetries", "baseDelayMillis", "maxDelayMillis", "maxRetryAfterMillis", "timeoutMillis"] as const
    for (const name of names) {
      for (const value of [Number.NaN, -1, "4" as never]) {
        assert.throws(() => fake([answer({})], { [name]: value }), TypeError, name)
      }
    }
    const { client, seen } = fake([refusal(500, "internal_error")])
    for (const given of [{ maxRetries: Number.NaN }, { timeoutMillis: Number.NaN }]) {
      const refused = await client.donors.read("dnr_1", given).catch((error: unknown) => error)
      assert.instanceOf(refused, TypeError)
    }
    assert.isEmpty(seen)
    for (const timeoutMillis of [Number.POSITIVE_INFINITY, 2 ** 31]) {
      const slow = (_: string, { signal }: RequestInit) =>
        new Promise<Response>((resolve, reject) => {
          signal?.addEventListener("abort", () => reject(signal.reason))
          setTimeout(() => resolve(Response.json({ id: "dnr_1" })), 30)
        })
      const patient = fake([], { fetch: slow, timeoutMillis, maxRetries: 0 }).client
      assert.strictEqual((await patient.donors.read("dnr_1")).id, "dnr_1")
      const hasty = fake([], { fetch: slow, maxRetries: 0 }).client
      assert.strictEqual((await hasty.donors.read("dnr_1", { timeoutMillis })).id, "dnr_1")
    }
  })

  it("have a key that can be sent; one that cannot is refused, and not told", () => {
    for (const apiKey of [undefined as never, "", "  ", "alm_test_a\nb", "alm_test_a b", "ключ"]) {
      try {
        fake([answer({})], { apiKey })
        assert.fail("it was taken")
      } catch (error) {
        assert.instanceOf(error, TypeError)
        assert.match(String(error), /apiKey must be/)
        assert.notMatch(String(error), /alm_test|ключ/)
      }
    }
  })

  it("may have a key as it is read from a file, with the end of its line", async () => {
    const { client, seen } = fake([answer({})], { apiKey: "alm_test_a\n" })
    await client.donors.read("dnr_1")
    assert.strictEqual(seen[0]?.headers.get("authorization"), "Bearer alm_test_a")
  })
})

describe("headers", () => {
  it("are those of the client, of the clients that it was made from, and of the call", () =>
    forEveryAsync(headers, headers, headers, async (first, second, third) => {
      const { client, seen } = fake([answer({})], { headers: first })
      await client.withOptions({ headers: second }).donors.read("dnr_1", { headers: third })
      const sent = Object.fromEntries(seen[0]?.headers ?? [])
      const own = Object.fromEntries(Object.entries(sent).filter(([name]) => name.startsWith("x-")))
      // An undefined header of a later client leaves no header of that name.
      assert.deepStrictEqual(own, layered({ ...first, ...second }, third))
    }))

  it("never take the place of the client's own", async () => {
    const names = ["Accept", "AUTHORIZATION", "content-Type", "idempotency-KEY", "X-Request-Id"]
    const mine = Object.fromEntries(names.map((name) => [name, "mine"]))
    const { client, seen } = fake([answer({})], { headers: mine })
    await client.donors.create({ first_name: "Ada" }, { headers: mine, idempotencyKey: "key", requestId: "req" })
    const sent = seen[0]?.headers
    assert.strictEqual(sent?.get("authorization"), "Bearer alm_test")
    assert.strictEqual(sent?.get("accept"), "application/json")
    assert.strictEqual(sent?.get("content-type"), "application/json")
    assert.strictEqual(sent?.get("idempotency-key"), "key")
    assert.strictEqual(sent?.get("x-request-id"), "req")
  })
})

describe("events of a host's own", () => {
  const told = { id: "evt_1", type: "x.pledge.signed", data: { amount_cents: "none" } }
  const page = { data: [told], has_more: false }
  const refusing = {
    "~standard": { version: 1, vendor: "test", validate: () => ({ issues: [{ message: "no" }] }) }
  } as const

  it.each([
    ["declared", { "x.pledge.signed": refusing }],
    ["not declared", { "x.tour.booked": refusing }],
    ["without a declaration", undefined]
  ])("are asked for and read as they are, %s", async (_, events) => {
    const { client, seen } = fake([answer(page), answer(told), answer(page)], { events })
    const listed = await client.events.list({ type: { in: ["x.pledge.signed"] } })
    const read: unknown = await client.events.read("evt_1")
    const all: Array<unknown> = []
    for await (const event of client.withOptions({ maxRetries: 0 }).events.all()) all.push(event)
    assert.deepStrictEqual([...listed.data, read, ...all], [told, told, told])
    assert.deepStrictEqual(
      seen.map(({ url }) => decodeURIComponent(new URL(url).search)),
      ["?type[in]=x.pledge.signed", "", ""]
    )
  })
})

describe("withOptions", () => {
  it("makes a client with other options, and leaves the first as it is", async () => {
    const { client, seen, slept } = fake([refusal(503, "internal_error")])
    const hasty = client.withOptions({ maxRetries: 0, apiKey: "alm_other", timeoutMillis: undefined })
    await hasty.donors.read("dnr_1").outcome()
    assert.lengthOf(seen, 1)
    assert.strictEqual(seen[0]?.headers.get("authorization"), "Bearer alm_other")
    await client.donors.read("dnr_1").outcome()
    assert.lengthOf(slept, 4)
    assert.strictEqual(seen.at(-1)?.headers.get("authorization"), "Bearer alm_test")
  })
})

describe("request", () => {
  it("calls any path of the service with query, body, key and retries", async () => {
    const { client, seen } = fake([broken, answer({ made: true })])
    const query = { status: { in: ["A", "B"] }, since: new Date(0), none: undefined }
    const made = await client.request<{ readonly made: boolean }>("POST", "/api/v2/things", { query, body: { a: 1 } })
    assert.isTrue(made.made)
    assert.lengthOf(seen, 2)
    const [first = assert.fail(), second] = seen
    const asked = "status%5Bin%5D=A%2CB&since=1970-01-01T00%3A00%3A00.000Z"
    assert.strictEqual(first?.url, `https://api.almoner.test/api/v2/things?${asked}`)
    assert.strictEqual(first.method, "POST")
    assert.strictEqual(first.body, '{"a":1}')
    assert.isNotNull(first.headers.get("idempotency-key"))
    assert.strictEqual(second?.headers.get("idempotency-key"), first.headers.get("idempotency-key"))
  })

  it("sends the key to no other host, whatever the path", () =>
    forEveryAsync(
      fc.oneof(
        fc.string(),
        webUrl,
        webUrl.map((url) => new URL(url).pathname),
        fc.constant("@evil.test/")
      ),
      async (path) => {
        const { client, seen } = fake([answer({})])
        await client.request("GET", path).then(
          () => {},
          (failure: unknown) => assert.instanceOf(failure, TypeError)
        )
        assert.lengthOf(seen, path.startsWith("/") ? 1 : 0)
        for (const { url } of seen) assert.strictEqual(new URL(url).host, "api.almoner.test")
      }
    ))
})

describe("the logger", () => {
  const secrets = ["alm_test", "ada@example.org", "Ada", "secret-key", "needle"]

  it("is told of every attempt, and of no key, header, query or body", async () => {
    const lines: Array<AttemptLine> = []
    const logger = (line: AttemptLine) => lines.push(line)
    const steps = [
      broken,
      refusal(503, "internal_error"),
      answer({ name: "Ada", email: "ada@example.org" }, { "x-request-id": "req_2" })
    ]
    const { client } = fake(steps, { logger: (line) => void logger(line), headers: { "x-trace": "needle" } })
    await client.request("POST", "/api/v1/donors", {
      query: { search: "needle" },
      body: { first_name: "Ada", email: "ada@example.org" },
      idempotencyKey: "secret-key",
      requestId: "req_mine"
    })
    const told = lines.map(({ duration_ms: _, ...line }) => line)
    const common = { method: "POST", path: "/api/v1/donors" }
    assert.deepStrictEqual(told, [
      { ...common, status: null, reason: "network", request_id: "req_mine", attempt: 1 },
      { ...common, status: 503, reason: null, request_id: "req_1", attempt: 2 },
      { ...common, status: 200, reason: null, request_id: "req_2", attempt: 3 }
    ])
    for (const { duration_ms } of lines) assert.isAtLeast(duration_ms, 0)
    for (const secret of secrets) assert.notInclude(JSON.stringify(lines), secret)
  })

  it("fails no call when it fails", async () => {
    const { client } = fake([answer({ id: "dnr_1" })], {
      logger: () => {
        throw new Error("disk full")
      }
    })
    assert.strictEqual((await client.donors.read("dnr_1")).id, "dnr_1")
  })
})

describe("signWebhook", () => {
  const secret = "whs_4f9c2d7e8b1a4c6d9e0f1a2b3c4d5e6f"
  const data: EventDataByType["donor.created"] = {
    id: "dnr_1",
    donor_type: "INDIVIDUAL",
    email: null,
    first_name: "Zoë",
    last_name: null,
    organisation_name: null
  }
  const type = "donor.created"

  it("makes what verifyWebhook and the reference library accept", () =>
    forEveryAsync(fc.constantFrom<EventType>(...eventTypes), fc.string({ unit: "grapheme" }), async (each, name) => {
      // The data is of one type whatever the event's: what is signed is looked at by neither.
      const anyEvent = { secret, type, data: { ...data, first_name: name }, ...Object({ type: each }) }
      const { body, headers } = await signWebhook(anyEvent)
      const event = await verifyWebhook({ body, headers, secret })
      assert.strictEqual(event.type, each)
      assert.strictEqual(event.id, headers["webhook-id"])
      assert.deepEqual<unknown>(event.data, { ...data, first_name: name })
      new Webhook(Buffer.from(secret, "utf8").toString("base64")).verify(body, { ...headers })
    }))

  it("signs with each secret of a rotation, and gives every delivery an id of its own", async () => {
    const both = await signWebhook({ secret: [secret, "whs_new"], type, data })
    for (const each of [secret, "whs_new"]) await verifyWebhook({ ...both, secret: each })
    const ids = await Promise.all(Array.from({ length: 20 }, () => signWebhook({ secret, type, data })))
    assert.lengthOf(new Set(ids.map((each) => each.headers["webhook-id"])), 20)
    for (const each of ids) assert.match(each.headers["webhook-id"], /^dlv_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  })

  it("takes id, instant and organisation, and no empty secret", async () => {
    const now = 1_674_087_231_000
    const signed = await signWebhook({ secret, type, data, id: "dlv_1", organisation_id: "org_1", now })
    assert.deepEqual<unknown>(await verifyWebhook({ ...signed, secret, now }), {
      id: "dlv_1",
      type,
      occurred_at: new Date(now).toISOString(),
      organisation_id: "org_1",
      data
    })
    const late = await verifyWebhook({ ...signed, secret }).outcome()
    assert.strictEqual(late.ok ? "verified" : late.failure.reason, "timestamp")
    for (const none of ["", []]) {
      const refused = await signWebhook({ secret: none, type, data }).catch((failure: unknown) => failure)
      assert.instanceOf(refused, TypeError)
    }
  })
})
