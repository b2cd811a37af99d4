import { assert, beforeEach, it } from "@effect/vitest"
import { Effect } from "effect"
import type { RecipientAccount } from "../../src/domain/sharing/RecipientAccount.ts"
import { newLink } from "../../src/testing/conformance/MoneyRecords.ts"
import { assertRefused, valueAt } from "../support/Answer.ts"
import { anew, once } from "../support/Late.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { auditOf, makeTenant } from "../support/Tenant.ts"

const collection = "/recommendation-sets"
const noPayments = { referred_cents: 0, referred_count: 0, in_flight_cents: 0, in_flight_count: 0 }

describeService(everyKind, "recommendation sets", (service) => {
  const tenant = anew(() => makeTenant(service, "ENTERPRISE"))
  const recipient = once(() => makeTenant(service))
  let links: ReadonlyArray<RecipientAccount>

  beforeEach(async () => {
    links = await service.run(
      Effect.forEach(["Food bank", "Shelter", "Clinic"], (label) =>
        newLink(tenant.organisation.id, recipient.organisation, { label })
      )
    )
  })

  const idOf = (index: number) => links[index]?.id ?? assert.fail()

  /** Allocations to links by their index. */
  const to = (...parts: ReadonlyArray<readonly [link: number, amount_cents: number]>) =>
    parts.map(([link, amount_cents]) => ({ recipient_org_account_link_id: idOf(link), amount_cents }))

  const create = (more: object = {}) =>
    tenant.writer.post(collection, { name: "Winter partners", allocations: to([1, 500], [0, 300]), ...more })

  const pathOf = async (more: object = {}) => `${collection}/${(await create(more)).textAt("id")}`

  const events = async () =>
    (await tenant.reader.get("/events?limit=100"))
      .listAt("data")
      .map((each) => [valueAt(each, "type"), valueAt(each, "data")] as const)

  const eventTypes = async () =>
    (await events()).map(([type]) => String(type).replace("recommendation_set.", "")).toReversed()

  it("are made with every field, allocations in the given order, and told of without their addresses", async () => {
    const made = await create({ slug: null, description: null, min_total_cents: null, expires_at: null })
    assert.strictEqual(made.status, 201)
    const { allocations, giving_url, id, url_key, ...rest } = Object(made.at(""))
    const listed = {
      name: "Winter partners",
      slug: "winter-partners",
      is_active: true,
      archived_at: null,
      expires_at: null,
      amount_mode: "FIXED",
      min_total_cents: null,
      total_amount_cents: 800,
      allocation_count: 2,
      created_at: service.clock.iso()
    }
    assert.match(id, /^rset_/)
    assert.match(url_key, /^[0-9A-Za-z]{22,}$/)
    assert.strictEqual(giving_url, `http://${tenant.organisation.slug}.localhost:8080/g/${url_key}`)
    assert.deepStrictEqual(rest, { ...listed, description: null, payment_summary: noPayments })
    const recipient_org_name = recipient.organisation.name
    assert.deepStrictEqual(
      allocations.map(({ id: _, ...each }: { id: string }) => each),
      [
        { ...to([1, 500])[0], link_label: "Shelter", recipient_org_name },
        { ...to([0, 300])[0], link_label: "Food bank", recipient_org_name }
      ]
    )
    assert.deepStrictEqual((await tenant.reader.get(`${collection}/${id}`)).bytes, made.bytes)
    assert.deepStrictEqual((await tenant.reader.get(collection)).at("data"), [{ id, ...listed }])
    assert.deepStrictEqual(await events(), [["recommendation_set.created", { id, ...listed }]])
    const [entry] = await auditOf(service, tenant.organisation)
    assert.deepStrictEqual([entry?.operation, entry?.subject_id], ["recommendation_sets.create", id])
    assert.notStrictEqual((await create()).at("url_key"), url_key)
  })

  it("have slugs of their own: one that is given and taken is refused, one of a name gets a number", async () => {
    const holder = await create({ slug: "gala" })
    const taken = await create({ slug: "gala" })
    assertRefused(taken, "validation_failed", "slug")
    assert.include(taken.textAt("error.message"), holder.textAt("id"))
    const other = await pathOf({ slug: "other" })
    assertRefused(await tenant.writer.patch(other, { slug: "gala", name: "New" }), "validation_failed", "slug")
    assert.strictEqual((await tenant.reader.get(other)).at("name"), "Winter partners")
    await tenant.writer.delete(`${collection}/${holder.textAt("id")}`)
    assertRefused(await create({ slug: "gala" }), "validation_failed", "slug")
    const unreachable = { amount_mode: "SUGGESTED", min_total_cents: 1_000_000_001 }
    assertRefused(await create(unreachable), "validation_failed", "min_total_cents")
    const named = await Promise.all([1, 2, 3].map(() => create({ name: "Gala" })))
    assert.deepStrictEqual(named.map((each) => each.textAt("slug")).toSorted(), ["gala-2", "gala-3", "gala-4"])
    const neighbour = await makeTenant(service, "ENTERPRISE")
    const link = await service.run(newLink(neighbour.organisation.id, recipient.organisation))
    const allocations = [{ recipient_org_account_link_id: link.id, amount_cents: 1 }]
    const elsewhere = await neighbour.writer.post(collection, { name: "Gala", slug: "gala", allocations })
    assert.deepStrictEqual([elsewhere.status, elsewhere.at("slug")], [201, "gala"])
  })

  it("refuse links that are unknown, another organisation's or inactive, and write nothing", async () => {
    const other = await makeTenant(service, "ENTERPRISE")
    const foreign = await service.run(newLink(other.organisation.id, recipient.organisation))
    await tenant.writer.delete(`/recipient-accounts/${idOf(2)}`)
    const path = await pathOf()
    const before = (await tenant.reader.get(path)).bytes
    const told = await eventTypes()
    const audited = (await auditOf(service, tenant.organisation)).length
    for (const wrong of [foreign.id, idOf(2), "roal_01jh00000000000000000000zz", "nothing"]) {
      const allocations = [...to([0, 300]), { recipient_org_account_link_id: wrong, amount_cents: 1 }]
      assertRefused(await create({ allocations }), "invalid_request")
      assertRefused(await create({ allocations, min_total_cents: 302 }), "invalid_request")
      assertRefused(await tenant.writer.patch(path, { name: "Other", allocations }), "invalid_request")
    }
    assert.deepStrictEqual((await tenant.reader.get(path)).bytes, before)
    assert.deepStrictEqual((await tenant.reader.get(collection)).listAt("data").length, 1)
    assert.deepStrictEqual(await eventTypes(), told)
    assert.strictEqual((await auditOf(service, tenant.organisation)).length, audited)
  })

  it("change by PATCH, allocations whole, and tell of it once", async () => {
    const made = await create({ description: "Old", expires_at: "2027-01-01T00:00:00Z", min_total_cents: 100 })
    const path = `${collection}/${made.textAt("id")}`
    const changed = await tenant.writer.patch(path, {
      name: " Spring partners ",
      allocations: to([2, 50], [1, 500]),
      description: null,
      expires_at: null,
      min_total_cents: null,
      amount_mode: "SUGGESTED"
    })
    const { allocations, ...rest } = Object(changed.at(""))
    const { allocations: _, ...before } = Object(made.at(""))
    assert.deepStrictEqual(rest, {
      ...before,
      name: "Spring partners",
      description: null,
      expires_at: null,
      min_total_cents: null,
      amount_mode: "SUGGESTED",
      total_amount_cents: 550,
      allocation_count: 2
    })
    assert.deepStrictEqual(
      allocations.map((each: object) => [valueAt(each, "link_label"), valueAt(each, "amount_cents")]),
      [
        ["Clinic", 50],
        ["Shelter", 500]
      ]
    )
    assert.deepStrictEqual((await tenant.reader.get(path)).bytes, changed.bytes)
    const [[type, data] = []] = await events()
    assert.deepStrictEqual(
      [type, valueAt(data, "name"), valueAt(data, "total_amount_cents")],
      ["recommendation_set.updated", "Spring partners", 550]
    )
    assert.deepStrictEqual(await eventTypes(), ["created", "updated"])
  })

  it("show what links are called now, inactive ones too", async () => {
    const path = await pathOf()
    await tenant.writer.patch(`/recipient-accounts/${idOf(1)}`, { label: "Night shelter" })
    await tenant.writer.delete(`/recipient-accounts/${idOf(1)}`)
    assert.strictEqual((await tenant.reader.get(path)).at("allocations.0.link_label"), "Night shelter")
    assert.strictEqual((await tenant.writer.patch(path, { name: "Same links" })).status, 200)
  })
})
