import { assert, it } from "@effect/vitest"
import { Predicate } from "effect"
import { idPrefixes } from "../../src/domain/kernel/Ids.ts"
import { type Answer, assertRefused } from "../support/Answer.ts"
import { guardedOperations, writes } from "../support/Declaration.ts"
import { type Hostile, hostile } from "../support/Hostile.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { hostileRequests } from "../support/Rounds.ts"
import type { RequestParts } from "../support/Service.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { makeTenant, type Tenant } from "../support/Tenant.ts"
import { type Ids, populate, readAll, requestTo } from "../support/World.ts"

/** Requests of a whole run, over all kinds of stores; `HOSTILE_REQUESTS` asks for another number. */
const requests = Math.ceil(hostileRequests / everyKind.length)

/** Requests that one organisation gets, before its limits and archived records refuse too much. */
const perTenant = 250

/** Fields that read otherwise than they were sent: instants, what a gift takes from its code, and secrets. */
const reread = new Set(["passphrase", "payment_method", "revenue_code", "revenue_code_id", "slug"])

const isInstant = (text: string): boolean => /^\d{4}-\d\d-\d\d/.test(text)

/** Fields that one answer about a record has and another has not, or that time moves. */
const moving = new Set(["secret", "url", "submitted_donor", "refund", "updated_at"])

/**
 * The field whose value a new record has where this one is left empty. decisions, section 4: Forms; service-spec,
 * Recipient account.
 */
const whenEmpty = new Map([
  ["title", "name"],
  ["label", "recipient_org_name"]
])

/** Texts that are kept as they came; all others are names, which are trimmed. decisions, section 1: Text. */
const isFree = (field: string): boolean => /(?:^|_)(?:description|notes|reason|message|text)$/.test(field)

/** A text reads as it was sent, byte for byte: a name trimmed, and one that is empty then as none. */
const assertText = (given: string, kept: unknown, field: string, whenNone: unknown): void => {
  if (isInstant(given.trim())) return
  const told = given.trim() === "" ? [given, whenNone] : isFree(field) ? [given] : [given.trim(), given]
  assert.include(told, kept, field)
}

/** Whether a field is ignored: in-kind details count for in-kind gifts only. service-spec, Create-donation body. */
const isIgnored = (field: string, kept: object): boolean =>
  field.startsWith("in_kind_") && Reflect.get(kept, "in_kind_category") === null

/**
 * Asserts that an accepted value reads as it was sent, at every depth: each text, and each list with all its elements
 * in their order.
 */
const assertKept = (given: unknown, kept: unknown, field: string, whenNone: unknown = null): void => {
  if (typeof given === "string") assertText(given, kept, field, whenNone)
  else if (Array.isArray(given)) {
    assert.isTrue(Array.isArray(kept) && kept.length === given.length, `${field}: ${JSON.stringify(kept)}`)
    for (const [index, each] of given.entries()) assertKept(each, Object(kept)[index], field)
  } else if (Predicate.isObject(given)) {
    for (const [name, each] of Object.entries(given)) {
      if (!Predicate.hasProperty(kept, name) || reread.has(name) || isIgnored(name, kept)) continue
      const inItsPlace = whenEmpty.get(name)
      assertKept(each, kept[name], name, inItsPlace === undefined ? null : Reflect.get(kept, inItsPlace))
    }
  }
}

/** Two answers about one record say the same of what both tell. */
const assertSame = (one: unknown, other: unknown, what: string): void => {
  assert.isTrue(Predicate.isObject(one) && Predicate.isObject(other), what)
  for (const [field, told] of Object.entries(Object(one))) {
    if (Predicate.hasProperty(other, field) && !moving.has(field))
      assert.deepStrictEqual(other[field], told, `${what}.${field}`)
  }
}

/** The path under which a record is read that an operation answers: its own, or one below it for one that is made there. */
const readPathOf = (path: string): string | undefined =>
  guardedOperations.find((each) => each.method === "GET" && new RegExp(`^${path}/:\\w+$`).test(each.path))?.path

const isReadable = (path: string): boolean =>
  guardedOperations.some((each) => each.method === "GET" && each.path === path)

