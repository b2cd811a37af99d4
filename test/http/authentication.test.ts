import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { ApiKeys } from "../../src/app/access/ApiKeys.ts"
import { Organisations } from "../../src/app/access/Organisations.ts"
import { covers, plans } from "../../src/domain/access/Plan.ts"
import { assertRefused } from "../support/Answer.ts"
import {
  type DeclaredOperation,
  declaredOperations,
  guardedOperations,
  pathTo,
  soundBody,
  writes
} from "../support/Declaration.ts"
import { addressHeader, type Service, startService } from "../support/Service.ts"
import { everyKind, type StoresLayer } from "../support/Stores.ts"
import { asOperator, makeKey, makeTenants, type Tenant } from "../support/Tenant.ts"

const mistyped = (key: string): string => key.slice(0, -1) + (key.endsWith("0") ? "1" : "0")

const suite = (name: string, stores: StoresLayer) =>
  describe(`authentication over ${name}`, () => {
    let service: Service
    let live: Tenant
    let sandbox: Tenant
    let stranger: Tenant

    beforeAll(async () => {
      service = await startService({ stores })
      ;({ live, sandbox } = await makeTenants(service))
      stranger = (await makeTenants(service)).live
    })
    afterAll(() => service.stop())

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
      await service.run(ApiKeys.use((keys) => keys.revoke(revoked.id)).pipe(asOperator(live.organisation)))
      // Each before the other, which would make the process forget both.
      assert.strictEqual(await statusWith(`Bearer ${revoked.secret}`), 401)
      assert.strictEqual(await statusWith(`Bearer ${rotated.secret}`), 200)
      const next = await service.run(ApiKeys.use((keys) => keys.rotate(rotated.id)).pipe(asOperator(live.organisation)))
      assert.strictEqual(await statusWith(`Bearer ${rotated.secret}`), 401)
      assert.strictEqual(await statusWith(`Bearer ${next.secret}`), 200)
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

    it("lets every key do what its scope and plan allow, and nothing else", async () => {
      for (const plan of plans) {
        const tenants = await makeTenants(service, { plan })
        for (const tenant of [tenants.live, tenants.sandbox]) {
          for (const key of [tenant.readKey, tenant.writeKey]) {
            for (const operation of guardedOperations) {
              const { status } = await attempt(operation, key.secret)
              const may = expected(operation, { scope: key.scope, plan })
              assert.strictEqual(status !== 403, may, `${operation.name} with ${key.scope} on ${plan}: ${status}`)
              assert.isFalse(status === 401 || status === 429 || status >= 500, `${operation.name}: ${status}`)
            }
          }
        }
      }
    })

    it("lets nobody in without a good key, whatever the operation", async () => {
      const revoked = await makeKey(service, live.organisation, "WRITE")
      await service.run(ApiKeys.use((keys) => keys.revoke(revoked.id)).pipe(asOperator(live.organisation)))
      for (const operation of declaredOperations) {
        for (const key of [undefined, mistyped(live.writeKey.secret), revoked.secret]) {
          const { status } = await attempt(operation, key)
          assert.strictEqual(status, operation.operation === null ? 200 : 401, `${operation.name} with ${key}`)
        }
      }
    })

    it("applies a plan at once where it was set", async () => {
      await service.run(Organisations.use((all) => all.setPlan("GROW")).pipe(asOperator(stranger.organisation)))
      for (const operation of guardedOperations) {
        const { status } = await attempt(operation, stranger.writeKey.secret)
        assert.strictEqual(status !== 403, expected(operation, { scope: "WRITE", plan: "GROW" }), operation.name)
      }
    })

    it("shows nobody the records of another organisation, its twin included", async () => {
      const donor = (await live.writer.post("/donors", { first_name: "Ada" })).textAt("id")
      const donation = await live.writer.post("/donations", {
        donor_id: donor,
        donation_type: "MONETARY",
        amount_cents: 100,
        donation_date: "2026-01-01",
        revenue_code: "Own"
      })
      const endpoint = await live.writer.post("/webhook-endpoints", {
        url: "https://hooks.example.org/in",
        event_types: ["donor.created"]
      })
      await live.writer.post("/donors", { first_name: "Grace" })
      const own: Readonly<Record<string, string>> = {
        "/donors": donor,
        "/donations": donation.textAt("id"),
        "/revenue-codes": donation.textAt("revenue_code_id"),
        "/webhook-endpoints": endpoint.textAt("id"),
        "/webhook-deliveries": (await live.reader.get("/webhook-deliveries")).textAt("data.0.id"),
        "/events": (await live.reader.get("/events")).textAt("data.0.id")
      }
      for (const tenant of [sandbox, stranger]) {
        for (const operation of guardedOperations) {
          const [collection] = operation.path.split("/:id")
          const id = own[collection ?? ""]
          if (id === undefined) continue
          if (operation.path.includes(":id")) {
            const json = writes(operation) ? soundBody(operation) : undefined
            const answer = await tenant.writer.request(operation.method, pathTo(operation, id), { json })
            assertRefused(answer, "not_found")
          } else if (operation.list !== undefined) {
            assert.notInclude((await tenant.writer.get(`${operation.path}?limit=100`)).text, id, operation.name)
            assertRefused(
              await tenant.writer.get(`${operation.path}?starting_after=${id}`),
              "validation_failed",
              "starting_after"
            )
          }
        }
        const gift = { donor_id: donor, donation_type: "MONETARY", amount_cents: 1, donation_date: "2026-01-01" }
        assertRefused(await tenant.writer.post("/donations", gift), "validation_failed", "donor_id")
        const mine = (await tenant.writer.post("/donors", { first_name: "Own" })).textAt("id")
        const foreign = { ...gift, donor_id: mine, revenue_code_id: own["/revenue-codes"] }
        assertRefused(await tenant.writer.post("/donations", foreign), "validation_failed", "revenue_code_id")
      }
    })
  })

for (const [name, stores] of everyKind) suite(name, stores)
