import { EventEmitter, once } from "node:events"
import { assert, beforeAll, it } from "@effect/vitest"
import { Context, Effect, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { TakesKey } from "../../src/adapters/http/endpoints/Annotations.ts"
import { performsByItself } from "../../src/adapters/http/endpoints/Declare.ts"
import * as Edge from "../../src/adapters/http/pipeline/Edge.ts"
import { createErrors } from "../../src/adapters/http/pipeline/ErrorEnvelope.ts"
import { makeRoutes } from "../../src/adapters/http/pipeline/Routes.ts"
import { ApiKeys } from "../../src/app/access/ApiKeys.ts"
import { writes } from "../../src/domain/access/Policy.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { type Answer, assertRefused } from "../support/Answer.ts"
import { guardedOperations, takesKey } from "../support/Declaration.ts"
import type { RequestParts } from "../support/Service.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { auditOf, makeKey, makeTenants, type Tenant } from "../support/Tenant.ts"
import { populate, readAll, requestTo } from "../support/World.ts"

const hour = 3_600_000

const withKey = (key: string) => ({ "idempotency-key": key })

const isReplay = ({ headers }: Answer): boolean => headers.get("Idempotent-Replayed") === "true"

const assertReplays = (first: Answer, again: Answer): void => {
  assert.isFalse(isReplay(first))
  assert.isTrue(isReplay(again), again.text)
  assert.strictEqual(again.status, first.status)
  assert.strictEqual(again.headers.get("content-type"), first.headers.get("content-type"))
  assert.deepStrictEqual(again.bytes, first.bytes)
  assert.notStrictEqual(again.headers.get("x-request-id"), first.headers.get("x-request-id"))
}

/** An API of one operation, whose answer is as large as its body says. */
const Large = HttpApi.make("large")
  .add(
    HttpApiGroup.make("large").add(
      HttpApiEndpoint.post("make", "/large", {
        payload: Schema.Struct({ bytes: Schema.Int }),
        success: Schema.Struct({ text: Schema.String }),
        error: createErrors
      })
        .annotateMerge(
          performsByItself(writes("donors.create"), {
            summary: "Large",
            description: "An answer of any size.",
            example: { answer: { text: "" } }
          })
        )
        .annotate(TakesKey, true)
    )
  )
  .prefix("/api/v1")

describeService(everyKind, "idempotency", (service) => {
  let live: Tenant
  let sandbox: Tenant
  let fresh = 0

  beforeAll(async () => {
    ;({ live, sandbox } = await makeTenants(service))
  })

  const nextKey = (): string => `key-${fresh++}`

  const donors = async (tenant = live): Promise<number> =>
    (await tenant.reader.get("/donors?limit=100")).listAt("data").length

  it("serves the first answer again, byte for byte, and does nothing again, for every keyed operation", async () => {
    const { live: owner } = await makeTenants(service)
    const ids = await populate(service, owner)
    let done = 0
    for (const operation of guardedOperations.filter(takesKey)) {
      const { path, sent } = requestTo(operation, ids)
      const send = () => owner.writer.request(operation.method, path, { ...sent, headers })
      const headers = withKey(nextKey())
      const first = await send()
      if (first.status < 300) done += 1
      const entries = (await auditOf(service, owner.organisation)).length
      const after = await readAll(owner, ids)
      for (let turn = 0; turn < 2; turn++) assertReplays(first, await send())
      assert.strictEqual((await auditOf(service, owner.organisation)).length, entries, operation.name)
      assert.strictEqual(await readAll(owner, ids), after, operation.name)
    }
    assert.isAbove(done, 20)
  })

  it("refuses another body, even one that means the same", async () => {
    const headers = { ...withKey(nextKey()), "content-type": "application/json" }
    const send = (body: string) => live.writer.request("POST", "/donors", { body, headers })
    assert.strictEqual((await send('{"first_name":"Ada"}')).status, 201)
    for (const body of ['{"first_name": "Ada"}', '{"first_name":"Grace"}', "", "{", '{"first_name":"Ada"} ']) {
      assertRefused(await send(body), "idempotency_conflict")
    }
    assert.isTrue(isReplay(await send('{"first_name":"Ada"}')))
  })

  it("keeps 4xx of decoding and of the operation", async () => {
    const sends: ReadonlyArray<readonly [path: string, sent: RequestParts]> = [
      ["/donors", { body: "{", headers: { "content-type": "application/json" } }],
      ["/donors", { json: { nope: 1 } }],
      ["/donors", { json: {} }],
      ["/donors?nope=1", { json: { first_name: "Ada" } }],
      [
        "/donations",
        { json: { donor_id: "x", donation_type: "MONETARY", amount_cents: 1, donation_date: "2026-01-01" } }
      ],
      ["/webhook-endpoints/whe_x/rotate_secret", {}],
      ["/webhook-endpoints", { json: { url: "https://10.0.0.1/", event_types: ["donor.created"] } }]
    ]
    for (const [path, sent] of sends) {
      const keyedSent = { ...sent, headers: { ...sent.headers, ...withKey(nextKey()) } }
      const first = await live.writer.request("POST", path, keyedSent)
      assert.isTrue(first.status >= 400 && first.status < 500, first.text)
      const again = await live.writer.request("POST", path, keyedSent)
      assertReplays(first, again)
      assert.strictEqual(again.at("error.request_id"), first.headers.get("x-request-id"))
    }
  })

  it("keeps nothing of what was refused before the key", async () => {
    const key = withKey(nextKey())
    const json = { first_name: "Ada" }
    assertRefused(await service.as().post("/donors", json, key), "unauthorized")
    assertRefused(await live.reader.post("/donors", json, key), "forbidden")
    assertRefused(await live.writer.post("/donors", json, { ...key, "content-type": "text/plain" }), "invalid_request")
    assertRefused(await live.writer.post("/donors", json, { ...key, "x-org-slug": "x" }), "invalid_request")
    const large = { body: " ".repeat(Limits.bodyBytes + 1), headers: { ...key, "content-type": "application/json" } }
    assertRefused(await live.writer.request("POST", "/donors", large), "invalid_request")
    const made = await live.writer.post("/donors", json, key)
    assert.deepStrictEqual([made.status, isReplay(made)], [201, false])
  })

  it("frees the key when the operation breaks, and nothing of it stays", async () => {
    const key = withKey(nextKey())
    const before = await donors()
    service.faults.writesBreak = true
    for (let i = 0; i < 2; i++)
      assertRefused(await live.writer.post("/donors", { first_name: "Ada" }, key), "internal_error")
    service.faults.writesBreak = false
    assert.strictEqual(await donors(), before)
    const made = await live.writer.post("/donors", { first_name: "Grace" }, key)
    assert.deepStrictEqual([made.status, isReplay(made), await donors()], [201, false, before + 1])
  })

  it("refuses a key in flight at once, and replays when it is done", async () => {
    const key = withKey(nextKey())
    const before = await donors()
    const opened = new EventEmitter()
    service.faults.gate = once(opened, "open").then(() => {})
    const { writes } = service.faults
    const first = live.writer.post("/donors", { first_name: "Ada" }, key)
    while (service.faults.writes === writes) await new Promise((next) => setImmediate(next))
    assertRefused(await live.writer.post("/donors", { first_name: "Ada" }, key), "conflict")
    assertRefused(await live.writer.post("/donors", { first_name: "Grace" }, key), "conflict")
    service.faults.gate = Promise.resolve()
    opened.emit("open")
    assertReplays(await first, await live.writer.post("/donors", { first_name: "Ada" }, key))
    assert.strictEqual(await donors(), before + 1)
  })

  it("forgets after 24 hours, and not before", async () => {
    const key = withKey(nextKey())
    const json = { first_name: "Ada" }
    service.pace = 0
    const first = await live.writer.post("/donors", json, key)
    service.clock.advance(24 * hour - 1)
    assertReplays(first, await live.writer.post("/donors", json, key))
    service.clock.advance(1)
    const second = await live.writer.post("/donors", { first_name: "Grace" }, key)
    service.pace = 10
    assert.deepStrictEqual([second.status, isReplay(second)], [201, false])
    assertReplays(second, await live.writer.post("/donors", { first_name: "Grace" }, key))
  })

  it("takes 1 to 255 characters", async () => {
    const made = await live.writer.post("/donors", { first_name: "Ada" }, withKey("k".repeat(255)))
    assert.strictEqual(made.status, 201)
    for (const key of ["", "k".repeat(256)]) {
      for (const path of ["/donors", "/revenue-codes"]) {
        assertRefused(await live.writer.post(path, { first_name: "Ada" }, withKey(key)), "invalid_request")
      }
    }
  })

  it("counts within organisation, key, generation, method and path", async () => {
    const key = withKey(nextKey())
    const json = { first_name: "Ada" }
    const other = await makeKey(service, live.organisation, "WRITE")
    const clients = [live.writer, sandbox.writer, service.as(other.secret)]
    for (const client of clients) assert.isFalse(isReplay(await client.post("/donors", json, key)))
    for (const client of clients) assert.isTrue(isReplay(await client.post("/donors", json, key)))
    const rotated = await live.staff(ApiKeys.use((keys) => keys.rotate(other.id)))
    assert.isFalse(isReplay(await service.as(rotated.secret).post("/donors", json, key)))
    const ids = [await live.writer.post("/donors", json), await live.writer.post("/donors", json)].map((each) =>
      each.textAt("id")
    )
    for (const id of ids) assert.isFalse(isReplay(await live.writer.patch(`/donors/${id}`, json, key)))
    for (const id of ids) assert.isTrue(isReplay(await live.writer.patch(`/donors/${id}`, json, key)))
    assert.isTrue(isReplay(await live.writer.patch(`/donors/${ids[0]?.replace("_", "%5f")}`, json, key)))
    assert.isFalse(isReplay(await live.writer.post("/revenue-codes", { code: "Scope" }, key)))
  })

  it("ignores the key of a DELETE, at any length", async () => {
    const id = (await live.writer.post("/donors", { first_name: "Ada" })).textAt("id")
    for (const key of ["", "k".repeat(9_000), "k", "k"]) {
      const answer = await live.writer.delete(`/donors/${id}`, withKey(key))
      assert.deepStrictEqual([answer.status, isReplay(answer)], [200, false])
    }
    const archived = (await live.reader.get("/events?type=donor.archived")).listAt("data")
    assert.isAtLeast(archived.length, 4)
  })

  it("marks the key of an answer over 256 KB as used, and never runs it again", async () => {
    let runs = 0
    const handler = ({ payload }: { readonly payload: { readonly bytes: number } }) =>
      Effect.sync(() => {
        runs += 1
        return { text: "x".repeat(payload.bytes - '{"text":""}'.length) }
      })
    const routes = makeRoutes(Large, Context.empty(), { large: { make: { run: handler } } })
    const { handle } = await service.run(Edge.make({ routes, documents: new Map() }))
    const send = (bytes: number, key: string) =>
      service.callOf(handle, "POST", "/api/v1/large", {
        key: live.writeKey.secret,
        json: { bytes },
        headers: withKey(key)
      })
    const [small, large] = [nextKey(), nextKey()]
    const kept = await send(Limits.storedAnswerBytes, small)
    assert.strictEqual(kept.bytes.byteLength, Limits.storedAnswerBytes)
    assertReplays(kept, await send(Limits.storedAnswerBytes, small))
    assert.strictEqual((await send(Limits.storedAnswerBytes + 1, large)).bytes.byteLength, Limits.storedAnswerBytes + 1)
    const again = await send(Limits.storedAnswerBytes + 1, large)
    assertRefused(again, "conflict")
    assert.match(again.textAt("error.message"), /too large/)
    assertRefused(await send(1_000, large), "idempotency_conflict")
    assert.strictEqual(runs, 2)
  })
})
