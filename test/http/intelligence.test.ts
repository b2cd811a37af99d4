import { assert, beforeEach, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import type { Plan } from "../../src/domain/access/Plan.ts"
import type { Donor } from "../../src/domain/giving/Donor.ts"
import { CampaignStore, DonorStore, ScoreStore, SegmentStore } from "../../src/ports.ts"
import { campaignOf, scoreOf, segmentOf } from "../../src/testing/conformance/Insight.ts"
import { donorOf } from "../../src/testing/conformance/Records.ts"
import { assertRefused } from "../support/Answer.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { makeTenant, type Tenant } from "../support/Tenant.ts"

describeService(everyKind, "intelligence", (service) => {
  let tenant: Tenant

  const begin = async (plan: Plan) => {
    tenant = await makeTenant(service, plan)
  }

  const get = (path: string) => tenant.reader.get(path)

  const now = () => DateTime.makeUnsafe(service.clock.now)

  const newDonor = async (given: Partial<Donor> = {}): Promise<Donor> => {
    const donor = await service.run(donorOf(tenant.organisation.id, given))
    await service.run(DonorStore.use((store) => store.insert(donor)))
    return donor
  }

  const compute = (scores: ReadonlyArray<ReturnType<typeof scoreOf>>) =>
    service.run(
      ScoreStore.use((store) =>
        store.replace(tenant.organisation.id, { computed_at: now(), scoring_version: 2 }, scores)
      )
    )

  const newCampaign = async (given: Parameters<typeof campaignOf>[1] = {}) => {
    const campaign = await service.run(campaignOf(tenant.organisation.id, given))
    await service.run(CampaignStore.use((store) => store.insert(campaign)))
    return campaign
  }

  describe("the worklist", () => {
    beforeEach(() => begin("GROW"))

    it("says that there are no donors, that they were not scored, and then lists them", async () => {
      const empty = {
        actionable_count: 0,
        truncated: false,
        rows: [],
        per_currency: {},
        computed_at: null,
        stale: false
      }
      const { message: nobody, ...none } = Object((await get("/intelligence/worklist")).at(""))
      assert.isString(nobody)
      assert.deepStrictEqual(none, { ...empty, status: "no_donors", can_compute_now: false })
      const donor = await newDonor()
      const { message: unscored, ...notScored } = Object((await get("/intelligence/worklist")).at(""))
      assert.isString(unscored)
      assert.deepStrictEqual(notScored, { ...empty, status: "not_scored", can_compute_now: false })
      await compute([scoreOf(donor)])
      const computed_at = service.clock.iso()
      assert.deepStrictEqual((await get("/intelligence/worklist")).at(""), {
        status: "ok",
        can_compute_now: false,
        message: null,
        computed_at,
        stale: false,
        actionable_count: 1,
        truncated: false,
        rows: [
          {
            donor_id: donor.id,
            donor_name: "Ada Byron",
            band: "warm",
            play: "upgrade",
            currency: "AUD",
            suggested_ask_cents: 6000,
            opportunity_cents: 1200,
            reason: "Gave more each year.",
            do_not_contact: false,
            deep_link: `http://${tenant.organisation.slug}.localhost:8080/donors/${donor.id}`
          }
        ],
        per_currency: {
          AUD: {
            opportunity_upgrade_cents: 1200,
            opportunity_recoverable_cents: 0,
            opportunity_total_cents: 1200
          }
        }
      })
    })
  })

  describe("a donor's intelligence", () => {
    beforeEach(() => begin("GROW"))

    it("is in dollars with camelCase keys where it was derived from gifts", async () => {
      const donor = await newDonor()
      const factors = {
        upgrade: [{ code: "rising", label: "Rising", phrase: "Gave more each year." }],
        lapse: [],
        reactivation: []
      }
      await compute([scoreOf(donor, { factors }), scoreOf(donor, { currency: "NZD", opportunity_cents: 1 })])
      const { computed_at, ...rest } = Object((await get(`/intelligence/donors/${donor.id}`)).at(""))
      assert.isString(computed_at)
      assert.deepStrictEqual(rest, {
        status: "ok",
        donor_id: donor.id,
        message: null,
        band: "warm",
        suggested_ask_cents: 6000,
        currency: "AUD",
        basis: "last gift",
        basis_data: { lastGift: 50.5, avgGift: 40, segmentMedian: 45 },
        factors,
        scoring_version: 1,
        stale: false,
        deep_link: `http://${tenant.organisation.slug}.localhost:8080/donors/${donor.id}`
      })
    })

    it("is not_scored until there is a score, also of an archived donor", async () => {
      const donor = await newDonor()
      const path = `/intelligence/donors/${donor.id}`
      const before = await get(path)
      assert.deepStrictEqual(
        ["status", "basis_data", "factors", "computed_at", "scoring_version", "stale"].map((field) => before.at(field)),
        ["not_scored", null, null, null, 0, false]
      )
      assert.isString(before.at("message"))
      await tenant.writer.delete(`/donors/${donor.id}`)
      assert.strictEqual((await get(path)).at("status"), "not_scored")
      await compute([scoreOf(donor)])
      assert.strictEqual((await get(path)).at("status"), "ok")
    })
  })

  it("segments are listed by slug, on every plan, and are not_computed until one was", async () => {
    await begin("FREE")
    const put = async (slug: string, computed: boolean) => {
      const given = { last_computed_at: computed ? now() : null, member_count: computed ? 3 : 0 }
      const segment = await service.run(segmentOf(tenant.organisation.id, slug, given))
      await service.run(SegmentStore.use((store) => store.put(segment, [])))
      return segment
    }
    const none = await get("/segments")
    assert.deepStrictEqual([none.at("status"), none.listAt("segments")], ["not_computed", []])
    assert.isString(none.at("message"))
    const monthly = await put("monthly", false)
    const waiting = await get("/segments")
    assert.deepStrictEqual([waiting.at("status"), waiting.listAt("segments").length], ["not_computed", 1])
    const lapsed = await put("lapsed", true)
    const shown = ({ description, id, member_count, name: called, segment_type, slug }: typeof lapsed) => ({
      id,
      slug,
      name: called,
      description,
      segment_type,
      member_count
    })
    assert.deepStrictEqual((await get("/segments")).at(""), {
      status: "ok",
      message: null,
      segments: [
        { ...shown(lapsed), last_computed_at: DateTime.formatIso(lapsed.last_computed_at ?? now()) },
        { ...shown(monthly), last_computed_at: null }
      ]
    })
    assertRefused(await get("/segments?limit=1"), "invalid_request")
  })

  describe("campaigns", () => {
    beforeEach(() => begin("RAISE"))

    it("show no figure before generation, and count nothing", async () => {
      const draft = await newCampaign()
      const summary = {
        id: draft.id,
        name: "Winter appeal",
        status: "DRAFT",
        audience_type: "segment",
        audience_name: "Lapsed donors",
        destination_type: "donation_form",
        destination_name: "Winter form",
        generated_count: null,
        created_at: DateTime.formatIso(draft.created_at)
      }
      assert.deepStrictEqual((await get("/campaigns")).at(""), { data: [summary], has_more: false })
      assert.deepStrictEqual((await get(`/campaigns/${draft.id}`)).at(""), {
        ...summary,
        delivery_method: "CSV",
        public_ref: null,
        without_email: null,
        ask_total_cents: null,
        generated_at: null
      })
      assert.deepStrictEqual((await get(`/campaigns/${draft.id}/stats`)).at(""), {
        recovered_cents: 0,
        donors_given: 0,
        asked_cents: 0,
        generated_count: 0,
        conversion_rate: 0
      })
      assert.deepStrictEqual((await get("/campaigns?status=GENERATED")).listAt("data"), [])
      assert.strictEqual((await get("/campaigns?status=DRAFT&audience_type=segment")).listAt("data").length, 1)
      assertRefused(await get("/campaigns?status=SENT"), "validation_failed", "status")
    })
  })
})
