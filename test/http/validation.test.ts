import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { DonorId } from "../../src/domain/kernel/Ids.ts"
import { eventTypes } from "../../src/domain/outbox/Event.ts"
import type { RecommendationSet } from "../../src/domain/sharing/RecommendationSet.ts"
import { SubscriptionStore } from "../../src/ports/payments/SubscriptionStore.ts"
import { RecommendationSetStore } from "../../src/ports/sharing/RecommendationSetStore.ts"
import { newLink, setOf } from "../../src/testing/conformance/SetRecords.ts"
import { subscriptionOf } from "../../src/testing/conformance/SubscriptionRecords.ts"
import { assertRefused } from "../support/Answer.ts"
import { declaredOperations, guardedOperations, pathTo, soundBody, takesKey } from "../support/Declaration.ts"
import { type Service, startService } from "../support/Service.ts"
import { memory } from "../support/Stores.ts"
import { makeTenant, type Tenant } from "../support/Tenant.ts"

type Refusal = readonly [body: unknown, param?: string]

describe("validation", () => {
  let service: Service
  let tenant: Tenant
  let donor: string
  let endpoint: string
  let set: RecommendationSet

  beforeAll(async () => {
    service = await startService({ stores: memory })
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
  afterAll(() => service.stop())

  /** A refusal with a param is a broken rule, one without is malformed input. */
  const assertAll = async (method: string, path: string, refusals: ReadonlyArray<Refusal>) => {
    for (const [json, param] of refusals) {
      const answer = await tenant.writer.request(method, path, { json })
      assertRefused(answer, param === undefined ? "invalid_request" : "validation_failed", param)
    }
  }

  it("of donors", async () => {
    const malformed = [
      { first_name: 1 },
      { first_name: {} },
      { first_name: [] },
      { do_not_contact: "true" },
      { donor_type: 1 },
      { marketing_consent_at: 1 },
      { nope: 1 },
      { first_name: "A", nope: null },
      { email: false },
      { country: 5 }
    ]
    await assertAll(
      "POST",
      "/donors",
      malformed.map((json): Refusal => [json])
    )
    await assertAll(
      "PATCH",
      `/donors/${donor}`,
      malformed.map((json): Refusal => [json])
    )
    await assertAll("POST", "/donors", [
      [{}, "first_name"],
      [{ first_name: "" }, "first_name"],
      [{ first_name: " \t\n", last_name: null, email: "  " }, "email"],
      [{ donor_type: "UNKNOWN" }, "first_name"],
      [{ donor_type: "ORGANISATION", first_name: "Ada" }, "organisation_name"],
      [{ donor_type: "TRUST", organisation_name: " " }, "organisation_name"],
      [{ donor_type: "individual", first_name: "Ada" }, "donor_type"],
      [{ first_name: "x".repeat(256) }, "first_name"],
      [{ email: "ada" }, "email"],
      [{ email: "ada@" }, "email"],
      [{ email: `${"a".repeat(243)}@example.org` }, "email"],
      [{ first_name: "Ada", country: " " }, "country"],
      [{ first_name: "Ada", marketing_consent_at: "yesterday" }, "marketing_consent_at"],
      [{ first_name: "Ada", marketing_consent_at: "2026-02-30T00:00:00Z" }, "marketing_consent_at"],
      [{ first_name: "Ada", marketing_consent_at: "2026-02-03" }, "marketing_consent_at"]
    ])
    await assertAll("PATCH", `/donors/${donor}`, [
      [{ country: null }],
      [{ do_not_contact: null }],
      [{ donor_type: null }],
      [{ first_name: null }, "first_name"],
      [{ donor_type: "TRUST" }, "organisation_name"],
      [{ country: "" }, "country"]
    ])
  })

  it("of donations", async () => {
    const gift = { donor_id: donor, donation_type: "MONETARY", amount_cents: 100, donation_date: "2026-01-01" }
    const inKind = { ...gift, donation_type: "IN_KIND", in_kind_category: "GOODS", in_kind_description: "Chairs" }
    const without = (name: string) => Object.fromEntries(Object.entries(gift).filter(([each]) => each !== name))
    await assertAll("POST", "/donations", [
      ...Object.keys(gift).flatMap(
        (name): ReadonlyArray<Refusal> => [[without(name)], [{ ...gift, [name]: null }], [{ ...gift, [name]: [] }]]
      ),
      [{ ...gift, amount_cents: "100" }],
      [{ ...gift, amount_cents: 1.5 }],
      [{ ...gift, amount_cents: 0 }, "amount_cents"],
      [{ ...gift, amount_cents: -1 }, "amount_cents"],
      [{ ...gift, amount_cents: 1_000_000_001 }, "amount_cents"],
      [{ ...gift, amount_cents: 1e20 }, "amount_cents"],
      [{ ...gift, amount_cents: 2 ** 53 + 2 }, "amount_cents"],
      [{ ...gift, donor_id: "" }, "donor_id"],
      [{ ...gift, donor_id: "dnr_unknown" }, "donor_id"],
      [{ ...gift, donor_id: "dnr_01jh00000000000000000000zz" }, "donor_id"],
      [{ ...gift, donation_type: "monetary" }, "donation_type"],
      ...[
        "2026-02-30",
        "2026-13-01",
        "2026-1-1",
        "01/01/2026",
        "",
        "2026-01-01T00:00:00Z",
        "0000-01-01",
        "2025-02-29"
      ].map((donation_date): Refusal => [{ ...gift, donation_date }, "donation_date"]),
      [{ ...gift, donation_date: "2026-01-16" }, "donation_date"],
      [{ ...gift, payment_method: "card" }, "payment_method"],
      [{ ...gift, payment_method: 1 }],
      [{ ...gift, revenue_code: "x".repeat(101) }, "revenue_code"],
      [{ ...gift, revenue_code: "a\u0007b" }, "revenue_code"],
      [{ ...gift, revenue_code_id: "rev_unknown" }, "revenue_code_id"],
      [{ ...gift, revenue_code_id: "x".repeat(51) }, "revenue_code_id"],
      [{ ...inKind, in_kind_category: null }, "in_kind_category"],
      [{ ...inKind, in_kind_category: "FOOD" }, "in_kind_category"],
      [{ ...inKind, in_kind_description: null }, "in_kind_description"],
      [{ ...inKind, in_kind_description: " " }, "in_kind_description"],
      [{ ...inKind, in_kind_description: "x".repeat(501) }, "in_kind_description"],
      // Where both kinds occur, the malformed input is told, wherever it stands.
      [{ ...gift, amount_cents: 0, nope: 1 }],
      [{ nope: 1, ...gift, donation_type: "x" }],
      [{ ...gift, amount_cents: 0, donor_id: 1 }]
    ])
  })

  it("of revenue codes, webhook endpoints and the organisation", async () => {
    await assertAll("POST", "/revenue-codes", [
      [{}],
      [{ code: null }],
      [{ code: 1 }],
      [{ code: "" }, "code"],
      [{ code: "  " }, "code"],
      [{ code: "x".repeat(101) }, "code"],
      [{ code: "a", description: "x".repeat(256) }, "description"],
      [{ code: "a", namespace: "CRM_A" }, "namespace"]
    ])
    const sound = { url: "https://hooks.example.org/in", event_types: ["donor.created"] }
    await assertAll("POST", "/webhook-endpoints", [
      [{ url: sound.url }],
      [{ event_types: sound.event_types }],
      [{ ...sound, event_types: "donor.created" }],
      [{ ...sound, event_types: [1] }],
      [{ ...sound, event_types: [] }, "event_types"],
      [{ ...sound, event_types: ["donor.created", "donor.*"] }, "event_types[1]"],
      [{ ...sound, event_types: ["*"] }, "event_types[0]"],
      [{ ...sound, event_types: ["donor.created", "donor.created"] }, "event_types"],
      [{ ...sound, url: "x".repeat(2_049) }, "url"],
      [{ ...sound, description: "x".repeat(10_001) }, "description"],
      [{ ...sound, secret: "almwh_mine" }]
    ])
    await assertAll("POST", `/webhook-endpoints/${endpoint}/rotate_secret`, [
      [{ overlap_hours: "24" }],
      [{ overlap_hours: 1.5 }],
      [{ overlap_hours: -1 }, "overlap_hours"],
      [{ overlap_hours: 73 }, "overlap_hours"]
    ])
    await assertAll("PATCH", `/webhook-endpoints/${endpoint}`, [
      [{ is_active: null }],
      [{ url: null }],
      [{ event_types: [] }, "event_types"],
      [{ disabled_reason: null }, "disabled_reason"]
    ])
    await assertAll("PATCH", "/organisations/me", [
      [{ name: null }],
      [{ timezone: 10 }],
      [{ name: " " }, "name"],
      [{ timezone: "Sydney" }, "timezone"],
      [{ timezone: "+10:00" }, "timezone"],
      [{ abn: "123" }, "abn"],
      [{ website_url: "ftp://example.org" }, "website_url"],
      [{ website_url: `https://example.org/${"x".repeat(2_048)}` }, "website_url"]
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
    assert.sameMembers(
      ways.map(({ operation }) => operation),
      ["recommendation_sets.create", "recommendation_sets.update"]
    )
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
    const names = [
      "last_name",
      "email",
      "phone",
      "suburb",
      "occupation",
      "marketing_consent_at",
      "country",
      "donor_type",
      "do_not_contact"
    ]
    const nulls = Object.fromEntries(names.map((name) => [name, null]))
    const made = await tenant.writer.post("/donors", { first_name: "Ada", ...nulls })
    const plain = await tenant.writer.post("/donors", { first_name: "Ada" })
    for (const name of names) assert.deepStrictEqual(made.at(name), plain.at(name), name)
    const id = made.textAt("id")
    await tenant.writer.patch(`/donors/${id}`, { last_name: "Lovelace", marketing_consent_at: "2026-01-01T00:00:00Z" })
    const cleared = await tenant.writer.patch(`/donors/${id}`, { last_name: null, marketing_consent_at: null })
    assert.deepStrictEqual(
      [cleared.at("last_name"), cleared.at("marketing_consent_at"), cleared.at("first_name")],
      [null, null, "Ada"]
    )
  })

  it("refuses U+0000 and lone surrogates in every text of a body", async () => {
    const texts = ["a\u0000b", "\u0000", "\ud800", "a\udc00b", "\udc00\ud800"]
    const places: ReadonlyArray<readonly [method: string, path: string, body: object, field: string]> = [
      ...[
        "first_name",
        "last_name",
        "organisation_name",
        "email",
        "phone",
        "address_line1",
        "address_line2",
        "suburb",
        "state",
        "postcode",
        "country",
        "employer_name",
        "occupation"
      ].map((field) => ["POST", "/donors", { first_name: "Ada" }, field] as const),
      ["PATCH", `/donors/${donor}`, {}, "phone"],
      ["POST", "/revenue-codes", {}, "code"],
      ["POST", "/revenue-codes", { code: "a" }, "description"],
      ["PATCH", "/organisations/me", {}, "name"],
      ["PATCH", "/organisations/me", {}, "website_url"],
      ["PATCH", "/organisations/me", {}, "timezone"],
      ["POST", "/webhook-endpoints", { event_types: ["donor.created"] }, "url"],
      ["PATCH", `/webhook-endpoints/${endpoint}`, {}, "description"]
    ]
    const gift = {
      donor_id: donor,
      donation_type: "IN_KIND",
      in_kind_category: "GOODS",
      in_kind_description: "x",
      amount_cents: 1,
      donation_date: "2026-01-01"
    }
    for (const field of ["donor_id", "in_kind_description", "revenue_code", "revenue_code_id", "donation_date"]) {
      for (const text of texts)
        assertRefused(await tenant.writer.post("/donations", { ...gift, [field]: text }), "validation_failed", field)
    }
    for (const [method, path, body, field] of places) {
      for (const text of texts) {
        const answer = await tenant.writer.request(method, path, { json: { ...body, [field]: text } })
        assertRefused(answer, "validation_failed", field)
      }
    }
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
      for (const query of [
        "nope=1",
        "limit=abc",
        "limit=",
        "limit=1.5",
        "limit=1e1",
        "limit=1&limit=2",
        "=1",
        "__proto__=1",
        "constructor[eq]=1",
        "limit[eq]=1",
        "archived=maybe",
        "%00=1",
        "a%FF=1",
        "limit=%FF",
        "nope=%ED%A0%80",
        "created_at[[gte]]=1"
      ])
        await refuse(query)
      for (const limit of ["0", "-1", "101", "99999999999999999999"]) await refuse(`limit=${limit}`, "limit")
      await refuse("limit=0&nope=1")
      for (const cursor of ["nope", "", "%F0%9F%98%80", "dnr_01jh00000000000000000000zz", "%00", "%ED%A0%80"])
        await refuse(`starting_after=${cursor}`, "starting_after")
      for (const [name, { kind }] of Object.entries(list.filters)) {
        await refuse(`${name}[like]=1`)
        await refuse(`${name}[eq]=1&${name}=1`)
        const param = `${name}[eq]`
        if (kind === "text") await refuse(`${name}=a%00b`, name)
        if (kind === "text") await refuse(`${param}=%ED%BF%BF`, param)
        if (kind === "enum") await refuse(`${name}=ALL`, name)
        if (kind === "enum") await refuse(`${name}[in]=`, `${name}[in]`)
        if (kind === "integer") await refuse(`${name}=1.5`)
        if (kind === "integer") await refuse(`${name}[gte]=99999999999999999999`, `${name}[gte]`)
        if (kind === "boolean") await refuse(`${name}=1`)
        if (kind === "timestamp" || kind === "day") await refuse(`${name}[gte]=2026-02-30`, `${name}[gte]`)
        if (kind === "timestamp" || kind === "day") await refuse(`${name}[lt]=now`, `${name}[lt]`)
      }
      if (list.sorts !== undefined)
        for (const sort of ["", "-", "nope", "--created_at", "constructor"]) await refuse(`sort=${sort}`, "sort")
      if (list.segments === true) await refuse("segment=nope", "segment")
      if (list.words !== undefined) await refuse("search=%00", "search")
      if (list.words !== undefined) await refuse("search=a%ED%A0%80b", "search")
    }
  })

  it("takes every event type of the catalogue", async () => {
    const answer = await tenant.writer.patch(`/webhook-endpoints/${endpoint}`, { event_types: eventTypes })
    assert.deepStrictEqual(answer.at("event_types"), eventTypes)
  })
})
