import { assert, it } from "@effect/vitest"
import { assertRefused, valueAt } from "../support/Answer.ts"
import { anew } from "../support/Late.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { makeTenant } from "../support/Tenant.ts"

const defaults = {
  status: "DRAFT",
  description: null,
  thank_you_message: null,
  disclaimer_text: null,
  allow_custom_amount: true,
  default_amount_cents: null,
  minimum_amount_cents: null,
  maximum_amount_cents: null,
  allow_recurring: true,
  default_cadence: "ONE_TIME",
  address_visibility: "NONE",
  phone_visibility: "OPTIONAL",
  revenue_code: null,
  revenue_code_id: null,
  archived_at: null
}

describeService(everyKind, "forms", (service) => {
  const tenant = anew(() => makeTenant(service))

  const create = async (json: object) => {
    const made = await tenant.writer.post("/forms", json)
    assert.strictEqual(made.status, 201, made.text)
    return made
  }

  it("have every field, with the contract's defaults, and a page on the organisation's subdomain", async () => {
    const made = await create({ name: " Winter appeal " })
    const { embed_token, id, recurring_frequencies, suggested_amounts_cents, ...rest } = Object(made.at(""))
    const slug = tenant.organisation.slug
    assert.deepStrictEqual(rest, {
      ...defaults,
      name: "Winter appeal",
      title: "Winter appeal",
      slug: "winter-appeal",
      hosted_page_url: `http://${slug}.localhost:8080/f/winter-appeal`,
      created_at: service.clock.iso(),
      updated_at: service.clock.iso()
    })
    assert.match(embed_token, /^[0-9A-Za-z]{22}$/)
    assert.isNotEmpty(recurring_frequencies)
    assert.isNotEmpty(suggested_amounts_cents)
    assert.deepStrictEqual((await tenant.reader.get(`/forms/${id}`)).bytes, made.bytes)
    assert.deepStrictEqual((await tenant.reader.get("/forms")).at("data"), [made.at("")])
    const event = (await tenant.reader.get("/events")).at("data.0")
    const { embed_token: _, ...told } = Object(made.at(""))
    assert.deepStrictEqual(
      [valueAt(event, "type"), valueAt(event, "data")],
      ["donation_form.created", told],
      "the record without the token"
    )
  })

  it("get a free slug, also when many are made at one moment, and keep it when archived", async () => {
    const other = await makeTenant(service)
    await other.writer.post("/forms", { name: "Été 2026" })
    const first = await create({ name: "Été 2026" })
    await tenant.writer.delete(`/forms/${first.textAt("id")}`)
    const made = await Promise.all(Array.from({ length: 6 }, () => create({ name: "Ete, 2026!" })))
    assert.strictEqual(first.at("slug"), "ete-2026")
    assert.sameMembers(
      made.map((each) => each.textAt("slug")),
      [2, 3, 4, 5, 6, 7].map((number) => `ete-2026-${number}`)
    )
  })

  it("have a slug that follows the name until they are first active", async () => {
    await create({ name: "Spring" })
    const id = (await create({ name: "Winter" })).textAt("id")
    const slugAfter = async (json: object) => (await tenant.writer.patch(`/forms/${id}`, json)).textAt("slug")
    assert.strictEqual(await slugAfter({ name: "Spring" }), "spring-2")
    assert.strictEqual(await slugAfter({ name: "Spring!" }), "spring-2", "its own is free for it")
    assert.strictEqual(await slugAfter({ name: "Autumn", status: "ACTIVE" }), "autumn")
    assert.strictEqual((await tenant.reader.get("/forms?slug=autumn&status[in]=DRAFT,ACTIVE")).at("data.0.id"), id)
    for (const status of ["ACTIVE", "PAUSED", "ACTIVE"]) {
      assert.strictEqual(await slugAfter({ name: `Summer ${status}`, status }), "autumn")
    }
    assertRefused(await tenant.writer.patch(`/forms/${id}`, { slug: "mine" }), "validation_failed", "slug")
  })

  it("find or make their revenue code, and lose it by null", async () => {
    const made = await create({ name: "Gala", revenue_code: " Gala 26 " })
    const [revenue_code, revenue_code_id] = [made.at("revenue_code"), made.textAt("revenue_code_id")]
    assert.strictEqual(revenue_code, "Gala 26")
    const path = `/forms/${made.textAt("id")}`
    const booked = async (json: object) => {
      const answer = await tenant.writer.patch(path, json)
      return [answer.at("revenue_code"), answer.at("revenue_code_id")]
    }
    assert.deepStrictEqual(await booked({ revenue_code: null }), [null, null])
    assert.deepStrictEqual(await booked({ revenue_code: "GALA 26" }), ["Gala 26", revenue_code_id])
    assert.deepStrictEqual(await booked({ revenue_code_id: null }), [null, null])
    assert.deepStrictEqual(await booked({ revenue_code_id, revenue_code: "Other" }), ["Gala 26", revenue_code_id])
    assert.lengthOf((await tenant.reader.get("/revenue-codes")).listAt("data"), 1)
  })
})
