import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as HostPool from "../../src/adapters/postgres/host/HostPool.ts"
import * as Migrations from "../../src/adapters/postgres/migrations/Migrations.ts"
import * as PostgresStores from "../../src/adapters/postgres/Stores.ts"
import { newLink } from "../../src/testing/conformance/MoneyRecords.ts"
import { freshUrl } from "../support/FreshDatabase.ts"
import { hostPool } from "../support/HostPool.ts"
import { type Service, startService } from "../support/Service.ts"
import { makeTenant, makeTenants, type Tenant } from "../support/Tenant.ts"

/** The statements that the service sends, in their order. */
const sent: Array<string> = []

/** A pool that notes what its sessions are asked. */
const notingPool = Effect.gen(function* () {
  const url = yield* freshUrl
  const pool = yield* hostPool(url)
  const noting: HostPool.HostPool = {
    connect: async () => {
      const client = await pool.connect()
      return new Proxy(client, {
        get: (target, name) => {
          const value = Reflect.get(target, name)
          if (name !== "query") return typeof value === "function" ? value.bind(target) : value
          return (query: { readonly text: string }) => {
            sent.push(query.text.replaceAll(/\s+/g, " ").trim())
            return target.query(query)
          }
        }
      })
    }
  }
  return HostPool.layer(noting)
})

const stores = PostgresStores.layer.pipe(
  Layer.provide(Migrations.layer.pipe(Layer.orDie)),
  Layer.provide(Layer.unwrap(notingPool))
)

describe("a keyed change goes to PostgreSQL in few statements", () => {
  let service: Service
  let tenants: { readonly live: Tenant; readonly sandbox: Tenant }
  let turn = 0

  beforeAll(async () => {
    service = await startService({ stores })
    tenants = await makeTenants(service)
  })
  afterAll(() => service.stop())

  /** The statements of a tenant's keyed request, whose caller is known. */
  const statementsBy = (tenant: Tenant) => async (method: string, path: string, json: unknown, status: number) => {
    await tenant.writer.get("/whoami")
    const from = sent.length
    const answer = await tenant.writer.request(method, path, { json, headers: { "idempotency-key": `key ${++turn}` } })
    assert.strictEqual(answer.status, status)
    // The hint to other processes is sent in the background, once for many changes.
    return { answer, statements: sent.slice(from).filter((text) => !text.includes("pg_notify")) }
  }

  /** Nothing holds a session, and everything is written by one statement. */
  const assertFew = (statements: ReadonlyArray<string>, count: number) => {
    assert.strictEqual(statements.length, count, statements.join("\n"))
    assert.isEmpty(statements.filter((text) => /^(?:BEGIN|SAVEPOINT|COMMIT)/.test(text)))
    assert.strictEqual(statements.filter((text) => /\b(?:INSERT|UPDATE|DELETE)\b(?! OF)/.test(text)).length, 1)
  }

  it("a PATCH of a donor: the key's record, the donor, and all that is written; in a sandbox its clock, too", async () => {
    for (const [tenant, clock] of [
      [tenants.live, 0],
      [tenants.sandbox, 1]
    ] as const) {
      const statementsOf = statementsBy(tenant)
      const made = await statementsOf("POST", "/donors", { donor_type: "INDIVIDUAL", first_name: "Ada" }, 201)
      assertFew(made.statements, 2 + clock)
      const path = `/donors/${made.answer.textAt("id")}`
      assertFew((await statementsOf("PATCH", path, { phone: "1" }, 200)).statements, 3 + clock)
      // One that changes nothing, and one that is refused, whose answer is kept.
      assertFew((await statementsOf("PATCH", path, { phone: "1" }, 200)).statements, 3 + clock)
      assertFew((await statementsOf("PATCH", path, { email: "x" }, 400)).statements, 2)
    }
  })

  it("a recommendation set: the key's record, the links, the own accounts, the slugs, and all that is written", async () => {
    const { live: tenant } = tenants
    const recipient = await makeTenant(service)
    const links = await service.run(
      Effect.forEach(["Food bank", "Shelter"], (label) =>
        newLink(tenant.organisation.id, recipient.organisation, { label })
      )
    )
    const allocations = links.map(({ id }) => ({ recipient_org_account_link_id: id, amount_cents: 500 }))
    // A slug that is taken costs one look more, for the next ones.
    for (const [slug, statements] of [
      ["winter", 5],
      ["winter-2", 6]
    ] as const) {
      const made = await statementsBy(tenant)("POST", "/recommendation-sets", { name: "Winter", allocations }, 201)
      assertFew(made.statements, statements)
      assert.strictEqual(made.answer.textAt("slug"), slug)
    }
  })

  it("a repetition, which only reads", async () => {
    const statementsOf = statementsBy(tenants.live)
    const json = { donor_type: "INDIVIDUAL", first_name: "Ada" }
    await statementsOf("POST", "/donors", json, 201)
    turn -= 1
    assert.strictEqual((await statementsOf("POST", "/donors", json, 201)).statements.length, 1)
  })
})
