import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { DateTime, Effect, Option, Predicate } from "effect"
import { Integrations } from "../../src/app/sharing/Integrations.ts"
import type { Refund } from "../../src/domain/giving/Refund.ts"
import { DonationId, DonorId, idPrefixes, RefundId } from "../../src/domain/kernel/Ids.ts"
import { DonorStore } from "../../src/ports/giving/DonorStore.ts"
import { RefundStore } from "../../src/ports/giving/RefundStore.ts"
import { ScoreStore } from "../../src/ports/insight/ScoreStore.ts"
import { SegmentStore } from "../../src/ports/insight/SegmentStore.ts"
import { scoreOf, segmentOf } from "../../src/testing/conformance/Insight.ts"
import type { Answer } from "../support/Answer.ts"
import { concernsOne, type DeclaredOperation, guardedOperations, type Name } from "../support/Declaration.ts"
import { type Service, startService } from "../support/Service.ts"
import { memory } from "../support/Stores.ts"
import { chargingAccount, makeTenants, type Tenant } from "../support/Tenant.ts"
import { exampleTime, type Ids, populate, requestTo, sitesOf } from "../support/World.ts"

/** Fields whose values the world decides that an example is sent into, not the request. */
const worldly = new Set(
  `abn code embed_token giving_url hosted_page_url invite_url label link_label processor_connect_account_id
  recipient_account_label recipient_org_name recipient_org_slug secret secret_last4 slug url url_key website_url`.split(
    /\s+/
  )
)

/** Lists that have nothing in the worlds of this test. */
const unseeded = new Set(["attempts"])

