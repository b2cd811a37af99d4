import { assert, beforeAll, it } from "@effect/vitest"
import { ApiKeys } from "../../src/app/access/ApiKeys.ts"
import { Organisations } from "../../src/app/access/Organisations.ts"
import { covers, type plans } from "../../src/domain/access/Plan.ts"
import { assertRefused } from "../support/Answer.ts"
import { type DeclaredOperation, guardedOperations, pathTo, soundBody, writes } from "../support/Declaration.ts"
import { addressHeader } from "../support/Service.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { makeKey, makeTenants, type Tenant } from "../support/Tenant.ts"

const mistyped = (key: string): string => key.slice(0, -1) + (key.endsWith("0") ? "1" : "0")

describeService(everyKind, "authentication", (service) => {
  let live: Tenant
  let sandbox: Tenant
  let stranger: Tenant

  beforeAll(async () => {
    ;({ live, sandbox } = await makeTenants(service))
    stranger = (await makeTenants(service)).live
  })

  const statusWith = async (authorization: string): Promise<number> =>
    (await service.as().get("/whoami", { authorization, [addressHeader]: authorization })).status

  it("takes a key with any spelling of the scheme", async () => {
    const { secret } = live.readKey
    for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR", "Bearer "]) {
      assert.strictEqual(await statusWith(`${scheme} ${secret}`), 200, scheme)
    }
  })

  it("refuses whatever is not one known key", async () => {
    const { secret } = live.readKey
    const wrong = [
      secret,
      `Basic ${secret}`,
      `Bearer${secret}`,
      "Bearer",
      `Bearer ${secret} ${secret}`,
      `Bearer ${secret}, Bearer ${secret}`,
      `Bearer ${secret},`,
      `Bearer "${secret}"`,
      `Bearer ${mistyped(secret)}`,
      `Bearer ${secret.replace("alm_live_", "alm_test_")}`,
      `Bearer ${secret.toLowerCase()}`,
      `Bearer ${secret}${"0".repeat(10_000)}`,
      `Bearer ${live.readKey.secret_hash}`
    ]
    for (const authorization of wrong)
      assert.strictEqual(await statusWith(authorization), 401, authorization.slice(0, 80))
    assert.strictEqual((await service.as().get("/whoami")).status, 401)
  })

  it("answers who a key is", async () => {
    for (const tenant of [live, sandbox, stranger]) {
      for (const key of [tenant.readKey, tenant.writeKey]) {
        const answer = await service.as(key.secret).get("/whoami")
        assert.deepStrictEqual(answer.at(""), { organisation_id: tenant.organisation.id, scope: key.scope })
      }
    }
  })

  it("stops a revoked and a rotated key at once", async () => {
    const revoked = await makeKey(service, live.organisation, "WRITE")
    const rotated = await makeKey(service, live.organisation, "WRITE")
    for (const { secret } of [revoked, rotated]) assert.strictEqual(await statusWith(`Bearer ${secret}`), 200)
    await live.staff(ApiKeys.use((keys) => keys.revoke(revoked.id)))
    // Each before the other, which would make the process forget both.
    assert.strictEqual(await statusWith(`Bearer ${revoked.secret}`), 401)
    assert.strictEqual(await statusWith(`Bearer ${rotated.secret}`), 200)
    const next = await live.staff(ApiKeys.use((keys) => keys.rotate(rotated.id)))
    assert.strictEqual(await statusWith(`Bearer ${rotated.secret}`), 401)
    assert.strictEqual(await statusWith(`Bearer ${next.secret}`), 200)
  })

  it("stops a key that is revoked or rotated while a body arrives, and does nothing under it", async () => {
    for (const stop of ["revoke", "rotate"] as const) {
      const key = await makeKey(service, live.organisation, "WRITE")
      const before = await live.reader.get("/donors?limit=100")
      const body = new ReadableStream<Uint8Array>(
        {
          pull: async (controller) => {
            await live.staff(ApiKeys.use((keys) => keys[stop](key.id)))
            controller.enqueue(Buffer.from('{"first_name":"Ada"}'))
            controller.close()
          }
        },
        // Asked for when the body is read, and no earlier.
        { highWaterMark: 0 }
      )
      const headers = { "content-type": "application/json", "idempotency-key": stop }
      assertRefused(await service.as(key.secret).request("POST", "/donors", { body, headers }), "unauthorized")
      assert.strictEqual((await live.reader.get("/donors?limit=100")).text, before.text)
    }
  })

  it("needs no key for health, and takes no organisation selector anywhere", async () => {
    assert.strictEqual((await service.as().get("/health")).status, 200)
    assertRefused(await service.as().get("/health", { "x-org-slug": "" }), "invalid_request")
    assertRefused(await live.reader.get("/whoami", { "X-Org-Slug": live.organisation.slug }), "invalid_request")
  })

  /** Whether an operation is allowed to a caller, computed from the policy. */
  const expected = (operation: DeclaredOperation, caller: { scope: string; plan: (typeof plans)[number] }): boolean =>
    (operation.requires.scope === "READ" || caller.scope === "WRITE") && covers(caller.plan, operation.requires.plan)

  const attempt = (operation: DeclaredOperation, key?: string) =>
    service.as(key).request(operation.method, pathTo(operation), {
      json: writes(operation) ? soundBody(operation) : undefined,
      headers: { [addressHeader]: `${operation.name} ${key}` }
    })

  it("applies a plan at once where it was set", async () => {
    await stranger.staff(Organisations.use((all) => all.setPlan("GROW")))
    for (const operation of guardedOperations) {
      const { status } = await attempt(operation, stranger.writeKey.secret)
      assert.strictEqual(status !== 403, expected(operation, { scope: "WRITE", plan: "GROW" }), operation.name)
    }
  })
})
