import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { ApiKeys } from "../../src/app/access/ApiKeys.ts"
import { assemble } from "../../src/domain/access/ApiKey.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { assertRefused } from "../support/Answer.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { addressHeader, type Service } from "../support/Service.ts"
import { times, withService } from "../support/ServiceSuite.ts"
import { asOperator, makeKey, makeTenant, type Tenant } from "../support/Tenant.ts"

const withTenant = (run: (service: Service, tenant: Tenant) => Promise<void>, bucket?: Service["bucket"]) =>
  withService(async (service) => {
    const tenant = await makeTenant(service)
    service.faults.lookUps = 0
    await run(service, tenant)
  }, bucket)

let made = 0

/** A key that has the form of one and was never made. */
const unknownKey = (): string => {
  made += 1
  return assemble(false, `${made}`.padStart(33, "a"))
}

const from = (address: string) => ({ [addressHeader]: address })

const whoami = (service: Service, key: string, address: string) => service.as(key).get("/whoami", from(address))

/** Takes all tokens of an address with keys that nobody has. */
const drain = (service: Service, address: string) =>
  times(service.bucket.burst, () => whoami(service, unknownKey(), address))

const statuses = (answers: ReadonlyArray<{ readonly status: number }>, status: number): number =>
  answers.filter((each) => each.status === status).length

describe("keys that nobody has", () => {
  it("reach the store as often as their address has tokens, one at a time or all at once", () =>
    withTenant(async (service) => {
      const answers = await times(300, () => whoami(service, unknownKey(), "192.0.2.1"))
      assert.deepStrictEqual([statuses(answers, 401), statuses(answers, 429)], [100, 200])
      assert.strictEqual(service.faults.lookUps, 100)
      service.clock.advance(200)
      for (let i = 0; i < 30; i++) await whoami(service, unknownKey(), "192.0.2.1")
      assert.strictEqual(service.faults.lookUps, 120)
      await whoami(service, unknownKey(), "192.0.2.2")
      assert.strictEqual(service.faults.lookUps, 121)
    }))

  it("are counted by the /64 of their address", () =>
    withTenant(async (service) => {
      const hosts = Array.from({ length: 300 }, (_, host) => `2001:db8:0:7::${(host + 1).toString(16)}`)
      const answers = await Promise.all(hosts.map((host) => whoami(service, unknownKey(), host)))
      assert.deepStrictEqual([statuses(answers, 401), statuses(answers, 429)], [100, 200])
      assert.strictEqual((await whoami(service, unknownKey(), "2001:db8:0:8::1")).status, 401)
      await drain(service, "198.51.100.1")
      assert.strictEqual((await whoami(service, unknownKey(), "::ffff:198.51.100.1")).status, 429)
    }))

  it("never reach it where they are mistyped", () =>
    withTenant(async (service, tenant) => {
      const { secret } = tenant.readKey
      const mistyped = secret.slice(0, -1) + (secret.endsWith("0") ? "1" : "0")
      await times(20, () => whoami(service, mistyped, "192.0.2.1"))
      assert.strictEqual(service.faults.lookUps, 0)
    }))

  it("keep no caller out whose key was valid here within the hour", () =>
    withTenant(async (service, { readKey, writeKey }) => {
      const address = "192.0.2.1"
      const knownMillis = Limits.apiKeyKnownSeconds * 1_000
      assert.strictEqual((await whoami(service, readKey.secret, "203.0.113.1")).status, 200)
      for (const wait of [0, Limits.apiKeyCacheSeconds * 1_000, knownMillis - 1]) {
        service.clock.advance(wait)
        await drain(service, address)
        assert.strictEqual((await whoami(service, readKey.secret, address)).status, 200, `after ${wait}`)
      }
      // Nobody has shown this one yet, and it waits for a token like anybody.
      assertRefused(await whoami(service, writeKey.secret, address), "rate_limited")
      service.clock.advance(1_000)
      assert.strictEqual((await whoami(service, writeKey.secret, address)).status, 200)
      service.clock.advance(knownMillis)
      await drain(service, address)
      assertRefused(await whoami(service, readKey.secret, address), "rate_limited")
    }))

  it("keep out one that was revoked as soon as it is looked up", () =>
    withTenant(async (service, { organisation }) => {
      const address = "192.0.2.1"
      const key = await makeKey(service, organisation, "READ")
      assert.strictEqual((await whoami(service, key.secret, address)).status, 200)
      await service.run(ApiKeys.use((keys) => keys.revoke(key.id)).pipe(asOperator(organisation)))
      await drain(service, address)
      service.faults.lookUps = 0
      const answers = await times(50, () => whoami(service, key.secret, address))
      assert.strictEqual(statuses(answers, 429), 50)
      await times(50, () => whoami(service, key.secret, address))
      assert.strictEqual(service.faults.lookUps, 1)
    }))

  it("do not hide the service from whoever watches it", () =>
    withTenant(async (service) => {
      await drain(service, "192.0.2.1")
      for (let i = 0; i < 50; i++) {
        const health = await service.as().get("/health", from("192.0.2.1"))
        assert.deepStrictEqual([health.status, health.headers.get("RateLimit-Remaining")], [200, "0"])
      }
      assertRefused(await service.as().get("/whoami", from("192.0.2.1")), "rate_limited")
      // Health draws on the address's bucket.
      const remaining = async () =>
        Number((await service.as().get("/health", from("192.0.2.9"))).headers.get("RateLimit-Remaining"))
      assert.deepStrictEqual([await remaining(), await remaining()], [99, 98])
    }))
})