describeService(everyKind, "hostile input", (service) => {
  let tenant: Tenant
  let first: Ids
  let known = new Map<string, Array<string>>()
  let sent = perTenant
  /** How many records were read again after they were made or changed. */
  const readBack = new Map<string, number>()

  /** Every record of every list reads by its id as it is listed. */
  const assertWhole = async () => {
    for (const { list, path } of guardedOperations) {
      const one = readPathOf(path)
      if (list === undefined || path.includes("/:")) continue
      const page = await tenant.reader.get(`${path}?limit=100`)
      assert.strictEqual(page.status, 200, page.text)
      for (const listed of one === undefined ? [] : page.listAt("data")) {
        const read = await tenant.reader.get(one?.replace(/:\w+$/, String(Object(listed)["id"])) ?? "")
        assert.strictEqual(read.status, 200, read.text)
        assertSame(listed, read.at(""), path)
      }
    }
  }

  const renew = async () => {
    tenant = await makeTenant(service)
    first = await populate(service, tenant)
    known = new Map([...first].map(([prefix, id]) => [prefix, [id]]))
    sent = 0
  }

  const idsFor = ({ pick }: Hostile): Ids =>
    new Map([...known].map(([prefix, all]) => [prefix, all.at(-1 - (pick % all.length)) ?? ""]))

  const requestOf = (request: Hostile): { readonly path: string; readonly sent: RequestParts } => {
    const { odd, operation, query, spoil } = request
    const ids = new Map(idsFor(request))
    const [target] = operation.ids.at(-1)?.slice(1) ?? []
    const sound = requestTo(operation, ids).sent.json
    if (odd !== undefined && target !== undefined) ids.set(target, odd)
    const { path } = requestTo(operation, ids)
    const spoilt = writes(operation) ? spoil(sound) : {}
    return { path: `${path}${query}`, sent: { ...spoilt, headers: { ...spoilt.headers, ...request.headers } } }
  }

  const remember = (answer: Answer) => {
    const id = answer.at("id")
    if (typeof id !== "string") return
    const prefix = id.slice(0, id.indexOf("_"))
    known.get(prefix)?.push(id)
  }

  /** Where the record is read that an operation made or changed. */
  const placeOf = ({ operation }: Hostile, path: string, answer: Answer): string | undefined => {
    const [place = ""] = path.split("?")
    const id = answer.at("id")
    if (answer.status === 201 && readPathOf(operation.path) !== undefined && typeof id === "string")
      return `${place}/${id}`
    return operation.method === "PATCH" && isReadable(operation.path) ? place : undefined
  }

  const assertReadsBack = async (request: Hostile, path: string, sent: unknown, answer: Answer) => {
    const place = placeOf(request, path, answer)
    if (place === undefined) return
    const read = await tenant.reader.get(place)
    assert.strictEqual(read.status, 200, read.text)
    assertSame(answer.at(""), read.at(""), request.operation.name)
    assertKept(sent, read.at(""), request.operation.name)
    readBack.set(request.operation.method, (readBack.get(request.operation.method) ?? 0) + 1)
  }

  /** Asserts the refusal of a request that is too large in some way, where nothing else is wrong with it. */
  const assertBounded = ({ headers, method, odd, operation, refused }: Hostile, answer: Answer) => {
    if (refused === undefined || odd !== undefined || method !== operation.method) return
    if (Object.keys(headers).length === 0) assertRefused(answer, refused.code, refused.param)
  }

  it("is answered, never with 5xx, as declared; what is accepted reads back, what is refused writes nothing", async () => {
    let accepted = 0
    await forEveryAsyncWith({ numRuns: requests }, hostile, async (request) => {
      if (sent++ >= perTenant) await renew()
      const { isWatched, method, operation } = request
      const { path, sent: given } = requestOf(request)
      const before = isWatched ? await readAll(tenant, first) : undefined
      const answer = await tenant.writer.request(method, path, method === "HEAD" ? {} : given)
      assert.isBelow(answer.status, 500, answer.text)
      assertBounded(request, answer)
      if (before !== undefined && answer.status >= 400) assert.strictEqual(await readAll(tenant, first), before)
      if (answer.status >= 300 || method !== operation.method) return
      accepted += 1
      assertKept(given.json, answer.at(""), operation.name)
      await assertReadsBack(request, path, given.json, answer)
      remember(answer)
      if (sent === perTenant) await assertWhole()
    })
    await assertWhole()
    assert.isAbove(accepted, requests / 20)
    assert.isTrue(known.has(idPrefixes.donor))
    for (const method of ["POST", "PATCH"]) assert.isTrue(readBack.has(method), method)
    assert.deepStrictEqual(service.logs, [])
  }, 600_000)
})
