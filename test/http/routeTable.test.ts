import { assert, describe, it } from "@effect/vitest"
import type { Documents } from "../../src/adapters/http/server/Documents.ts"
import { assertRefused } from "../support/Answer.ts"
import { declaredOperations, guardedOperations, pathTo, soundBody } from "../support/Declaration.ts"
import { once } from "../support/Late.ts"
import { type Service, startService } from "../support/Service.ts"
import { describeServiceWith, inMemory } from "../support/ServiceSuite.ts"
import { memory } from "../support/Stores.ts"
import { makeTenant } from "../support/Tenant.ts"

const verbs = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]

const documents: Documents = new Map([
  ["/docs", { contentType: "application/json", body: new TextEncoder().encode("{}") }]
])

/** The verbs of every path, as the API declares them. */
const declaredVerbs = (path: string): ReadonlyArray<string> =>
  declaredOperations
    .filter((each) => each.path === path)
    .flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]))

const stable = ({ headers }: { readonly headers: Headers }) =>
  Object.fromEntries([...headers].filter(([name]) => !/^(x-)?ratelimit|^x-request-id$/.test(name)))

describeServiceWith({ documents })(inMemory, "routing", (service) => {
  const tenant = once(() => makeTenant(service))

  it("answers 405 with the verbs of the path for every other verb", async () => {
    for (const operation of declaredOperations) {
      const allowed = declaredVerbs(operation.path)
      for (const verb of verbs.filter((each) => !allowed.includes(each))) {
        const answer = await tenant.writer.request(verb, pathTo(operation))
        assert.strictEqual(answer.status, 405, `${verb} ${operation.path}`)
        if (verb !== "HEAD") assertRefused(answer, "method_not_allowed")
        assert.sameMembers((answer.headers.get("Allow") ?? "").split(", "), [...allowed], `${verb} ${operation.path}`)
      }
    }
  })

  it("takes no query where none is declared, health included", async () => {
    const queries = ["nope=1", "limit=1", "%zz", "=", "nope=1&nope=2"]
    const without = declaredOperations.filter(({ list, method }) => list === undefined && method === "GET")
    assert.isAbove(without.length, 10)
    for (const operation of without) {
      for (const query of queries) {
        assertRefused(await tenant.writer.get(`${pathTo(operation)}?${query}`), "invalid_request")
      }
    }
    for (const query of queries) assertRefused(await service.as().get(`/health?${query}`), "invalid_request")
    for (const query of ["", "?", "?&"]) assert.strictEqual((await service.as().get(`/health${query}`)).status, 200)
  })

  it("answers 404 for what is not a path, with a key", async () => {
    const paths = [
      "/",
      "/api",
      "/api/v1",
      "/api/v1/",
      "/api/v2/whoami",
      "/API/V1/whoami",
      "/api/v1/Whoami",
      "/api/v1/whoami/",
      "/api/v1//whoami",
      "/api/v1/donors/",
      "/api/v1/donors/dnr_01jh00000000000000000000zz/",
      "/api/v1/donors/a/b",
      "/api/v1/organisation",
      "/api/v1/whoami%2f",
      "/api/v1/%zz",
      "/api/v1/donors/%",
      "/api/v1/donors/%c3%28",
      "/api/v1/donors/..%2fwhoami",
      "/api/v1/__proto__",
      "/api/v1/constructor",
      `/api/v1/donors/${"a".repeat(10_000)}`
    ]
    for (const path of paths) {
      const answer = await service.call("GET", path, { key: tenant.readKey.secret })
      assert.strictEqual(answer.status, 404, `${path}: ${answer.text}`)
    }
  })

  it("answers 404 for a path with an empty segment, whatever the verb", async () => {
    for (const operation of guardedOperations) {
      const paths = [`${operation.path}/`, operation.path.replace(/:\w+/, ""), `/${operation.path}`]
      for (const path of paths.filter((each) => each !== operation.path)) {
        const answer = await tenant.writer.request(operation.method, path)
        assert.strictEqual(answer.status, 404, `${operation.method} ${path}: ${answer.text}`)
      }
    }
  })

  it("answers 404 and never 400 for a malformed id, whatever the verb", async () => {
    const ids = [
      "x",
      "1",
      "dnr_",
      "dnr_01jh00000000000000000000z",
      "evt_01jh0000000000000000000zzz",
      "DNR_01",
      "%00",
      "%F0%9F%98%80",
      "dnr_81jh00000000000000000000zz",
      "null",
      "'--",
      "%20"
    ]
    for (const operation of guardedOperations.filter(({ path }) => path.includes(":id"))) {
      for (const id of ids) {
        const json = operation.payload === undefined ? undefined : soundBody(operation)
        assertRefused(await tenant.writer.request(operation.method, pathTo(operation, id), { json }), "not_found")
      }
    }
  })

  it("finds a record by a percent-encoded id", async () => {
    const id = (await tenant.writer.post("/donors", { first_name: "Ada" })).textAt("id")
    assert.strictEqual((await tenant.reader.get(`/donors/${id.replace("_", "%5F")}`)).at("id"), id)
  })

  it("answers HEAD as GET without the body", async () => {
    for (const operation of declaredOperations.filter((each) => each.method === "GET")) {
      const path = pathTo(operation)
      const get = await tenant.reader.get(path)
      const head = await tenant.reader.request("HEAD", path)
      assert.deepStrictEqual([head.status, stable(head)], [get.status, stable(get)], path)
      assert.strictEqual(head.bytes.byteLength, 0)
    }
  })

  it("serves documents to everybody, by GET and HEAD alone", async () => {
    assert.deepStrictEqual((await service.call("GET", "/docs")).at(""), {})
    assert.strictEqual((await service.call("HEAD", "/docs")).status, 200)
    assertRefused(await service.call("POST", "/docs"), "method_not_allowed")
    assertRefused(await service.call("GET", "/docs", { headers: { "x-org-slug": "a" } }), "invalid_request")
  })
})