/** A value reduced to what all ids of a kind, and all instants, have in common. */
const kindOf = (value: unknown): unknown =>
  typeof value !== "string"
    ? value
    : value
        .replace(/^([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}$/, "$1")
        .replace(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/, "instant")

interface Place {
  readonly path: string
  readonly name: string
  /** Whether values must agree, too, or only what there is. */
  readonly exact: boolean
}

const at = (place: Place, name: string): Place => ({ ...place, path: `${place.path}.${name}`, name })

/** Holds an answer to the example of it: the same fields of the same types, and for a write the same values. */
const assertAs = (example: unknown, answer: unknown, place: Place): void => {
  const { exact, name, path } = place
  if (Array.isArray(example) && Array.isArray(answer)) {
    if (unseeded.has(name)) return
    assert.strictEqual(answer.length > 0, example.length > 0, path)
    if (exact) assert.strictEqual(answer.length, example.length, path)
    answer.forEach((each, index) => {
      assertAs(example[exact ? index : 0], each, at(place, `${index}`))
    })
  } else if (Predicate.isObject(example) && Predicate.isObject(answer)) {
    assert.sameMembers(Object.keys(answer), Object.keys(example), path)
    for (const key of Object.keys(example)) {
      assertAs(Reflect.get(example, key), Reflect.get(answer, key), at(place, key))
    }
  } else if (exact && !worldly.has(name)) {
    assert.deepStrictEqual(kindOf(answer), kindOf(example), path)
  } else if (example !== null && answer !== null) {
    assert.strictEqual(typeof answer, typeof example, path)
  }
}

/** Queries that the examples of lists are the answers to. */
const queries: Partial<Record<Name, string>> = {
  "donors.list": "?search=ada&created_at[gte]=2026-04-01&sort=-created_at",
  "events.list": "?type=donation.succeeded"
}

/** Makes the records that no operation of the surface makes: a refund that failed, scores and a segment. */
const enrich = (tenant: Tenant, ids: Ids) =>
  Effect.gen(function* () {
    const { id } = tenant.organisation
    const now = yield* DateTime.now
    const idOf = (kind: keyof typeof idPrefixes) => ids.get(idPrefixes[kind]) ?? ""
    const donor_id = DonorId.make(idOf("donor"))
    const donor = Option.getOrThrow(yield* DonorStore.use((store) => store.find(id, donor_id)))
    const refund: Refund = {
      id: RefundId.make(idOf("donation").replace("don_", "rfd_")),
      organisation_id: id,
      donation_id: DonationId.make(idOf("donation")),
      allocation_id: null,
      charge_id: null,
      is_beside_gift: false,
      amount_cents: 1,
      reason: "Paid twice",
      status: "FAILED",
      refunded_at: null,
      processor_reference: null,
      created_at: now,
      updated_at: now
    }
    yield* RefundStore.use((store) => store.insert(refund))
    const factor = { code: "rising_gifts", label: "Rising gifts", phrase: "Gave more each year." }
    const score = scoreOf(donor, { factors: { upgrade: [factor], lapse: [], reactivation: [] } })
    const computation = { computed_at: now, scoring_version: 1 }
    yield* ScoreStore.use((store) => store.replace(id, computation, [score]))
    const segment = yield* segmentOf(id, "lapsed", { last_computed_at: now })
    yield* SegmentStore.use((store) => store.put(segment, [donor_id]))
  })

/** Requests that need more than ids of the world. */
const bodies: Partial<Record<Name, (service: Service, tenant: Tenant) => Promise<unknown>>> = {
  "donors.merge": async (_, tenant) => ({
    duplicate_donor_id: (await tenant.writer.post("/donors", { phone: "+61 2 5550 0000", last_name: "O" })).textAt("id")
  }),
  "recipient_accounts.link": async (service) => {
    const { live } = await makeTenants(service)
    const account = chargingAccount(live.organisation)
    const made = await live.staff(Integrations.use((all) => all.create(account)))
    return { passphrase: made.passphrase }
  }
}

/** An example is sent on the day that its answer was given, and by whoever reads the reference long after. */
const days = [
  ["on their day", exampleTime],
  ["fifty years later", Date.UTC(2076, 3, 2)]
] as const

describe.each(days)("the examples of the reference, sent to the service %s", (_, day) => {
  let service: Service
  let shared: readonly [Tenant, Ids]
  beforeAll(async () => {
    service = await startService({ stores: memory })
    service.clock.advance(day - service.clock.now)
    const tenant = await newTenant()
    shared = [tenant, await furnished(tenant)]
  })
  afterAll(() => service.stop())

  const newTenant = async () => (await makeTenants(service, { name: "Riverside Shelter" })).live

  /** Whether the request names no record: it is sent before there are any. */
  const standsAlone = (operation: DeclaredOperation): boolean =>
    operation.method === "POST" && !concernsOne(operation) && sitesOf(operation).every(({ path }) => !(0 in path))

  const send = async (operation: DeclaredOperation, name: Name, tenant: Tenant, ids: Ids): Promise<Answer> => {
    const { path, sent } = requestTo(operation, ids)
    const body = await bodies[name]?.(service, tenant)
    const given = body === undefined ? sent : { ...sent, json: body }
    return tenant.writer.request(operation.method, `${path}${queries[name] ?? ""}`, given)
  }

  const newCode = guardedOperations.find(({ operation }) => operation === "revenue_codes.create")

  /** A tenant with a record of every kind, made by the examples. */
  const furnished = async (tenant: Tenant): Promise<Ids> => {
    const code = await tenant.writer.post("/revenue-codes", newCode?.example.request)
    const ids = new Map(await populate(service, tenant)).set(idPrefixes.revenueCode, code.textAt("id"))
    const events = await tenant.writer.get("/events?type=donation.succeeded")
    ids.set(idPrefixes.event, events.textAt("data.0.id"))
    await service.run(enrich(tenant, ids))
    return ids
  }

  /** Reads share a world; every write has one of its own. */
  const worldOf = async (operation: DeclaredOperation): Promise<readonly [Tenant, Ids]> => {
    if (operation.method === "GET") return shared
    // The clock of a live organisation is the real one.
    if (operation.operation === "sandbox.advance") return [(await makeTenants(service)).sandbox, new Map()]
    const tenant = await newTenant()
    return [tenant, standsAlone(operation) ? new Map() : await furnished(tenant)]
  }

  for (const operation of guardedOperations) {
    const name = operation.operation
    if (name === null) continue
    it(`${name} answers as its example says`, async () => {
      const [tenant, ids] = await worldOf(operation)
      const answer = await send(operation, name, tenant, ids)
      const successes = [...operation.answers.keys()].filter((status) => status < 300)
      assert.include(successes, answer.status, answer.text)
      const exact = operation.method !== "GET"
      assertAs(operation.example.answer, answer.at(""), { path: name, name: "", exact })
    })
  }
})
