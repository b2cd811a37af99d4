import { assert, beforeEach, it } from "@effect/vitest"
import { assertRefused, fieldsOf, valueAt } from "../support/Answer.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { auditOf, makeTenant, type Tenant } from "../support/Tenant.ts"

describeService(everyKind, "merging donors", (service) => {
  let tenant: Tenant

  beforeEach(async () => {
    tenant = await makeTenant(service)
  })

  const donor = async (json: object = { first_name: "Ada" }) => (await tenant.writer.post("/donors", json)).textAt("id")

  const give = (donor_id: string, headers = {}) =>
    tenant.writer.post(
      "/donations",
      { donor_id, donation_type: "MONETARY", amount_cents: 1_000, donation_date: "2026-01-10" },
      headers
    )

  const merge = (survivor: string, duplicate_donor_id: unknown) =>
    tenant.writer.post(`/donors/${survivor}/merge`, { duplicate_donor_id })

  const read = async (id: string) => Object((await tenant.reader.get(`/donors/${id}`)).at(""))

  const eventTypes = async () => fieldsOf((await tenant.reader.get("/events?limit=100")).listAt("data"), "type")

  it("fills the survivor's empty fields only, archives the duplicate, and is told once", async () => {
    const survivor = await donor({ first_name: "Ada", email: "ada@example.org", occupation: "Countess" })
    const duplicate = await donor({
      donor_type: "TRUST",
      organisation_name: "Lovelace Trust",
      first_name: "Augusta",
      email: "augusta@example.org",
      phone: "1",
      country: "NZ",
      marketing_consent_at: "2026-01-01T00:00:00Z"
    })
    const [before, told] = [await read(survivor), await eventTypes()]
    const merged = await merge(survivor, duplicate)
    assert.deepStrictEqual(merged.at(""), {
      ...before,
      organisation_name: "Lovelace Trust",
      phone: "1",
      marketing_consent_at: "2026-01-01T00:00:00.000Z",
      updated_at: service.clock.iso()
    })
    assert.deepStrictEqual(await read(survivor), merged.at(""))
    assert.strictEqual((await read(duplicate)).archived_at, merged.at("updated_at"))
    assert.deepStrictEqual(await eventTypes(), ["donor.merged", ...told])
    assert.deepStrictEqual((await tenant.reader.get("/events?limit=1")).at("data.0.data"), {
      id: survivor,
      donor_type: "INDIVIDUAL",
      email: "ada@example.org",
      first_name: "Ada",
      last_name: null,
      organisation_name: "Lovelace Trust",
      merged_donor_id: duplicate
    })
    assert.deepStrictEqual((await tenant.reader.get("/donors?search=lovelace")).at("data"), [merged.at("")])
    const [audited] = await auditOf(service, tenant.organisation)
    assert.deepStrictEqual([audited?.operation, audited?.subject_id], ["donors.merge", survivor])
  })

  it("moves gifts and contact logs, with their dates, and nobody else's", async () => {
    const [survivor, duplicate, other] = [await donor(), await donor(), await donor()]
    const moved = [(await give(duplicate)).textAt("id"), (await give(duplicate)).textAt("id")]
    const [own, foreign] = [await give(survivor), await give(other)]
    const log = (id: string) => tenant.writer.post(`/donors/${id}/contact-logs`, { contact_method: "SMS", notes: id })
    const [logged, kept] = [await log(duplicate), await log(other)]
    const merged = await merge(survivor, duplicate)
    for (const id of moved) {
      const gift = await tenant.reader.get(`/donations/${id}`)
      assert.deepStrictEqual([gift.at("donor_id"), gift.at("updated_at")], [survivor, merged.at("updated_at")])
    }
    const listed = (await tenant.reader.get(`/donations?donor_id=${survivor}`)).listAt("data")
    assert.sameMembers(
      listed.map((each) => String(valueAt(each, "id"))),
      [...moved, own.textAt("id")]
    )
    assert.strictEqual(
      valueAt((await tenant.reader.get(`/donations/${own.at("id")}`)).at(""), "updated_at"),
      own.at("updated_at")
    )
    assert.strictEqual((await tenant.reader.get(`/donations/${foreign.at("id")}`)).at("donor_id"), other)
    assert.deepStrictEqual((await tenant.reader.get(`/donors/${survivor}/contact-logs`)).at("data.0.notes"), duplicate)
    assertRefused(await tenant.reader.get(`/donors/${duplicate}/contact-logs/${logged.at("id")}`), "not_found")
    assert.deepStrictEqual((await tenant.reader.get(`/donors/${other}/contact-logs`)).at("data.0"), kept.at(""))
  })

  it("and gifts to the duplicate at the same moment: every accepted gift ends with the survivor", async () => {
    for (let round = 0; round < 4; round++) {
      const [survivor, duplicate] = [await donor(), await donor()]
      const gifts = Array.from({ length: 6 }, (_, index) =>
        give(duplicate, index % 2 === 0 ? {} : { "idempotency-key": `gift ${round} ${index}` })
      )
      const [merged, ...given] = await Promise.all([merge(survivor, duplicate), ...gifts])
      assert.strictEqual(merged?.status, 200)
      const accepted = given.filter((answer) => answer.status === 201)
      for (const answer of given) if (!accepted.includes(answer)) assertRefused(answer, "validation_failed", "donor_id")
      const of = async (id: string) => (await tenant.reader.get(`/donations?donor_id=${id}`)).listAt("data")
      assert.sameMembers(
        fieldsOf(await of(survivor), "id"),
        accepted.map((answer) => answer.at("id"))
      )
      assert.deepStrictEqual(await of(duplicate), [])
    }
  })

  it("of two into each other at the same moment one wins", async () => {
    const pairs: Array<readonly [string, string]> = []
    for (let pair = 0; pair < 12; pair++) pairs.push([await donor(), await donor()])
    const both = pairs.map(([a, b]) => Promise.all([merge(a, b), merge(b, a)]))
    for (const [index, answers] of (await Promise.all(both)).entries()) {
      const [won] = answers.filter(({ status }) => status === 200)
      const [lost] = answers.filter(({ status }) => status !== 200)
      if (won === undefined || lost === undefined) return assert.fail("both won, or neither")
      assertRefused(lost, "conflict")
      const [a, b] = pairs[index] ?? ["", ""]
      const loser = won.at("id") === a ? b : a
      assert.deepStrictEqual(
        [(await read(won.textAt("id"))).archived_at, (await read(loser)).archived_at],
        [null, won.at("updated_at")]
      )
    }
  })
})
