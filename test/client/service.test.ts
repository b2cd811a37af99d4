import { assert, beforeAll, it } from "@effect/vitest"
import fc from "fast-check"
import { AlmonerError, type Client, createClient } from "../../src/client.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { describeService, inMemory } from "../support/ServiceSuite.ts"
import { makeTenant, type Tenant } from "../support/Tenant.ts"

describeService(inMemory, "a client of the service over sockets", (service) => {
  let tenant: Tenant
  let baseUrl: string
  let client: Client

  beforeAll(async () => {
    baseUrl = `http://127.0.0.1:${await service.listen()}/`
  })

  const sleep = async (millis: number) => service.clock.advance(Math.ceil(millis))
  const clientOf = (apiKey: string) => createClient({ baseUrl, apiKey, sleep })

  const begin = async () => {
    tenant = await makeTenant(service)
    client = clientOf(tenant.writeKey.secret)
  }

  it("iterates over exactly the records that match, in their order, whatever the size of a page", async () => {
    await begin()
    const made: Array<string> = []
    for (let count = 0; count < 23; count++) {
      const email = count % 3 === 0 ? "a+b@example.org" : `${count}@example.org`
      made.unshift((await client.donors.create({ first_name: "Ada", email })).id)
      service.clock.advance(1_000)
    }
    await forEveryAsyncWith(
      { numRuns: 20 },
      fc.integer({ min: 1, max: 30 }),
      fc.boolean(),
      async (limit, isFiltered) => {
        const ids: Array<string> = []
        const query = isFiltered ? { limit, email: { in: ["a+b@example.org", "none@example.org"] } } : { limit }
        for await (const { id } of client.donors.all(query)) ids.push(id)
        const expected = made.filter((_, index) => !isFiltered || (made.length - 1 - index) % 3 === 0)
        assert.deepStrictEqual(ids, expected)
      }
    )
  })

  it("fetches no page before it is reached", async () => {
    await begin()
    for (let count = 0; count < 3; count++) await client.donors.create({ first_name: "Ada" })
    let requests = 0
    const counting = createClient({
      baseUrl,
      apiKey: tenant.readKey.secret,
      fetch: (url, init) => {
        requests += 1
        return fetch(url, init)
      }
    })
    for await (const _ of counting.donors.all({ limit: 1 })) break
    assert.strictEqual(requests, 1)
  })

  it("sends filters as the service reads them", async () => {
    await begin()
    await client.donors.create({ first_name: "Ada", donor_type: "INDIVIDUAL" })
    const { filters } = await client.donors.list({
      email: "A+b c@example.org",
      donor_type: { in: ["TRUST", "UNKNOWN"], not_in: ["INDIVIDUAL"] },
      created_at: { gte: "2026-01-01T00:00:00+10:00", lt: "2027-01-01" },
      search: "50% off & more",
      sort: "-last_name",
      archived: true,
      segment: undefined
    })
    assert.deepStrictEqual(filters, {
      search: "50% off & more",
      email: { eq: "A+b c@example.org" },
      donor_type: { in: ["TRUST", "UNKNOWN"], not_in: ["INDIVIDUAL"] },
      created_at: { gte: "2026-01-01T00:00:00+10:00", lt: "2027-01-01" },
      segment: null,
      sort: "-last_name"
    })
  })

  it("has the service's refusal as a value and as an error", async () => {
    await begin()
    const call = () => client.donors.create({ first_name: "Ada", email: "nobody" }, { requestId: "req_mine" })
    const outcome = await call().outcome()
    assert.isFalse(outcome.ok)
    assert.instanceOf(outcome.failure, AlmonerError)
    const { message, ...fields } = outcome.failure
    assert.deepInclude(fields, { code: "validation_failed", status: 400, param: "email", request_id: "req_mine" })
    assert.strictEqual(fields.doc_url, `${service.settings.apiBaseUrl}/docs#error-validation_failed`)
    assert.deepInclude(await call().catch((error: unknown) => error), { code: "validation_failed", param: "email" })
    for (const [refused, code] of [
      [clientOf("alm_unknown").donors.list().outcome(), "unauthorized"],
      [clientOf(tenant.readKey.secret).donors.create({ first_name: "Ada" }).outcome(), "forbidden"],
      [client.donors.read("dnr_01jqz6x8h4e5vb9m2k7ncw3t5d").outcome(), "not_found"],
      [client.donors.read("a/b?c").outcome(), "not_found"]
    ] as const) {
      const ending = await refused
      assert.isTrue(!ending.ok && ending.failure.name === "AlmonerError" && ending.failure.code === code)
    }
  })

  it("says what came beside a value: the budget, the request's id, whether it was replayed", async () => {
    await begin()
    const options = { idempotencyKey: "once", requestId: "req_once" }
    const first = await client.donors.create({ first_name: "Ada" }, options).outcome()
    const second = await client.donors.create({ first_name: "Ada" }, options).outcome()
    assert(first.ok && second.ok)
    assert.deepStrictEqual(second.value, first.value)
    assert.deepStrictEqual([first.replayed, second.replayed], [false, true])
    assert.deepInclude(second, { request_id: "req_once", idempotency_key: "once" })
    assert.deepStrictEqual(Object.keys(second.rate ?? {}).sort(), ["limit", "remaining", "reset_seconds"])
    assert.strictEqual(second.rate?.limit, 100)
  })

  it("waits out a drained budget", async () => {
    await begin()
    for (let count = 0; count < 250; count++) await client.meta.whoami()
  })
})
