import { assert, it } from "@effect/vitest"
import { assertRefused } from "../support/Answer.ts"
import { once } from "../support/Late.ts"
import { addressHeader } from "../support/Service.ts"
import { describeService, inMemory } from "../support/ServiceSuite.ts"
import { makeTenant } from "../support/Tenant.ts"

/** Every call holds its answer to the laws of every answer; these tests bring the calls that could break them. */
describeService(inMemory, "every answer", (service) => {
  const tenant = once(() => makeTenant(service))

  it("echoes a legal x-request-id and replaces any other", async () => {
    const legal = ["a", "req_mine", "with space", "a\tb", "!#$%&'*+-.^_`|~\"(),/:;<=>?@[\\]{}", "x".repeat(255)]
    for (const id of legal) {
      const answer = await tenant.reader.get("/whoami", { "x-request-id": id })
      assert.strictEqual(answer.headers.get("x-request-id"), id)
      assertRefused(await service.as().get("/whoami", { "x-request-id": id }), "unauthorized")
    }
    for (const id of ["", "x".repeat(256), "caf\u00e9", "\u0080"]) {
      const answer = await tenant.reader.get("/whoami", { "x-request-id": id })
      assert.match(answer.headers.get("x-request-id") ?? "", /^req_/)
    }
  })

  it("has a request id of its own", async () => {
    const ids = new Set<string | null>()
    for (let i = 0; i < 50; i++)
      ids.add((await service.as().get("/health", { [addressHeader]: "ids" })).headers.get("x-request-id"))
    assert.strictEqual(ids.size, 50)
  })

  it("tells health with its request id and version", async () => {
    const answer = await service.as().get("/health", { "x-request-id": "mine" })
    assert.deepStrictEqual(answer.at(""), { status: "ok", version: service.settings.version, request_id: "mine" })
  })

  it("addresses the documentation from the settings, whatever the Host says", async () => {
    const answer = await service.as().get("/whoami", { host: "evil.example", "x-forwarded-host": "evil.example" })
    assert.strictEqual(answer.at("error.doc_url"), "https://api.almoner.test/docs#error-unauthorized")
  })

  it("is 500 with nothing of the cause when the store breaks, and leaves nothing behind", async () => {
    service.faults.writesBreak = true
    const answer = await tenant.writer.post("/donors", { first_name: "Ada", email: "ada@example.org" })
    service.faults.writesBreak = false
    assertRefused(answer, "internal_error")
    assert.notMatch(answer.text, /broken/)
    assert.deepStrictEqual((await tenant.reader.get("/donors")).at("data"), [])
    assert.deepStrictEqual((await tenant.reader.get("/events")).at("data"), [])
    assert.isTrue(service.logs.some((line) => line.includes(answer.headers.get("x-request-id") ?? "none")))
    assert.isFalse(
      service.logs.some((line) => line.includes("ada@example.org") || line.includes(tenant.writeKey.secret))
    )
  })

  it("tells of the bucket that the request drew on, in a 500, too", async () => {
    service.pace = 0
    const before = Number((await tenant.reader.get("/whoami")).headers.get("RateLimit-Remaining"))
    service.faults.writesBreak = true
    const broken = await tenant.writer.post("/donors", { first_name: "Ada" })
    service.faults.writesBreak = false
    service.pace = 10
    assert.strictEqual(Number(broken.headers.get("RateLimit-Remaining")), before - 1)
  })

  it("does not grow with what the caller sent", async () => {
    const answer = await tenant.writer.post("/donors", { ["x".repeat(300_000)]: 1 })
    assertRefused(answer, "invalid_request")
    assert.isBelow(answer.bytes.byteLength, 3_000)
  })

  it("is never cached nor sniffed", async () => {
    const { headers } = await tenant.reader.get("/organisations/me")
    assert.deepStrictEqual(
      [headers.get("cache-control"), headers.get("x-content-type-options")],
      ["no-store", "nosniff"]
    )
  })
})
