import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { type Access, withAccessLog } from "../../src/adapters/http/server/AccessLog.ts"
import { type Service, startService } from "../support/Service.ts"
import { memory } from "../support/Stores.ts"
import { makeTenant, type Tenant } from "../support/Tenant.ts"

const withLog = async (run: (service: Service, lines: Array<Access>, tenant: Tenant) => Promise<void>) => {
  const lines: Array<Access> = []
  const service = await startService({
    stores: memory,
    documents: new Map([["/docs", { body: new Uint8Array(), contentType: "text/html", headers: {} }]]),
    accessLog: (access) => Effect.sync(() => void lines.push(access))
  })
  const tenant = await makeTenant(service)
  await run(service, lines, tenant).finally(() => service.stop())
}

const donor = { first_name: "Ada" }

describe("the access log", () => {
  it("has one line for each request: what was asked by its route, how it ended, and whose key it was", () =>
    withLog(async (service, lines, { organisation, reader, writer }) => {
      const made = await writer.post("/donors", donor)
      const id = made.textAt("id")
      await reader.get(`/donors/${id}`)
      await reader.get("/donors/dnr_canary")
      await reader.get("/canary")
      await reader.post("/donors", donor)
      await reader.request("PUT", "/donors")
      await service.as().get("/health")
      await service.as("alm_test_nobody").get("/whoami")
      await reader.get("/whoami", { "x-request-id": "mine" })
      const told = lines.map(({ method, organisation_id, route, status }) => [method, route, status, organisation_id])
      const { id: owner } = organisation
      assert.deepStrictEqual(told, [
        ["POST", "/api/v1/donors", 201, owner],
        ["GET", "/api/v1/donors/:id", 200, owner],
        ["GET", "/api/v1/donors/:id", 404, owner],
        ["GET", "unknown", 404, owner],
        ["POST", "/api/v1/donors", 403, owner],
        ["PUT", "/api/v1/donors", 405, owner],
        ["GET", "/api/v1/health", 200, null],
        ["GET", "/api/v1/whoami", 401, null],
        ["GET", "/api/v1/whoami", 200, owner]
      ])
      assert.strictEqual(lines.at(-1)?.request_id, "mine")
      for (const { ms, request_id } of lines) {
        assert.isAtLeast(ms, 0)
        assert.match(request_id, /^(req_\w{26}|mine)$/)
      }
    }))

  it("holds nothing of a path that the caller made up", () =>
    withLog(async (service, lines, { reader }) => {
      const segment = fc.oneof(
        fc.constantFrom("api", "v1", "donors", "docs", "forms", "contact-logs", "merge"),
        fc
          .stringMatching(/^[a-z%_.~]{0,4}canary[A-Za-z0-9%_.~-]{0,8}$/)
          .filter((text) => !/%(?![0-9A-F]{2})/.test(text))
      )
      const path = fc.array(segment, { maxLength: 6 }).map((segments) => `/${segments.join("/")}`)
      const method = fc.constantFrom("GET", "POST", "CANARY", "DELETE")
      const asked = fc.asyncProperty(path, method, fc.boolean(), async (given, verb, isKnown) => {
        lines.length = 0
        const key = isKnown ? {} : { headers: { authorization: "Bearer canary" } }
        if (isKnown) await reader.request(verb, given)
        else await service.call(verb, given, key)
        assert.lengthOf(lines, 1)
        assert.notMatch(JSON.stringify(lines), /canary/i)
      })
      await fc.assert(asked, { numRuns: 150 })
    }))

  it("has a line for what is not even HTTP", () =>
    withLog(async (service, lines) => {
      const socket = connect(await service.listen(), "127.0.0.1")
      socket.on("error", () => {}).resume()
      socket.write("canary canary\r\n\r\n")
      await new Promise((resolve) => socket.once("close", resolve))
      const [line] = lines
      assert.deepInclude(line, { method: "other", route: "unknown", status: 400, organisation_id: null })
    }))

  it("is nothing where nobody writes it", () => {
    const answering = () => Effect.never
    const logged = Effect.runSync(withAccessLog({ routes: () => undefined, documents: new Map() }))
    assert.strictEqual(logged(answering), answering)
  })
})
