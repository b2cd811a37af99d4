import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Predicate } from "effect"
import { ApiKeys } from "../../src/app/access/ApiKeys.ts"
import { covers, type Plan, plans } from "../../src/domain/access/Plan.ts"
import { type Answer, assertRefused } from "../support/Answer.ts"
import { type DeclaredOperation, declaredOperations, guardedOperations, writes } from "../support/Declaration.ts"
import { addressHeader, type Client } from "../support/Service.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { makeKey, makeTenants, type Tenant } from "../support/Tenant.ts"
import { ask, type Ids, populate, prefixOfName, readAll, requestTo, sitesOf, withId } from "../support/World.ts"

const noPrefixes: Ids = new Map()

const isRefused = ({ status }: Answer): boolean => status >= 400 && status < 500

/** Whether policy and routes allow an operation to a caller with a valid key. */
const isAllowed = ({ requires }: DeclaredOperation, scope: string, plan: Plan): boolean =>
  (requires.scope === "READ" || scope === "WRITE") && covers(plan, requires.plan)

/**
 * Asserts the answer to an allowed call while there are no records: a path finds no record, a body names none, and
 * everything else succeeds as the operation declares.
 */
const assertDone = (operation: DeclaredOperation, answer: Answer, told: string): void => {
  const { sent } = requestTo(operation, noPrefixes)
  const [done] = [...operation.answers.keys()].filter((status) => status < 300)
  if (operation.path.includes("/:")) assertRefused(answer, "not_found")
  else if (operation.operation === "sandbox.advance") assert.include([200, 409], answer.status, told)
  else if (/"none"|"passphrase"/.test(JSON.stringify(sent.json ?? null))) {
    // Which record is missing: the contract has no `param` for an `invalid_request`, whose message names it.
    const [named] = Predicate.isString(answer.at("error.param"))
      ? [answer.textAt("error.param")]
      : answer.textAt("error.message").split(" ")
    // A passphrase names an account, too.
    const places = [...sitesOf(operation).map(({ path }) => path.join(".")), "passphrase"]
    assert.strictEqual(answer.status, 400, told)
    assert.include(places, named?.replaceAll(/\[(\d+)\]/g, ".$1"), told)
  } else assert.strictEqual(answer.status, done, told)
}