describe("pages of other origins", () => {
  const origin = "https://app.example.org"
  const preflight = { origin, "access-control-request-method": "POST" }

  const withOrigins = async (corsOrigins: ReadonlyArray<string>, run: (service: Service) => Promise<void>) => {
    const service = await startService({ stores: memory, settings: { corsOrigins } })
    await run(service).finally(() => service.stop())
  }

  it("are told nothing without CORS_ORIGINS: OPTIONS is one more verb that is not supported", () =>
    withOrigins([], async (service) => {
      const { writer } = await makeTenant(service)
      const answer = await writer.request("OPTIONS", "/donors", { headers: preflight })
      assertRefused(answer, "method_not_allowed")
      assert.strictEqual(answer.headers.get("Allow"), "POST, GET, HEAD")
      assert.isNull(answer.headers.get("access-control-allow-origin"))
      assertRefused(await service.as().request("OPTIONS", "/donors", { headers: preflight }), "unauthorized")
    }))

  it("get their answer without a key when they are named", () =>
    withOrigins([origin], async (service) => {
      const answer = await service.as().request("OPTIONS", "/donors", { headers: preflight })
      assert.strictEqual(answer.status, 204)
      assert.strictEqual(answer.headers.get("access-control-allow-origin"), origin)
      assert.include(answer.headers.get("access-control-allow-methods") ?? "", "POST")
      assert.match(answer.headers.get("access-control-allow-headers") ?? "", /authorization.*idempotency-key/)
      assert.deepStrictEqual([answer.headers.get("content-type"), answer.headers.get("content-length")], [null, null])
      const whoami = await service.as("wrong").get("/whoami", { origin })
      assert.strictEqual(whoami.headers.get("access-control-allow-origin"), origin)
      assert.match(whoami.headers.get("access-control-expose-headers") ?? "", /x-request-id.*Retry-After/)
      assert.strictEqual(whoami.headers.get("vary"), "Origin")
    }))

  it("that are not named learn nothing", () =>
    withOrigins([origin], async (service) => {
      const other = { ...preflight, origin: "https://evil.example" }
      for (const answer of [
        await service.as().request("OPTIONS", "/donors", { headers: other }),
        await service.as().get("/health", { origin: other.origin })
      ]) {
        assert.isNull(answer.headers.get("access-control-allow-origin"))
        assert.strictEqual(answer.headers.get("vary"), "Origin")
      }
    }))

  it("may all read where the origin is a star, and a plain OPTIONS stays refused", () =>
    withOrigins(["*"], async (service) => {
      const { writer } = await makeTenant(service)
      const answer = await service.as().get("/health", { origin: "https://any.example" })
      assert.strictEqual(answer.headers.get("access-control-allow-origin"), "https://any.example")
      assertRefused(await writer.request("OPTIONS", "/donors"), "method_not_allowed")
    }))
})
