import { assert, describe, it } from "@effect/vitest"
import { SqlError } from "effect/sql"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { assertRefused } from "../support/Answer.ts"
import { type Service, startService } from "../support/Service.ts"
import { memory } from "../support/Stores.ts"
import { makeTenant, type Tenant } from "../support/Tenant.ts"

const withCode = (code: string, message: string) => Object.assign(new Error(message), { code })

/** A database that is lost, as the driver tells it. */
const lost: ReadonlyArray<readonly [how: string, reason: SqlError.SqlErrorReason]> = [
  [
    "refuses connections",
    new SqlError.ConnectionError({ cause: withCode("ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:5432") })
  ],
  ["ends its sessions", new SqlError.UnknownError({ cause: withCode("57P01", "terminating connection") })],
  ["is starting up", new SqlError.UnknownError({ cause: withCode("57P03", "the database system is starting up") })],
  ["has no session left", new SqlError.UnknownError({ cause: withCode("53300", "sorry, too many clients already") })]
]

const withBroken = async (defect: unknown, run: (service: Service, tenant: Tenant) => Promise<void>) => {
  const service = await startService({ stores: memory })
  const tenant = await makeTenant(service)
  service.pace = 10
  service.logs.length = 0
  service.faults.writesBreak = true
  service.faults.defect = defect
  await run(service, tenant).finally(() => service.stop())
}

const give = ({ writer }: Tenant, key: number) =>
  writer.post("/donors", { first_name: "Ada" }, { "idempotency-key": `${key}` })

describe("a lost database", () => {
  it.each(lost)("that %s is 500 with the time to wait, and one line of the log a minute", (_, reason) =>
    withBroken(new SqlError.SqlError({ reason }), async (service, tenant) => {
      for (let minute = 0; minute < 3; minute++) {
        for (let asked = 0; asked < 10; asked++) {
          const answer = await give(tenant, asked)
          assertRefused(answer, "internal_error")
          assert.strictEqual(answer.headers.get("retry-after"), `${Limits.outageRetrySeconds}`)
        }
        assert.lengthOf(service.logs, minute + 1)
        service.clock.advance(60_000)
      }
      const messages = service.logs.map((line) => `${JSON.parse(line).message}`)
      assert.deepStrictEqual(messages, [
        "The database cannot be used: the request failed",
        ...Array.from({ length: 2 }, () => "The database cannot be used: 10 requests failed since this was last told")
      ])
      for (const line of service.logs) assert.notMatch(line, /\\n\s+at /)
      service.faults.writesBreak = false
      assert.strictEqual((await give(tenant, 0)).status, 201)
    })
  )

  it("is told before the key is known, too", () =>
    withBroken(new SqlError.SqlError({ reason: lost[0]?.[1] ?? assert.fail() }), async (service, tenant) => {
      service.faults.lookUpsBreak = true
      service.clock.advance(10_000)
      const answer = await tenant.reader.get("/whoami")
      assertRefused(answer, "internal_error")
      assert.strictEqual(answer.headers.get("retry-after"), `${Limits.outageRetrySeconds}`)
    }))
})

describe("a database that refuses its work until its operator acts", () => {
  const refusing = (code: string) =>
    new SqlError.SqlError({ reason: new SqlError.UnknownError({ cause: withCode(code, "permission denied") }) })

  it("asks nobody to try again, and is one line a minute for each kind", () =>
    withBroken(refusing("42501"), async (service, tenant) => {
      for (const [code, lines] of [
        ["42501", 1],
        ["42501", 1],
        ["42P01", 2],
        ["53100", 3]
      ] as const) {
        service.faults.defect = refusing(code)
        const answer = await give(tenant, lines)
        assertRefused(answer, "internal_error")
        assert.strictEqual(answer.headers.has("retry-after"), code === "53100")
        assert.strictEqual(/try again/i.test(`${answer.at("error.message")}`), code === "53100")
        assert.lengthOf(service.logs, lines)
      }
    }))
})

describe("any other failure", () => {
  it("promises no time, and is told each time with its stack", () =>
    withBroken(new Error("a mistake of the program"), async (service, tenant) => {
      for (let asked = 1; asked <= 3; asked++) {
        const answer = await give(tenant, asked)
        assertRefused(answer, "internal_error")
        assert.isFalse(answer.headers.has("retry-after"))
        assert.lengthOf(service.logs, asked)
      }
      for (const line of service.logs) assert.match(line, /a mistake of the program[\s\S]*\\n\s+at /)
    }))
})