describeService(everyKind, "who may do what", (service) => {
  let owner: Tenant
  let others: ReadonlyArray<readonly [what: string, tenant: Tenant, ids: Ids]>
  let ids: Ids

  beforeAll(async () => {
    const { live, sandbox } = await makeTenants(service, { plan: "ENTERPRISE" })
    const { live: stranger } = await makeTenants(service, { plan: "ENTERPRISE" })
    owner = live
    ids = await populate(service, owner)
    others = [
      ["another organisation", stranger, await populate(service, stranger)],
      ["the sandbox", sandbox, new Map()]
    ]
  })

  const send = (client: Client, operation: DeclaredOperation, from: string) => {
    const { path, sent } = requestTo(operation, noPrefixes)
    return client.request(operation.method, path, {
      ...sent,
      headers: { [addressHeader]: `${operation.name} ${from}` }
    })
  }

  it("there is a record of every kind that a path names", () => {
    for (const operation of guardedOperations) {
      for (const [, prefix] of operation.ids) assert.isTrue(ids.has(prefix), `${operation.name}: no ${prefix}`)
    }
  })

  it("the owner reads every record", async () => {
    for (const operation of guardedOperations.filter(({ method }) => method === "GET")) {
      const answer = await ask(owner, operation, ids)
      assert.strictEqual(answer.status, 200, `${operation.name}: ${answer.text}`)
    }
  })

  it("without a good key nothing is done but health", async () => {
    const revoked = await makeKey(service, owner.organisation, "WRITE")
    const rotated = await makeKey(service, owner.organisation, "WRITE")
    await owner.staff(ApiKeys.use((keys) => keys.revoke(revoked.id)))
    await owner.staff(ApiKeys.use((keys) => keys.rotate(rotated.id)))
    const broken = owner.writeKey.secret.replace(/.$/, (end) => (end === "0" ? "1" : "0"))
    for (const operation of declaredOperations) {
      for (const key of [undefined, broken, revoked.secret, rotated.secret]) {
        const { status } = await send(service.as(key), operation, `${key}`)
        assert.strictEqual(status, operation.operation === null ? 200 : 401, `${operation.name} with ${key}`)
      }
    }
  })

  it("scope and plan allow what the policy says, in the sandbox as in the live organisation", async () => {
    for (const plan of plans) {
      const { live, sandbox } = await makeTenants(service, { plan })
      for (const { organisation, readKey, writeKey } of [live, sandbox]) {
        for (const key of [readKey, writeKey]) {
          for (const operation of guardedOperations) {
            const answer = await send(service.as(key.secret), operation, key.id)
            const told = `${operation.name}, ${key.scope}, ${plan}, ${organisation.slug}: ${answer.text}`
            if (isAllowed(operation, key.scope, plan)) assertDone(operation, answer, told)
            else assert.deepStrictEqual([answer.status, answer.at("error.code")], [403, "forbidden"], told)
          }
        }
      }
    }
  })

  it("an id of another organisation in a path is not found, whichever of its ids it is, nor one that is none", async () => {
    const before = await readAll(owner, ids)
    for (const [what, tenant, own] of others) {
      for (const operation of guardedOperations) {
        for (const [, prefix] of operation.ids) {
          // Organisations are linked to, and so known to who links them.
          if (prefix === "org") continue
          for (const id of [ids.get(prefix) ?? "", "mine"]) {
            const answer = await ask(tenant, operation, new Map([...own, [prefix, id]]))
            assert.strictEqual(answer.status, 404, `${operation.name} from ${what} with ${id}: ${answer.text}`)
          }
        }
      }
    }
    assert.strictEqual(await readAll(owner, ids), before)
  })

  it("an id of another organisation in a body is refused, and writes nothing", async () => {
    const before = await readAll(owner, ids)
    let tried = 0
    for (const [what, tenant, own] of others) {
      for (const operation of guardedOperations.filter(writes)) {
        for (const site of sitesOf(operation)) {
          const id = ids.get(site.prefix)
          if (id === undefined || (operation.ids.length > 0 && own.size === 0)) continue
          const { path, sent } = requestTo(operation, own)
          const mine = await readAll(tenant, own)
          const answer = await tenant.writer.request(operation.method, path, withId(sent, site, id))
          tried += 1
          assert.isTrue(isRefused(answer), `${operation.name} from ${what}, ${site.path.join(".")}: ${answer.text}`)
          assert.strictEqual(await readAll(tenant, own), mine, operation.name)
        }
      }
    }
    assert.isAbove(tried, 5)
    assert.strictEqual(await readAll(owner, ids), before)
  })

  it("an id of another organisation in a query finds nothing, and no list shows one", async () => {
    for (const [what, tenant, own] of others) {
      for (const operation of guardedOperations.filter(({ list }) => list !== undefined)) {
        const { path } = requestTo(operation, own)
        const first = await tenant.writer.get(`${path}?limit=100`)
        if (first.status === 404) continue
        const told = `${operation.name} from ${what}`
        for (const [prefix, id] of ids) if (prefix !== "org") assert.notInclude(first.text, id, told)
        for (const name of Object.keys(operation.list?.filters ?? {})) {
          const id = ids.get(prefixOfName(name) ?? "")
          if (id === undefined) continue
          for (const operator of ["", "[in]"]) {
            const found = await tenant.writer.get(`${path}?${name}${operator}=${id}`)
            assert.deepStrictEqual([found.status, found.at("data")], [200, []], `${told}, ${name}: ${found.text}`)
          }
        }
        const [cursor] = (await ask(owner, operation, ids)).listAt("data")
        const id = Object(cursor)["id"]
        if (typeof id !== "string" || id.startsWith("org_")) continue
        assertRefused(await tenant.writer.get(`${path}?starting_after=${id}`), "validation_failed", "starting_after")
      }
    }
  })

  describe("when its records are archived", () => {
    let archived: Tenant
    let old: Ids
    let fresh: Ids
    /** Prefixes of records that show when they were archived, and of those that are gone. */
    const kept = new Set<string>()
    const gone = new Set<string>()

    const concerns = (operation: DeclaredOperation, prefixes: ReadonlySet<string>): boolean =>
      prefixes.has(operation.ids.at(-1)?.[1] ?? "")

    const newest = async () => (await archived.reader.get("/events?limit=1")).textAt("data.0.id")

    const archive = async (operation: DeclaredOperation) => {
      const prefix = operation.ids.at(-1)?.[1] ?? ""
      const before = await newest()
      const answer = await ask(archived, operation, old)
      assert.strictEqual(answer.status, 200, `${operation.name}: ${answer.text}`)
      const told = await newest()
      // A repetition answers the same, and tells again where the first one told.
      assert.deepStrictEqual((await ask(archived, operation, old)).bytes, answer.bytes, operation.name)
      assert.strictEqual((await newest()) !== told, told !== before, operation.name)
      const read = await archived.reader.get(requestTo(operation, old).path)
      if (read.status === 404) gone.add(prefix)
      else if (typeof read.at("archived_at") === "string") kept.add(prefix)
    }

    beforeAll(async () => {
      ;({ live: archived } = await makeTenants(service, { plan: "ENTERPRISE" }))
      old = await populate(service, archived)
      // The deepest paths go first: they lead over records that must still be there.
      const ends = guardedOperations.filter(({ method }) => method === "DELETE")
      for (const operation of ends.toSorted((a, b) => b.ids.length - a.ids.length)) await archive(operation)
      fresh = await populate(service, archived)
    })

    it("they are read, keep what they are when archived again, and take no change", async () => {
      assert.isAtLeast(kept.size, 3)
      for (const operation of guardedOperations.filter((each) => concerns(each, kept))) {
        const { path } = requestTo(operation, old)
        const isChange = operation.method === "PATCH" || /:id\/[a-z_]+$/.test(operation.path)
        const expected =
          operation.method === "POST" || operation.method === "PATCH" ? (isChange ? 409 : undefined) : 200
        if (expected === undefined) continue
        const before = await readAll(archived, old)
        const answer = await ask(archived, operation, old)
        assert.strictEqual(answer.status, expected, `${operation.name} at ${path}: ${answer.text}`)
        if (answer.status === 409) assert.strictEqual(await readAll(archived, old), before, operation.name)
      }
    })

    it("deleted records are not found", async () => {
      assert.isAtLeast(gone.size, 2)
      for (const operation of guardedOperations.filter((each) => concerns(each, gone) && each.method !== "DELETE")) {
        assertRefused(await ask(archived, operation, old), "not_found")
      }
    })

    it("a query that names one of them finds what was made with it", async () => {
      let found = 0
      for (const operation of guardedOperations.filter(({ list }) => list !== undefined)) {
        const { path } = requestTo(operation, fresh)
        const all = (await archived.writer.get(`${path}?limit=100`)).listAt("data")
        for (const name of Object.keys(operation.list?.filters ?? {})) {
          const prefix = prefixOfName(name) ?? ""
          for (const [id, other] of [
            [old.get(prefix), fresh.get(prefix)],
            [fresh.get(prefix), old.get(prefix)]
          ]) {
            if (id === undefined || !all.every((each) => Predicate.hasProperty(each, name))) continue
            const named = (ids: ReadonlyArray<unknown>) => all.filter((each) => ids.includes(Object(each)[name]))
            const one = await archived.writer.get(`${path}?limit=100&${name}=${id}`)
            assert.deepStrictEqual([one.status, one.at("data")], [200, named([id])], `${operation.name}, ${name}`)
            const both = await archived.writer.get(`${path}?limit=100&${name}[in]=${id},${other ?? id}`)
            assert.deepStrictEqual(
              [both.status, both.at("data")],
              [200, named([id, other])],
              `${operation.name}, ${name}`
            )
            found += one.listAt("data").length
          }
        }
      }
      assert.isAbove(found, 3)
    })

    it("no body can name one of them", async () => {
      let tried = 0
      for (const operation of guardedOperations.filter(writes)) {
        for (const site of sitesOf(operation)) {
          const id = old.get(site.prefix)
          // A revenue code goes on being used under its name. decisions, section 4.
          if (id === undefined || !kept.has(site.prefix) || site.prefix === "rev") continue
          const { path, sent } = requestTo(operation, fresh)
          const before = await readAll(archived, fresh)
          const answer = await archived.writer.request(operation.method, path, withId(sent, site, id))
          tried += 1
          assert.isTrue(isRefused(answer), `${operation.name}, ${site.path.join(".")}: ${answer.text}`)
          assert.strictEqual(await readAll(archived, fresh), before, operation.name)
        }
      }
      assert.isAbove(tried, 2)
    })
  })
})
