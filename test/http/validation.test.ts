import { assert, beforeAll, it } from "@effect/vitest"
import { Effect } from "effect"
import { DonorId } from "../../src/domain/kernel/Ids.ts"
import { eventTypes } from "../../src/domain/outbox/Event.ts"
import type { RecommendationSet } from "../../src/domain/sharing/RecommendationSet.ts"
import { RecommendationSetStore, SubscriptionStore } from "../../src/ports.ts"
import { newLink, setOf, subscriptionOf } from "../../src/testing/conformance/MoneyRecords.ts"
import { assertRefused, fieldsOf } from "../support/Answer.ts"
import { declaredOperations, guardedOperations, pathTo, soundBody, takesKey } from "../support/Declaration.ts"
import { describeService, inMemory } from "../support/ServiceSuite.ts"
import { makeTenant, type Tenant } from "../support/Tenant.ts"

type Refusal = readonly [body: unknown, param?: string]

describeService(inMemory, "validation", (service) => {
  let tenant: Tenant
  let donor: string
  let endpoint: string
  let set: RecommendationSet

  beforeAll(async () => {
    tenant = await makeTenant(service)
    donor = (await tenant.writer.post("/donors", { first_name: "Ada" })).textAt("id")
    const made = { url: "https://hooks.example.org/in", event_types: ["donor.created"] }
    endpoint = (await tenant.writer.post("/webhook-endpoints", made)).textAt("id")
    set = await service.run(
      Effect.gen(function* () {
        const link = yield* newLink(tenant.organisation.id, tenant.organisation, {})
        const made = yield* setOf(tenant.organisation.id, [link])
        yield* (yield* RecommendationSetStore).insert(made)
        return made
      })
    )
  })

  /** A refusal with a param is a broken rule, one without is malformed input. */
  const assertAll = async (method: string, path: string, refusals: ReadonlyArray<Refusal>) => {
    for (const [json, param] of refusals) {
      const answer = await tenant.writer.request(method, path, { json })
      assertRefused(answer, param === undefined ? "invalid_request" : "validation_failed", param)
    }
  }

  it("but not of an empty text where there may be none: it counts as null", async () => {
    const { writer } = tenant
    const made = await writer.post("/donors", { last_name: "Byron", email: " " })
    assert.strictEqual(made.status, 201, made.text)
    assert.isNull(made.at("email"))
    const path = `/donors/${made.textAt("id")}`
    await writer.patch(path, { email: "ada@example.org" })
    assert.isNull((await writer.patch(path, { email: "" })).at("email"))
    const own = await writer.patch("/organisations/me", { abn: "", website_url: " " })
    assert.deepInclude(own.at(""), { abn: null, website_url: null })
    const gift = { donor_id: donor, donation_type: "MONETARY", amount_cents: 100, donation_date: "2026-01-01" }
    const booked = await writer.post("/donations", { ...gift, revenue_code: "WINTER", revenue_code_id: "" })
    assert.strictEqual(booked.at("revenue_code"), "WINTER", booked.text)
    const named = { donor_id: "", donor_email: "ada@example.org" }
    assertRefused(
      await writer.post("/checkout-links", { ...named, amount_cents: 100, donor_email: "" }),
      "validation_failed",
      "donor_id"
    )
  })

  it("of what a schema has no words for", async () => {
    await assertAll("POST", "/donors", [
      [{}, "first_name"],
      [{ donor_type: "ORGANISATION", first_name: "Ada" }, "organisation_name"],
      [{ email: "ada" }, "email"],
      [{ first_name: "Ada", country: " " }, "country"],
      [{ first_name: "Ada", marketing_consent_at: "2026-02-30T00:00:00Z" }, "marketing_consent_at"],
      [{ first_name: "Ada", marketing_consent_at: "2026-02-03" }, "marketing_consent_at"]
    ])
    await assertAll("PATCH", `/donors/${donor}`, [
      [{ country: null }],
      [{ first_name: null }, "first_name"],
      [{ donor_type: "TRUST" }, "organisation_name"]
    ])
    const gift = { donor_id: donor, donation_type: "MONETARY", amount_cents: 100, donation_date: "2026-01-01" }
    const inKind = { ...gift, donation_type: "IN_KIND", in_kind_category: "GOODS", in_kind_description: "Chairs" }
    const days = ["2026-02-30", "2026-1-1", "", "2026-01-01T00:00:00Z", "0000-01-01", "2026-01-16"]
    await assertAll("POST", "/donations", [
      [{ ...gift, donor_id: "dnr_01jh00000000000000000000zz" }, "donor_id"],
      ...days.map((donation_date): Refusal => [{ ...gift, donation_date }, "donation_date"]),
      [{ ...gift, revenue_code: "a\u0007b" }, "revenue_code"],
      [{ ...gift, revenue_code_id: "rev_unknown" }, "revenue_code_id"],
      [{ ...inKind, in_kind_category: null }, "in_kind_category"],
      [{ ...inKind, in_kind_description: null }, "in_kind_description"],
      // Where both kinds occur, the malformed input is told, wherever it stands.
      [{ ...gift, amount_cents: 0, nope: 1 }],
      [{ nope: 1, ...gift, donation_type: "x" }]
    ])
    const sound = { url: "https://hooks.example.org/in", event_types: ["donor.created"] }
    await assertAll("POST", "/webhook-endpoints", [
      [{ ...sound, event_types: ["donor.created", "donor.*"] }, "event_types[1]"],
      [{ ...sound, event_types: ["donor.created", "donor.created"] }, "event_types"]
    ])
    await assertAll("PATCH", "/organisations/me", [
      [{ timezone: "Sydney" }, "timezone"],
      [{ timezone: "+10:00" }, "timezone"],
      [{ abn: "123" }, "abn"],
      [{ website_url: "ftp://example.org" }, "website_url"]
    ])
  })

  it("tells a field of the record that cannot be written from an unknown one", async () => {
    for (const operation of guardedOperations.filter((each) => takesKey(each) && each.payload !== undefined)) {
      const path = pathTo(operation)
      const body = Object(soundBody(operation))
      const written = operation.payload?.ast._tag === "Objects" ? operation.payload.ast.propertySignatures : []
      const writable = new Set(written.map(({ name }) => String(name)))
      for (const field of operation.writes.filter((each) => !writable.has(each))) {
        for (const value of [null, "x", 1]) {
          const answer = await tenant.writer.request(operation.method, path, { json: { ...body, [field]: value } })
          assertRefused(answer, "validation_failed", field)
        }
      }
      for (const field of ["nope", "", "constructor", "toString", "0", "ID", "😀", "a".repeat(5_000)]) {
        const answer = await tenant.writer.request(operation.method, path, { json: { ...body, [field]: 1 } })
        assertRefused(answer, "invalid_request")
      }
      const text = JSON.stringify(body).replace(
        /^\{/,
        Object.keys(body).length === 0 ? '{"__proto__":{}' : '{"__proto__":{},'
      )
      const headers = { "content-type": "application/json" }
      assertRefused(await tenant.writer.request(operation.method, path, { body: text, headers }), "invalid_request")
    }
  })

  it("tells a field of a record in a list that cannot be written by its path", async () => {
    const [allocation] = set.allocations
    const sound = { recipient_org_account_link_id: allocation?.recipient_org_account_link_id, amount_cents: 500 }
    const ways = guardedOperations.filter(
      ({ payload, record }) => payload !== undefined && record["allocations"] !== undefined
    )
    assert.sameMembers(fieldsOf(ways, "operation"), ["recommendation_sets.create", "recommendation_sets.update"])
    for (const operation of ways) {
      const send = (index: number, field: string) => {
        const allocations = [0, 1].map((each) => (each === index ? { ...sound, [field]: "x" } : sound))
        const json = { ...Object(soundBody(operation)), allocations }
        return tenant.writer.request(operation.method, pathTo(operation), { json })
      }
      for (const field of Object.keys(operation.record["allocations"] ?? {}).filter((name) => !(name in sound))) {
        for (const index of [0, 1]) {
          assertRefused(await send(index, field), "validation_failed", `allocations[${index}].${field}`)
        }
      }
      for (const field of ["nope", "constructor", "name", "allocations"]) {
        assertRefused(await send(1, field), "invalid_request")
      }
    }
  })

  it("takes null for an optional field as absence, and clears with it in PATCH", async () => {
    const { first_name: _, id: __, ...fields } = Object((await tenant.reader.get(`/donors/${donor}`)).at(""))
    const names = Object.keys(fields).filter((name) => !/ed_at$|^merged_into_/.test(name))
    const nulls = Object.fromEntries(names.map((name) => [name, null]))
    const made = await tenant.writer.post("/donors", { first_name: "Ada", ...nulls })
    const plain = await tenant.writer.post("/donors", { first_name: "Ada" })
    for (const name of names) assert.deepStrictEqual(made.at(name), plain.at(name), name)
    const id = made.textAt("id")
    await tenant.writer.patch(`/donors/${id}`, { last_name: "Lovelace", marketing_consent_at: "2026-01-01T00:00:00Z" })
    const cleared = await tenant.writer.patch(`/donors/${id}`, { last_name: null, marketing_consent_at: null })
    assert.deepInclude(cleared.at(""), { last_name: null, marketing_consent_at: null, first_name: "Ada" })
  })

  it("of queries, for every list", async () => {
    const json = { donor_id: donor, donation_type: "MONETARY", amount_cents: 1, donation_date: "2026-01-10" }
    const donation = (await tenant.writer.post("/donations", json)).textAt("id")
    const giver = { id: DonorId.make(donor), organisation_id: tenant.organisation.id }
    const subscription = await service.run(subscriptionOf(giver))
    await service.run(SubscriptionStore.use((store) => store.insert(subscription)))
    for (const { list, path } of declaredOperations) {
      if (list === undefined) continue
      const refuse = async (query: string, param?: string) => {
        const parents = path
          .replace("/donors/:id/", `/donors/${donor}/`)
          .replace("/donations/:id/", `/donations/${donation}/`)
          .replace("-sets/:id/", `-sets/${set.id}/`)
          .replace("/subscriptions/:id/", `/subscriptions/${subscription.id}/`)
        const answer = await tenant.reader.get(`${parents}?${query}`)
        assertRefused(answer, param === undefined ? "invalid_request" : "validation_failed", param)
      }
      for (const query of ["nope=1", "limit=abc", "limit=1&limit=2", "constructor[eq]=1", "a%FF=1", "limit=0&nope=1"])
        await refuse(query)
      await refuse("limit=101", "limit")
      for (const cursor of ["nope", "dnr_01jh00000000000000000000zz", "%00"])
        await refuse(`starting_after=${cursor}`, "starting_after")
      for (const [name, { kind }] of Object.entries(list.filters)) {
        await refuse(`${name}[like]=1`)
        if (kind === "text") await refuse(`${name}=a%00b`, name)
        if (kind === "enum") await refuse(`${name}=ALL`, name)
        if (kind === "integer") await refuse(`${name}[gte]=99999999999999999999`, `${name}[gte]`)
        if (kind === "boolean") await refuse(`${name}=1`)
        if (kind === "timestamp" || kind === "day") await refuse(`${name}[gte]=2026-02-30`, `${name}[gte]`)
      }
      if (list.sorts !== undefined) await refuse("sort=nope", "sort")
      if (list.segments === true) await refuse("segment=nope", "segment")
      if (list.words !== undefined) await refuse("search=a%ED%A0%80b", "search")
    }
  })

  it("takes every event type of the catalogue", async () => {
    const answer = await tenant.writer.patch(`/webhook-endpoints/${endpoint}`, { event_types: eventTypes })
    assert.deepStrictEqual(answer.at("event_types"), eventTypes)
  })
})
