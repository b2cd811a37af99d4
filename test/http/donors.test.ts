import { assert, it } from "@effect/vitest"
import { fieldsOf, valueAt } from "../support/Answer.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { auditOf, makeTenant, type Tenant } from "../support/Tenant.ts"

const empty = {
  donor_type: "INDIVIDUAL",
  first_name: null,
  last_name: null,
  organisation_name: null,
  email: null,
  phone: null,
  address_line1: null,
  address_line2: null,
  suburb: null,
  state: null,
  postcode: null,
  country: "AU",
  employer_name: null,
  occupation: null,
  do_not_contact: false,
  marketing_consent_at: null,
  archived_at: null,
  merged_into_donor_id: null
}

describeService(everyKind, "donors", (service) => {
  let tenant: Tenant

  const begin = async () => {
    tenant = await makeTenant(service)
  }

  const create = (json: object) => tenant.writer.post("/donors", json)

  const newestEvent = async () => (await tenant.reader.get("/events?limit=1")).at("data.0")

  it("have every field, null where empty", async () => {
    await begin()
    const made = await create({ first_name: "Ada" })
    const { id, ...rest } = Object(made.at(""))
    assert.match(id, /^dnr_/)
    assert.deepStrictEqual(rest, {
      ...empty,
      first_name: "Ada",
      created_at: service.clock.iso(),
      updated_at: service.clock.iso()
    })
    assert.deepStrictEqual((await tenant.reader.get(`/donors/${id}`)).bytes, made.bytes)
    assert.deepStrictEqual((await tenant.reader.get("/donors")).at("data.0"), made.at(""))
  })

  it("keep every field that can be written, names trimmed", async () => {
    await begin()
    const all = {
      donor_type: "TRUST",
      first_name: "Ada",
      last_name: "Lovelace",
      organisation_name: "Trust of Ada 😀",
      email: "Ada@Example.org",
      phone: "+61 400 000 000",
      address_line1: "1 George St",
      address_line2: "Level\n2",
      suburb: "Sydney",
      state: "NSW",
      postcode: "2000",
      country: "New Zealand",
      employer_name: "Analytical Engines",
      occupation: "Mathematician",
      do_not_contact: true
    }
    const spaced = Object.fromEntries(
      Object.entries(all).map(([key, value]) => [
        key,
        key !== "donor_type" && typeof value === "string" ? `\u3000 ${value}\t` : value
      ])
    )
    const made = await create({ ...spaced, marketing_consent_at: "2026-01-01T10:00:00.5+10:00" })
    const { created_at, id, updated_at, ...rest } = Object(made.at(""))
    assert.deepStrictEqual(rest, {
      ...all,
      marketing_consent_at: "2026-01-01T00:00:00.500Z",
      archived_at: null,
      merged_into_donor_id: null
    })
    assert.strictEqual(created_at, updated_at)
    const event = await newestEvent()
    const core = {
      id,
      donor_type: "TRUST",
      email: all.email,
      first_name: "Ada",
      last_name: "Lovelace",
      organisation_name: all.organisation_name
    }
    assert.deepStrictEqual(valueAt(event, "data"), core)
    assert.deepStrictEqual(
      [valueAt(event, "type"), valueAt(event, "occurred_at"), valueAt(event, "organisation_id")],
      ["donor.created", created_at, tenant.organisation.id]
    )
  })

  it("change by PATCH, and tell which fields changed", async () => {
    await begin()
    const id = (await create({ first_name: "Ada", last_name: "Byron", phone: "1" })).textAt("id")
    const changed = await tenant.writer.patch(`/donors/${id}`, {
      last_name: " Lovelace ",
      phone: null,
      first_name: "Ada",
      do_not_contact: true
    })
    assert.deepStrictEqual(
      ["first_name", "last_name", "phone", "do_not_contact", "updated_at"].map((field) => changed.at(field)),
      ["Ada", "Lovelace", null, true, service.clock.iso()]
    )
    const event = await newestEvent()
    assert.strictEqual(valueAt(event, "type"), "donor.updated")
    assert.sameMembers(Object(valueAt(event, "data.changed_fields")), ["last_name", "phone", "do_not_contact"])
    assert.strictEqual(valueAt(event, "data.last_name"), "Lovelace")
  })

  it("leave an audit entry for each write, with nothing personal in it", async () => {
    await begin()
    const made = await tenant.writer.post("/donors", { email: "ada@example.org" }, { "x-request-id": "mine" })
    const id = made.textAt("id")
    await tenant.writer.patch(`/donors/${id}`, { first_name: "Ada" })
    await tenant.writer.delete(`/donors/${id}`)
    await tenant.writer.delete(`/donors/${id}`)
    await tenant.writer.post("/donors", {})
    const entries = await auditOf(service, tenant.organisation)
    const own = entries.filter(({ operation }) => operation.startsWith("donors."))
    assert.deepStrictEqual(fieldsOf(own, "operation"), [
      "donors.archive",
      "donors.archive",
      "donors.update",
      "donors.create"
    ])
    for (const { actor_id, actor_type, subject_id } of own) {
      assert.deepStrictEqual([actor_type, actor_id, subject_id], ["API_KEY", tenant.writeKey.id, id])
    }
    assert.strictEqual(own.at(-1)?.request_id, "mine")
    assert.notMatch(JSON.stringify(entries), /Ada|ada@|example/)
  })

  it("repeat the filters of a list as they were sent", async () => {
    await begin()
    const query =
      "search=Ada%20&donor_type[in]=TRUST,INDIVIDUAL&created_at[gte]=2026-01-15&created_at[lt]=2027-01-01T00:00:00%2B10:00&sort=-last_name"
    const page = await tenant.reader.get(`/donors?${query}`)
    assert.deepStrictEqual(page.at("filters"), {
      search: "Ada ",
      email: null,
      donor_type: { in: ["TRUST", "INDIVIDUAL"] },
      created_at: { gte: "2026-01-15", lt: "2027-01-01T00:00:00+10:00" },
      segment: null,
      sort: "-last_name"
    })
    const none = { search: null, email: null, donor_type: null, created_at: null, segment: null, sort: null }
    assert.deepStrictEqual((await tenant.reader.get("/donors")).at("filters"), none)
  })
})
