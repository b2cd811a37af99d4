import { assert, it } from "@effect/vitest"
import { fieldsOf } from "../support/Answer.ts"
import { anew } from "../support/Late.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { auditOf, makeTenant } from "../support/Tenant.ts"

describeService(everyKind, "merging donors", (service) => {
  const tenant = anew(() => makeTenant(service))

  const donor = async (json: object = { first_name: "Ada" }) => (await tenant.writer.post("/donors", json)).textAt("id")

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
    assert.deepInclude(await read(duplicate), {
      archived_at: merged.at("updated_at"),
      merged_into_donor_id: survivor
    })
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

  it("is named by whatever refuses the donor that is merged away", async () => {
    const [survivor, duplicate] = [await donor(), await donor()]
    await merge(survivor, duplicate)
    const { writer } = tenant
    const given = { donor_id: duplicate, amount_cents: 5_00, donation_date: "2026-01-01", donation_type: "MONETARY" }
    const refusals = [
      await writer.patch(`/donors/${duplicate}`, { first_name: "Eve" }),
      await merge(duplicate, survivor),
      await merge(survivor, duplicate),
      await writer.post(`/donors/${duplicate}/contact-logs`, { contact_method: "PHONE" }),
      await writer.post("/donations", given),
      await writer.post("/checkout-links", { donor_id: duplicate, amount_cents: 5_00, currency: "AUD" })
    ]
    for (const refused of refusals) {
      assert.include(refused.textAt("error.message"), `${duplicate} was merged into ${survivor}: use that one.`)
    }
  })
})
