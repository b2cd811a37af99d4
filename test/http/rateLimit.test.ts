import { assert, describe, it } from "@effect/vitest"
import { type Answer, assertRefused } from "../support/Answer.ts"
import { addressHeader } from "../support/Service.ts"
import { times, withService } from "../support/ServiceSuite.ts"
import { makeTenant, makeTenants } from "../support/Tenant.ts"

const passed = (answers: ReadonlyArray<Answer>) => answers.filter(({ status }) => status < 400).length

const header = (answer: Answer | undefined, name: string) => Number(answer?.headers.get(name))

describe("the rate limit", () => {
  it("lets 100 of 180 requests at once pass", () =>
    withService(async (service) => {
      const tenant = await makeTenant(service)
      const answers = await times(180, () => tenant.reader.get("/whoami"))
      assert.strictEqual(passed(answers), 100)
      for (const refused of answers.filter(({ status }) => status >= 400)) assertRefused(refused, "rate_limited")
      const remaining = answers.filter(({ status }) => status < 400).map((each) => header(each, "RateLimit-Remaining"))
      assert.deepStrictEqual(
        [...remaining].sort((a, b) => b - a),
        Array.from({ length: 100 }, (_, i) => 99 - i)
      )
    }))

  it("is one for all keys of an organisation, and another for its twin", () =>
    withService(async (service) => {
      const { live, sandbox } = await makeTenants(service)
      assert.strictEqual(passed(await times(60, () => live.reader.get("/whoami"))), 60)
      assert.strictEqual(passed(await times(60, () => live.writer.get("/whoami"))), 40)
      assert.strictEqual(passed(await times(100, () => sandbox.reader.get("/whoami"))), 100)
    }))

  it("counts refusals of every kind but its own", () =>
    withService(async (service) => {
      const tenant = await makeTenant(service)
      const { reader } = tenant
      const kinds = [
        () => reader.get("/nowhere"),
        () => reader.request("PUT", "/whoami"),
        () => reader.post("/donors", {}),
        () => reader.get("/donors?nope=1"),
        () => reader.get("/donors/dnr_x")
      ]
      for (const kind of kinds) await times(20, kind)
      assertRefused(await reader.get("/whoami"), "rate_limited")
      await times(50, () => reader.get("/whoami"))
      service.clock.advance(10)
      assert.strictEqual((await reader.get("/whoami")).status, 200)
    }))

  it("draws on the address where there is no good key", () =>
    withService(async (service) => {
      const from = (address: string) => ({ [addressHeader]: address })
      const tenant = await makeTenant(service)
      assert.strictEqual((await tenant.reader.get("/whoami", from("b"))).status, 200)
      const answers = [
        ...(await times(40, () => service.as("alm_live_wrong").get("/whoami", from("a")))),
        ...(await times(40, () => service.as().get("/whoami", from("a")))),
        ...(await times(40, () => service.as().get("/health", from("a"))))
      ]
      assert.deepStrictEqual(
        [401, 200, 429].map((status) => answers.filter((each) => each.status === status).length),
        // Health is answered all the same.
        [80, 40, 0]
      )
      assertRefused(await service.as().get("/whoami", from("a")), "rate_limited")
      assertRefused(await service.as().get("/whoami", from("b")), "unauthorized")
      assert.strictEqual((await tenant.reader.get("/whoami", from("a"))).status, 200)
    }))

  it("leaves an Idempotency-Key free that it refused", () =>
    withService(async (service) => {
      const tenant = await makeTenant(service)
      await times(100, () => tenant.reader.get("/whoami"))
      const create = () => tenant.writer.post("/donors", { first_name: "Ada" }, { "idempotency-key": "k" })
      assertRefused(await create(), "rate_limited")
      service.clock.advance(1_000)
      const made = await create()
      assert.deepStrictEqual([made.status, made.headers.get("Idempotent-Replayed")], [201, null])
      assert.strictEqual((await create()).headers.get("Idempotent-Replayed"), "true")
    }))

  it("follows the operator's size, and says so", () =>
    withService(
      async (service) => {
        const tenant = await makeTenant(service)
        assert.strictEqual(passed(await times(30, () => tenant.reader.get("/whoami"))), 20)
        assert.strictEqual(header(await tenant.reader.get("/whoami"), "Retry-After"), 1)
      },
      { perSecond: 2, burst: 20 }
    ))
})
