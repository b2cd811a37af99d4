import { assert, it } from "@effect/vitest"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { assertRefused } from "../support/Answer.ts"
import { once } from "../support/Late.ts"
import type { RequestParts } from "../support/Service.ts"
import { describeService, inMemory } from "../support/ServiceSuite.ts"
import { makeTenant } from "../support/Tenant.ts"

const json = { "content-type": "application/json" }

/** A body of exactly so many bytes that makes a donor. */
const ofBytes = (bytes: number): string => '{"first_name":"Ada"}'.padEnd(bytes, " ")

const inChunks = (text: string, size = 65_536): ReadableStream => {
  const bytes = new TextEncoder().encode(text)
  let sent = 0
  return new ReadableStream({
    pull: (controller) => {
      if (sent >= bytes.byteLength) return controller.close()
      controller.enqueue(bytes.subarray(sent, sent + size))
      sent += size
    }
  })
}

describeService(inMemory, "a body", (service) => {
  const tenant = once(() => makeTenant(service))

  const create = (sent: RequestParts) => tenant.writer.request("POST", "/donors", sent)

  it("of 1,048,576 bytes passes, and one more is refused, announced or not", async () => {
    const length = (bytes: number) => ({ ...json, "content-length": String(bytes) })
    for (const [bytes, passes] of [
      [Limits.bodyBytes, true],
      [Limits.bodyBytes + 1, false]
    ] as const) {
      const answers = [
        await create({ body: ofBytes(bytes), headers: json }),
        await create({ body: ofBytes(bytes), headers: length(bytes) }),
        await create({ body: inChunks(ofBytes(bytes)), headers: json }),
        await create({ body: inChunks(ofBytes(bytes), 1_048_577), headers: json })
      ]
      for (const answer of answers) {
        if (passes) assert.strictEqual(answer.status, 201, answer.text)
        else assertRefused(answer, "invalid_request")
      }
    }
  })

  it("is measured in bytes, not in characters", async () => {
    const text = JSON.stringify({ first_name: "Ada", no_such: "€".repeat(400_000) })
    const answer = await create({ body: text, headers: json })
    assert.match(answer.textAt("error.message"), /larger/)
  })

  it("is JSON in UTF-8 by its content type", async () => {
    const body = '{"first_name":"Ada"}'
    const taken = [
      "application/json",
      "Application/JSON",
      "application/json;charset=utf-8",
      "application/json; charset=UTF-8",
      'application/json; charset="utf-8"',
      "application/json ; charset=utf8",
      "application/json; profile=x; charset=utf-8"
    ]
    for (const type of taken) {
      assert.strictEqual((await create({ body, headers: { "content-type": type } })).status, 201, type)
    }
    const refused = [
      "",
      "text/plain",
      "application/jsonp",
      "application/problem+json",
      "application/merge-patch+json",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/json; charset=utf-16",
      "application/json; charset=iso-8859-1",
      "application/json, text/plain",
      "json"
    ]
    for (const type of refused)
      assertRefused(await create({ body, headers: { "content-type": type } }), "invalid_request")
    assertRefused(await create({ body }), "invalid_request")
  })

  it("is sent as it is", async () => {
    const body = '{"first_name":"Ada"}'
    for (const encoding of ["gzip", "br", "deflate", "gzip, identity"]) {
      assertRefused(await create({ body, headers: { ...json, "content-encoding": encoding } }), "invalid_request")
    }
    assert.strictEqual((await create({ body, headers: { ...json, "content-encoding": "identity" } })).status, 201)
  })

  it("that is empty is malformed where a field is needed", async () => {
    for (const headers of [{}, json]) {
      assertRefused(await tenant.writer.request("POST", "/revenue-codes", { body: "", headers }), "invalid_request")
      assertRefused(await tenant.writer.request("POST", "/donations", { headers }), "invalid_request")
    }
  })

  it("may begin with a byte order mark", async () => {
    assert.strictEqual((await create({ body: '\ufeff{"first_name":"Ada"}', headers: json })).at("first_name"), "Ada")
  })

  it("may repeat a name, of which the last counts", async () => {
    const answer = await create({ body: '{"first_name":"Ada","first_name":"Grace"}', headers: json })
    assert.strictEqual(answer.at("first_name"), "Grace")
  })

  it("is not needed where no field is, nor is its content type", async () => {
    const endpoint = { url: "https://hooks.example.org/in", event_types: ["donor.created"] }
    const id = (await tenant.writer.post("/webhook-endpoints", endpoint)).textAt("id")
    const rotate = (sent: RequestParts) => tenant.writer.request("POST", `/webhook-endpoints/${id}/rotate_secret`, sent)
    for (const sent of [{}, { body: "" }, { headers: { "content-type": "text/plain" } }, { json: {} }]) {
      assert.strictEqual((await rotate(sent)).status, 200)
    }
    const remove = (sent: RequestParts) => tenant.writer.request("DELETE", `/webhook-endpoints/${id}`, sent)
    for (const json of [[], 1, "x", null, { a: 1 }, { url: "x" }])
      assertRefused(await remove({ json }), "invalid_request")
    for (const sent of [{ json: {} }, {}]) assert.strictEqual((await remove(sent)).status, 200)
  })

  it("is needed for PATCH", async () => {
    const id = (await tenant.writer.post("/donors", { first_name: "Ada" })).textAt("id")
    assertRefused(await tenant.writer.patch(`/donors/${id}`), "invalid_request")
    assert.strictEqual((await tenant.writer.patch(`/donors/${id}`, {})).status, 200)
  })

  it("is not read with GET", async () => {
    assert.strictEqual(
      (await tenant.reader.get("/whoami", { "content-type": "text/plain", "content-length": "9999999" })).status,
      200
    )
  })
})
