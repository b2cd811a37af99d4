import { assert, beforeAll, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Caps } from "../../src/app/compliance/Caps.ts"
import { CodeAssignments } from "../../src/app/compliance/CodeAssignments.ts"
import { DefaultCodes } from "../../src/app/compliance/DefaultCodes.ts"
import { Checkouts } from "../../src/app/sharing/Checkouts.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import { AllocationId, DonorId } from "../../src/domain/kernel/Ids.ts"
import type { Submission } from "../../src/domain/sharing/Checkout.ts"
import { valueAt } from "../support/Answer.ts"
import { type GivingSandbox, linkedRecipient, makeGivingSandbox } from "../support/GivingSandbox.ts"
import type { FieldsOf } from "../support/InputForms.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { asOperator, auditOf } from "../support/Tenant.ts"

const cap = 5_000_000

describeService(everyKind, "caps of donors", (service) => {
  let giving: GivingSandbox

  const assign = (organisation: Organisation, code: string) =>
    service.run(CodeAssignments.use((use) => use.assign({ code, jurisdiction: "AU" })).pipe(asOperator(organisation)))

  const block = (organisation: Organisation, is_blocking = true) =>
    service.run(Caps.use((caps) => caps.update({ is_blocking })).pipe(asOperator(organisation)))

  // The law of 2027 has a cap.
  beforeAll(async () => {
    service.pace = 0
    giving = await makeGivingSandbox(service)
    const { organisation, writer } = giving.tenant
    for (const day of ["2026-12-01", "2027-02-10"]) {
      assert.strictEqual((await writer.post("/sandbox/advance", { to: `${day}T03:00:00Z` })).status, 200)
    }
    await assign(organisation, "WINTER")
  })

  const outcome = async (given: FieldsOf<Submission>) => {
    const submitted = Checkouts.use((checkouts) => checkouts.submit(giving.submission(given)))
    const result = await service.run(Effect.result(submitted))
    if (Result.isSuccess(result)) return "taken"
    const { _tag, message, ...rest } = result.failure
    assert.match(message, /the law limits what one donor may give/u)
    assert.notMatch(message, /\d/u)
    return `${_tag} ${"param" in rest ? rest.param : ""}`
  }

  const refused = "InvalidInput amount_cents"

  const other = { email: "bea@example.org", first_name: "Bea", last_name: "Lee" }

  it("have a form and a link refuse what is over, where it is set, and take what reaches it", async () => {
    const { organisation } = giving.tenant
    assert.strictEqual(await outcome({ amount_cents: cap }), "taken")
    assert.strictEqual(await outcome({ amount_cents: 1 }), "taken")
    await block(organisation)
    assert.strictEqual(await outcome({ amount_cents: 1 }), refused)
    // Another donor has a cap of their own, and one who is not known yet as well.
    assert.strictEqual(await outcome({ amount_cents: cap + 1, donor: other }), refused)
    assert.strictEqual(await outcome({ amount_cents: cap, donor: other }), "taken")
    const made = await giving.tenant.writer.post("/checkout-links", {
      donor_email: other.email,
      donor_first_name: other.first_name,
      donor_last_name: other.last_name,
      amount_cents: 100,
      payment_methods: ["card"],
      revenue_code: "WINTER"
    })
    assert.strictEqual(made.status, 201, made.text)
    const onLink = { slug: null, code: made.textAt("code"), amount_cents: 100, donor: null }
    assert.strictEqual(await outcome(onLink), refused)
    await block(organisation, false)
    assert.strictEqual(await outcome(onLink), "taken")
    const audit = await auditOf(service, organisation)
    assert.lengthOf(
      audit.filter(({ operation }) => operation === "caps.update"),
      2
    )
  })

  it("warn of a gift over them that is recorded by hand, and of a peak body by its own", async () => {
    const { organisation } = giving.tenant
    await block(organisation)
    const { reader, writer } = giving.tenant
    const id = (await writer.post("/donors", { first_name: "Ada" })).textAt("id")
    const gift = { donor_id: id, donation_type: "MONETARY", amount_cents: cap + 1, donation_date: "2027-02-10" }
    assert.strictEqual((await writer.post("/donations", { ...gift, revenue_code: "WINTER" })).status, 201)
    const disclosure = async () => (await reader.get(`/disclosures?donor_id=${id}`)).listAt("data")[0]
    const kinds = async () => {
      const found = await disclosure()
      const duties: ReadonlyArray<object> = Object(valueAt(found, "duties"))
      const open = duties.filter((duty) => valueAt(duty, "closed_at") === null)
      return [valueAt(found, "cap_level"), ...open.map((duty) => valueAt(duty, "kind")).toSorted()]
    }
    assert.deepStrictEqual(await kinds(), ["OVER", "ACTION", "NOTICE"])
    const donor = DonorId.make(id)
    const setKind = (donor_kind: "ANY" | "PEAK_BODY") =>
      service.run(Caps.use((caps) => caps.setDonor(donor, { donor_kind })).pipe(asOperator(organisation)))
    const [own] = await setKind("PEAK_BODY")
    assert.deepStrictEqual(Object(own), {
      donor_kind: "PEAK_BODY",
      jurisdiction: "AU",
      period: "2027",
      currency: "AUD",
      cap_cents: 4 * cap,
      used_cents: cap + 1,
      pending_cents: 0,
      remaining_cents: 3 * cap - 1,
      level: "NONE"
    })
    assert.deepStrictEqual(await kinds(), ["NONE", "NOTICE"])
    await setKind("ANY")
    assert.deepStrictEqual(await kinds(), ["OVER", "ACTION", "NOTICE"])
    const [present] = await service.run(Caps.use((caps) => caps.donor(donor)).pipe(asOperator(organisation)))
    assert.deepInclude(Object(present), { donor_kind: "ANY", remaining_cents: 0, level: "OVER" })
  })

  it("of a recipient have a set refuse what is over there, whatever else the set gives", async () => {
    const { link, organisation, tenant: recipient } = await linkedRecipient(service, giving)
    const made = await giving.tenant.writer.post("/recommendation-sets", {
      name: "Harvest",
      amount_mode: "SUGGESTED",
      allocations: [{ recipient_org_account_link_id: link, amount_cents: 100 }]
    })
    assert.strictEqual(made.status, 201, made.text)
    const [allocation] = made.listAt("allocations")
    const paid = (amount_cents: number) => ({
      slug: null,
      url_key: made.textAt("url_key"),
      amount_cents,
      allocations: [{ id: AllocationId.make(String(valueAt(allocation, "id"))), amount_cents }]
    })
    await recipient.writer.post("/revenue-codes", { code: "SHARED" })
    await assign(organisation, "SHARED")
    await service.run(DefaultCodes.use((codes) => codes.default({ code: "SHARED" })).pipe(asOperator(organisation)))
    assert.strictEqual(await outcome(paid(cap + 1)), "taken")
    await block(organisation)
    assert.strictEqual(await outcome(paid(cap + 1)), refused)
    assert.strictEqual(await outcome({ ...paid(cap), donor: other }), "taken")
  })
})
