import { assert, it } from "@effect/vitest"
import { assertRefused, valueAt } from "../support/Answer.ts"
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
  archived_at: null
}

describeService(everyKind, "donors", (service) => {
  let tenant: Tenant

  const begin = async () => {
    tenant = await makeTenant(service)
  }

  const create = (json: object) => tenant.writer.post("/donors", json)

  const newestEvent = async () => (await tenant.reader.get("/events?limit=1")).at("data.0")

  const ids = async (query: string) =>
    (await tenant.reader.get(`/donors?${query}`)).listAt("data").map((each) => valueAt(each, "id"))

  const isoNow = () => new Date(service.clock.now).toISOString()

  it("have every field, null where empty", async () => {
    await begin()
    const made = await create({ first_name: "Ada" })
    const { id, ...rest } = Object(made.at(""))
    assert.match(id, /^dnr_/)
    assert.deepStrictEqual(rest, { ...empty, first_name: "Ada", created_at: isoNow(), updated_at: isoNow() })
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
    assert.deepStrictEqual(rest, { ...all, marketing_consent_at: "2026-01-01T00:00:00.500Z", archived_at: null })
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
      ["Ada", "Lovelace", null, true, isoNow()]
    )
    const event = await newestEvent()
    assert.strictEqual(valueAt(event, "type"), "donor.updated")
    assert.sameMembers(Object(valueAt(event, "data.changed_fields")), ["last_name", "phone", "do_not_contact"])
    assert.strictEqual(valueAt(event, "data.last_name"), "Lovelace")
  })

  it("that a PATCH leaves as they are emit nothing and keep their date", async () => {
    await begin()
    const made = await create({ first_name: "Ada", marketing_consent_at: "2026-01-01T00:00:00Z" })
    const path = `/donors/${made.textAt("id")}`
    for (const json of [
      {},
      { first_name: " Ada " },
      { last_name: null },
      { last_name: "" },
      { marketing_consent_at: "2026-01-01T10:00:00+10:00" }
    ]) {
      assert.deepStrictEqual((await tenant.writer.patch(path, json)).bytes, made.bytes, JSON.stringify(json))
    }
    assert.strictEqual((await tenant.reader.get("/events")).listAt("data").length, 1)
    const audited = (await auditOf(service, tenant.organisation)).filter(
      ({ operation }) => operation === "donors.update"
    )
    assert.strictEqual(audited.length, 5)
  })

  it("are archived for good; a repetition changes nothing and is told again", async () => {
    await begin()
    const id = (await create({ first_name: "Ada" })).textAt("id")
    const first = await tenant.writer.delete(`/donors/${id}`)
    assert.deepStrictEqual([first.status, first.at("archived_at"), first.at("updated_at")], [200, isoNow(), isoNow()])
    const again = await tenant.writer.delete(`/donors/${id}`)
    assert.deepStrictEqual([again.status, again.bytes], [200, first.bytes])
    const events = (await tenant.reader.get("/events?type=donor.archived")).listAt("data")
    assert.deepStrictEqual(
      events.map((each) => valueAt(each, "data.archived_at")),
      [first.at("archived_at"), first.at("archived_at")]
    )
    assertRefused(await tenant.writer.patch(`/donors/${id}`, { first_name: "Grace" }), "conflict")
    assertRefused(await tenant.writer.patch(`/donors/${id}`, {}), "conflict")
    assert.strictEqual((await tenant.reader.get(`/donors/${id}`)).status, 200)
    assert.deepStrictEqual([await ids(""), await ids("archived=false"), await ids("archived=true")], [[], [], [id]])
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
    assert.deepStrictEqual(
      own.map(({ operation }) => operation),
      ["donors.archive", "donors.archive", "donors.update", "donors.create"]
    )
    for (const { actor_id, actor_type, subject_id } of own) {
      assert.deepStrictEqual([actor_type, actor_id, subject_id], ["API_KEY", tenant.writeKey.id, id])
    }
    assert.strictEqual(own.at(-1)?.request_id, "mine")
    assert.notMatch(JSON.stringify(entries), /Ada|ada@|example/)
  })

  it("are listed newest first, page by page, each once", async () => {
    await begin()
    service.pace = 0
    const made: Array<string> = []
    for (let i = 0; i < 25; i++) {
      // Some share their instant, so that the id decides.
      if (i % 3 === 0) service.clock.advance(1_000)
      made.push((await create({ first_name: `Donor ${i}` })).textAt("id"))
    }
    service.pace = 10
    const order = async (query: string, limit: number) => {
      const seen: Array<string> = []
      for (let more = true; more; ) {
        const page = await tenant.reader.get(
          `/donors?limit=${limit}${query}${seen.length === 0 ? "" : `&starting_after=${seen.at(-1)}`}`
        )
        const data = page.listAt("data").map((each) => String(valueAt(each, "id")))
        assert.isAtMost(data.length, limit)
        seen.push(...data)
        more = page.at("has_more") === true
        assert.isTrue(!more || data.length === limit)
      }
      return seen
    }
    const whole = await order("", 100)
    assert.sameMembers(whole, made)
    assert.strictEqual((await tenant.reader.get("/donors")).listAt("data").length, 10)
    for (const limit of [1, 4, 24, 25]) assert.deepStrictEqual(await order("", limit), whole)
    assert.deepStrictEqual(await order("&sort=created_at", 7), whole.toReversed())
    assert.deepStrictEqual(await order("&sort=-created_at", 7), whole)
    for (const sort of ["last_name", "-last_name", "updated_at", "-updated_at"]) {
      assert.sameMembers(await order(`&sort=${sort}`, 6), made)
    }
    const dates = (await tenant.reader.get("/donors?limit=100"))
      .listAt("data")
      .map((each) => String(valueAt(each, "created_at")))
    assert.deepStrictEqual(dates, dates.toSorted().toReversed())
  })

  it("are filtered, searched and sorted, and the filters repeated as sent", async () => {
    await begin()
    const ada = (await create({ first_name: "Ada", last_name: "Lovelace", email: "Ada@Example.org" })).textAt("id")
    const grace = (await create({ first_name: "Grace", last_name: "hopper" })).textAt("id")
    const trust = (await create({ donor_type: "TRUST", organisation_name: "Ada Trust" })).textAt("id")
    assert.deepStrictEqual(await ids("email=ADA%40example.ORG"), [ada])
    assert.deepStrictEqual(await ids("email[in]=x%40y.org,ada%40example.org"), [ada])
    assert.deepStrictEqual(await ids("email[not_in]=ada%40example.org"), [trust, grace])
    assert.deepStrictEqual(await ids("donor_type=TRUST"), [trust])
    assert.deepStrictEqual(await ids("donor_type[not_in]=TRUST,UNKNOWN"), [grace, ada])
    assert.deepStrictEqual(await ids("search=ada"), [trust, ada])
    assert.deepStrictEqual(await ids("search=LOVE%20a"), [ada])
    assert.deepStrictEqual(await ids("search=ada%40ex"), [ada])
    assert.deepStrictEqual(await ids("search=lace"), [])
    assert.deepStrictEqual(await ids("search=%25"), [])
    assert.deepStrictEqual(await ids("sort=last_name"), [grace, ada, trust])
    assert.deepStrictEqual(await ids("sort=-last_name"), [trust, ada, grace])
    assert.deepStrictEqual(await ids("created_at[gte]=2026-01-15"), [trust, grace, ada])
    assert.deepStrictEqual(await ids("created_at[lt]=2026-01-15"), [])
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

  it("keep a cursor valid, whatever the filters say now", async () => {
    await begin()
    const made = [
      await create({ first_name: "A" }),
      await create({ first_name: "B" }),
      await create({ first_name: "C" })
    ].map((each) => each.textAt("id"))
    await tenant.writer.delete(`/donors/${made[1]}`)
    assert.deepStrictEqual(await ids(`starting_after=${made[1]}`), [made[0]])
    assert.deepStrictEqual(await ids(`starting_after=${made[2]}&donor_type=INDIVIDUAL&archived=true`), [
      made[1],
      made[0]
    ])
  })
})
