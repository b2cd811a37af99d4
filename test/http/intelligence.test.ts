import { assert, beforeEach, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import type { Plan } from "../../src/domain/access/Plan.ts"
import type { Donor } from "../../src/domain/giving/Donor.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { DonationStore } from "../../src/ports/giving/DonationStore.ts"
import { DonorStore } from "../../src/ports/giving/DonorStore.ts"
import { CampaignStore } from "../../src/ports/insight/CampaignStore.ts"
import { ScoreStore } from "../../src/ports/insight/ScoreStore.ts"
import { SegmentStore } from "../../src/ports/insight/SegmentStore.ts"
import { PaymentStore } from "../../src/ports/sharing/PaymentStore.ts"
import { campaignOf, campaignPaymentOf, scoreOf, segmentOf } from "../../src/testing/conformance/IntelligenceRecords.ts"
import { donationOf, donorOf } from "../../src/testing/conformance/Records.ts"
import { assertRefused, valueAt } from "../support/Answer.ts"
import { describeService } from "../support/ServiceSuite.ts"
import { everyKind } from "../support/Stores.ts"
import { makeTenant, type Tenant } from "../support/Tenant.ts"

const hour = 3_600_000

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
      const computed_at = new Date(service.clock.now).toISOString()
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

    it("orders by opportunity, then by the last gift; leaves archived donors out, counts do-not-contact ones nowhere", async () => {
      const [large, early, late, quiet, archived] = [
        await newDonor(),
        await newDonor(),
        await newDonor(),
        await newDonor(),
        await newDonor()
      ]
      const earlier = DateTime.makeUnsafe(0)
      await compute([
        scoreOf(early, { last_gift_at: earlier, play: "retain" }),
        scoreOf(archived, { opportunity_cents: 9_999 }),
        scoreOf(large, { opportunity_cents: 5_000, play: "reactivate" }),
        scoreOf(quiet, { opportunity_cents: 7_000 }),
        scoreOf(late),
        scoreOf(late, { currency: "NZD", opportunity_cents: 3, last_gift_at: null })
      ])
      // Changes after the computation count on the next read.
      await tenant.writer.delete(`/donors/${archived.id}`)
      await tenant.writer.patch(`/donors/${quiet.id}`, { do_not_contact: true })
      const list = await get("/intelligence/worklist")
      const rows = list.listAt("rows")
      const listed = [quiet, large, late, early, late].map(({ id }) => id)
      assert.deepStrictEqual(
        rows.map((row) => valueAt(row, "donor_id")),
        listed
      )
      assert.deepStrictEqual(
        rows.map((row) => valueAt(row, "do_not_contact")),
        [true, false, false, false, false]
      )
      assert.strictEqual(list.at("actionable_count"), 4)
      assert.deepStrictEqual(list.at("per_currency"), {
        AUD: {
          opportunity_upgrade_cents: 1_200,
          opportunity_recoverable_cents: 6_200,
          opportunity_total_cents: 7_400
        },
        NZD: { opportunity_upgrade_cents: 3, opportunity_recoverable_cents: 0, opportunity_total_cents: 3 }
      })
    })

    it("is cut after its rows, and counts the others all the same", async () => {
      const donor = await newDonor()
      const codes = Array.from({ length: Limits.worklistRows + 1 }, (_, index) =>
        String.fromCharCode(65 + Math.floor(index / 26), 65 + (index % 26), 65)
      )
      const scores = codes.map((currency, index) => scoreOf(donor, { currency, opportunity_cents: index }))
      await compute(scores.slice(1))
      const whole = await get("/intelligence/worklist")
      assert.deepStrictEqual([whole.at("truncated"), whole.listAt("rows").length], [false, Limits.worklistRows])
      await compute(scores)
      const cut = await get("/intelligence/worklist")
      assert.deepStrictEqual([cut.at("truncated"), cut.listAt("rows").length], [true, Limits.worklistRows])
      assert.strictEqual(cut.at("actionable_count"), Limits.worklistRows + 1)
      assert.deepStrictEqual(cut.listAt("rows").at(-1), whole.listAt("rows").at(-1))
    })

    it("is stale after 48 hours, and so is a donor's intelligence", async () => {
      const donor = await newDonor()
      await compute([scoreOf(donor, { computed_at: now() })])
      const stale = async () => [
        (await get("/intelligence/worklist")).at("stale"),
        (await get(`/intelligence/donors/${donor.id}`)).at("stale")
      ]
      service.clock.advance(48 * hour - 1_000)
      assert.deepStrictEqual(await stale(), [false, false])
      service.clock.advance(1_000)
      assert.deepStrictEqual(await stale(), [true, true])
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

    it("is not_scored until there is a score, also of an archived donor, and not found for others", async () => {
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
      await begin("GROW")
      assertRefused(await get(path), "not_found")
      assertRefused(await get("/intelligence/donors/nobody"), "not_found")
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

    it("recover what forms were given less refunds, and what sets were paid", async () => {
      const generated = { status: "GENERATED", generated_count: 8, without_email: 0, public_ref: "w" } as const
      // More than fits an integer of four bytes.
      const form = await newCampaign({ ...generated, ask_total_cents: 5_000_000_000 })
      const set = await newCampaign({ ...generated, destination_type: "recommendation_set", ask_total_cents: 900 })
      const [ada, bea] = [await newDonor(), await newDonor()]
      for (const [donor, given] of [
        [ada, { amount_cents: 5_000 }],
        [ada, { amount_cents: 4_000, refunded_amount_cents: 1_500 }],
        [bea, { amount_cents: 2_000, refunded_amount_cents: 2_000, status: "REFUNDED" }],
        [bea, { amount_cents: 7_777, status: "PENDING" }]
      ] as const) {
        const donation = await service.run(donationOf(donor, { ...given, campaign_id: form.id }))
        await service.run(DonationStore.use((store) => store.insert(donation)))
      }
      for (const given of [
        { donor_id: ada.id },
        { donor_id: null, total_amount_cents: 100 },
        { donor_id: bea.id, payment_status: "AWAITING_FUNDS" },
        { donor_id: bea.id, payment_status: "LAPSED" }
      ] as const) {
        const payment = await service.run(campaignPaymentOf(set, given))
        await service.run(PaymentStore.use((store) => store.insert(payment)))
      }
      const stats = async (id: string) => (await get(`/campaigns/${id}/stats`)).at("")
      assert.deepStrictEqual(await stats(form.id), {
        recovered_cents: 7_500,
        donors_given: 2,
        asked_cents: 5_000_000_000,
        generated_count: 8,
        conversion_rate: 0.25
      })
      assert.deepStrictEqual(await stats(set.id), {
        recovered_cents: 5_100,
        donors_given: 1,
        asked_cents: 900,
        generated_count: 8,
        conversion_rate: 0.125
      })
    })
  })

  it("plans below RAISE see no campaign, plans below GROW no intelligence", async () => {
    const worklist = "/intelligence/worklist"
    const donor = "/intelligence/donors/dnr_01h00000000000000000000001"
    const campaign = "/campaigns/cmp_01h00000000000000000000001"
    for (const [plan, refusedPaths] of [
      ["FREE", ["/campaigns", campaign, `${campaign}/stats`, worklist, donor]],
      ["GROW", ["/campaigns", campaign, `${campaign}/stats`]]
    ] as const) {
      await begin(plan)
      for (const path of refusedPaths) assertRefused(await get(path), "forbidden")
    }
    assert.strictEqual((await get(worklist)).status, 200)
  })
})
