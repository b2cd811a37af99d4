import { assert, beforeEach, it } from "@effect/vitest"
import { assertRefused, fieldsOf, valueAt } from "../support/Answer.ts"
import { anew } from "../support/Late.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { auditOf, makeTenant, makeTenants } from "../support/Tenant.ts"

describeService(everyKind, "donations", (service) => {
  const tenant = anew(() => makeTenant(service))
  let donor: string

  beforeEach(async () => {
    donor = (await tenant.writer.post("/donors", { first_name: "Ada" })).textAt("id")
  })

  const give = (more: object = {}) =>
    tenant.writer.post("/donations", {
      donor_id: donor,
      donation_type: "MONETARY",
      amount_cents: 1_000,
      donation_date: "2026-01-10",
      ...more
    })

  const ids = async (query: string) => fieldsOf((await tenant.reader.get(`/donations?${query}`)).listAt("data"), "id")

  /** The fields of a manual gift that are the same for all, as it is read. */
  const plain = () => ({
    donor_id: donor,
    external_id: null,
    source: "MANUAL",
    status: "CONFIRMED",
    amount_cents: 1_000,
    refunded_amount_cents: 0,
    currency: "AUD",
    donation_type: "MONETARY",
    in_kind_category: null,
    in_kind_description: null,
    donation_date: "2026-01-09T13:00:00.000Z",
    received_date: null,
    payment_method: null,
    revenue_code: null,
    revenue_code_id: null,
    recommendation_set_id: null,
    allocation_id: null,
    subscription_id: null,
    is_recurring: false,
    donation_form_id: null,
    campaign_id: null,
    consent_given: null,
    created_at: service.clock.iso(),
    updated_at: service.clock.iso(),
    deleted_at: null
  })

  it("of money have every field, and the single read the typed details, too", async () => {
    for (const headers of [{}, { "idempotency-key": "fast path" }]) {
      const json = {
        donor_id: donor,
        donation_type: "MONETARY",
        amount_cents: 1_000,
        donation_date: "2026-01-10",
        payment_method: "cheque"
      }
      const made = await tenant.writer.post("/donations", json, headers)
      const { id, ...rest } = Object(made.at(""))
      assert.match(id, /^don_/)
      assert.deepStrictEqual(rest, { ...plain(), payment_method: "cheque" })
      assert.deepStrictEqual((await tenant.reader.get(`/donations/${id}`)).at(""), {
        ...Object(made.at("")),
        submitted_donor: null
      })
      assert.deepStrictEqual((await tenant.reader.get("/donations")).at("data.0"), made.at(""))
    }
  })

  it("in kind carry their fair value, category and description", async () => {
    const given = {
      donation_type: "IN_KIND",
      in_kind_category: "EXCESS_PAYMENT",
      in_kind_description: "Chairs",
      payment_method: "cash"
    }
    const { id: _, ...rest } = Object((await give(given)).at(""))
    assert.deepStrictEqual(rest, { ...plain(), ...given, payment_method: null })
    const longest = await give({ ...given, in_kind_description: "😀".repeat(500) })
    assert.strictEqual(longest.at("in_kind_description"), "😀".repeat(500))
  })

  it("of money ignore what belongs to gifts in kind", async () => {
    const made = await give({ in_kind_category: "GOODS", in_kind_description: "Chairs" })
    assert.deepStrictEqual([made.at("in_kind_category"), made.at("in_kind_description")], [null, null])
  })

  it("emit created and succeeded with the same data, deprecated names included", async () => {
    for (const revenue_code of [undefined, "Appeal"]) {
      const made = Object((await give({ revenue_code })).at(""))
      const events = (await tenant.reader.get("/events?limit=2")).listAt("data")
      assert.sameMembers(
        events.map((each) => String(valueAt(each, "type"))),
        ["donation.created", "donation.succeeded"]
      )
      for (const event of events) {
        assert.strictEqual(valueAt(event, "occurred_at"), made.created_at)
        assert.deepStrictEqual(valueAt(event, "data"), {
          id: made.id,
          donor_id: donor,
          amount_cents: 1_000,
          currency: "AUD",
          refunded_amount_cents: 0,
          source: "MANUAL",
          status: "CONFIRMED",
          donation_date: made.donation_date,
          failure_code: null,
          revenue_code: made.revenue_code,
          revenue_code_id: made.revenue_code_id,
          tracking_code: made.revenue_code,
          tracking_code_id: made.revenue_code_id,
          subscription_id: null,
          is_recurring: false,
          donation_form_id: null,
          campaign_id: null,
          consent_given: null,
          consent_responses: [],
          differs_from_record: null,
          recommendation_set_id: null,
          allocation_id: null,
          updated_at: made.updated_at
        })
        const id = String(valueAt(event, "id"))
        assert.deepStrictEqual((await tenant.reader.get(`/events/${id}`)).at(""), event)
      }
    }
    const [entry] = await auditOf(service, tenant.organisation)
    assert.strictEqual(entry?.operation, "donations.create")
  })

  it("are never of a day that has not begun there", async () => {
    const clock = service.clock.now
    // 23:59:59.9 in Sydney, and the next day once the request's own 10 ms and 100 more have passed.
    service.clock.now = Date.UTC(2026, 0, 15, 12, 59, 59, 900)
    assert.strictEqual((await give({ donation_date: "2026-01-15" })).status, 201)
    assertRefused(await give({ donation_date: "2026-01-16" }), "validation_failed", "donation_date")
    service.clock.advance(100)
    assert.strictEqual((await give({ donation_date: "2026-01-16" })).status, 201)
    service.clock.now = clock
  })

  it("keep their day when the organisation moves", async () => {
    const id = (await give({ donation_date: "2026-01-10" })).textAt("id")
    await tenant.writer.patch("/organisations/me", { timezone: "America/New_York" })
    const moved = await give({ donation_date: "2026-01-10" })
    assert.strictEqual(moved.at("donation_date"), "2026-01-10T05:00:00.000Z")
    assert.strictEqual((await tenant.reader.get(`/donations/${id}`)).at("donation_date"), "2026-01-09T13:00:00.000Z")
    assert.deepStrictEqual(await ids("donation_date=2026-01-10"), [moved.at("id"), id])
    assert.deepStrictEqual(await ids("donation_date[gt]=2026-01-10"), [])
  })

  it("are in the organisation's currency", async () => {
    const { live } = await makeTenants(service, { default_currency: "NZD", timezone: "Pacific/Auckland" })
    const own = (await live.writer.post("/donors", { first_name: "Ada" })).textAt("id")
    const json = { donor_id: own, donation_type: "MONETARY", amount_cents: 1, donation_date: "2026-01-10" }
    const made = await live.writer.post("/donations", json)
    assert.deepStrictEqual([made.at("currency"), made.at("donation_date")], ["NZD", "2026-01-09T11:00:00.000Z"])
  })
})