describe("a key that is good", () => {
  it("costs its address nothing, whoever else asks", () =>
    withTenant(async (service, { readKey, writeKey }) => {
      const script = fc.array(fc.constantFrom("good", "stale", "unknown"), { maxLength: 12 })
      let address = 0
      await forEveryAsyncWith({ numRuns: 30 }, script, async (steps) => {
        address += 1
        const own = `203.0.113.${address}`
        service.clock.advance(60_000)
        let strangers = 0
        for (const step of steps) {
          if (step === "stale") {
            service.clock.advance(Limits.apiKeyCacheSeconds * 1_000)
            strangers = 0
          }
          if (step === "unknown") strangers += 1
          const key = step === "unknown" ? unknownKey() : step === "good" ? readKey.secret : writeKey.secret
          assert.strictEqual((await whoami(service, key, own)).status, step === "unknown" ? 401 : 200)
        }
        const health = await service.as().get("/health", from(own))
        assert.strictEqual(Number(health.headers.get("RateLimit-Remaining")), 99 - strangers)
      })
    }))

  it("is looked up once for all who show it at the same moment, however few tokens there are", () =>
    withTenant(
      async (service, { readKey }) => {
        let open = () => {}
        service.faults.lookUpGate = new Promise((resolve) => {
          open = resolve
        })
        const asked = times(2, () => whoami(service, readKey.secret, "192.0.2.1"))
        const strangers = times(2, () => whoami(service, unknownKey(), "192.0.2.1"))
        await new Promise((resolve) => setTimeout(resolve, 20))
        open()
        assert.deepStrictEqual([statuses(await asked, 200), statuses(await strangers, 429)], [2, 1])
        assert.strictEqual(service.faults.lookUps, 2)
      },
      { perSecond: 1, burst: 2 }
    ))

  it("stops within five seconds of being revoked elsewhere, whatever the clock is set to", () =>
    withTenant(async (service, { organisation }) => {
      const key = await makeKey(service, organisation, "READ")
      assert.strictEqual((await whoami(service, key.secret, "192.0.2.1")).status, 200)
      // The next look-up is what would tell of it.
      service.faults.lookUpsBreak = true
      service.clock.now -= 3_600_000
      service.clock.advance(Limits.apiKeyCacheSeconds * 1_000 - 1)
      assert.strictEqual((await whoami(service, key.secret, "192.0.2.1")).status, 200)
      service.clock.advance(1)
      assert.strictEqual((await whoami(service, key.secret, "192.0.2.1")).status, 500)
    }))
})

describe("a clock that is set back", () => {
  it("stops nobody's requests: buckets go on as if nothing had been", () =>
    forEveryAsyncWith(
      { numRuns: 15 },
      fc.integer({ min: -7_200_000, max: 7_200_000 }),
      fc.integer({ min: 0, max: 120 }),
      (step, count) =>
        withTenant(async (service, { reader }) => {
          await times(count, () => reader.get("/whoami"))
          const held = Math.max(0, 100 - count)
          service.clock.now += step
          const next = await times(3, () => reader.get("/whoami"))
          assert.strictEqual(statuses(next, 200), Math.min(3, held))
          service.clock.advance(1_000)
          assert.strictEqual(statuses(await times(100, () => reader.get("/whoami")), 200), 100)
          const health = await service.as().get("/health")
          assert.strictEqual(health.status, 200)
        })
    ))
})
