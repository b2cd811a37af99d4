import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import fc from "fast-check"
import { Status as DonationStatus } from "../../../src/domain/giving/Donation.ts"
import * as Campaign from "../../../src/domain/insight/Campaign.ts"
import { DonorId } from "../../../src/domain/kernel/Ids.ts"
import { Status as PaymentStatus } from "../../../src/domain/sharing/Payment.ts"
import { donation, instant, payment } from "../../../src/testing/Generators.ts"
import { campaigns } from "../../../src/testing/subjects/Campaigns.ts"
import { forEvery } from "../../support/Property.ts"

const { states } = campaigns

const donorIds = ["1", "2", "3"].map((digit) => DonorId.make(`dnr_01h0000000000000000000000${digit}`))

const gift: fc.Arbitrary<Campaign.AttributedGift> = fc
  .record({
    donor_id: fc.constantFrom(...donorIds, null),
    currency: fc.constantFrom("AUD", "AUD", "JPY"),
    amount_cents: fc.nat(100),
    refunded: fc.nat(100)
  })
  .map(({ refunded, ...given }) => ({ ...given, refunded_amount_cents: Math.min(refunded, given.amount_cents) }))

const gifts = fc.array(gift, { maxLength: 8 })

const statsOf = (campaign: Campaign.Campaign, given: ReadonlyArray<Campaign.AttributedGift>) =>
  Campaign.statsOf(campaign, Campaign.attributionOf(given, "AUD"))

it("campaign shows no more than its forms name", () =>
  forEvery(states, (campaign) => {
    assert.sameMembers(Object.keys(Campaign.summaryOf(campaign)), Object.keys(Campaign.CampaignSummary.fields))
    assert.deepInclude(Campaign.detailOf(campaign), Campaign.summaryOf(campaign))
    assert.sameMembers(Object.keys(Campaign.detailOf(campaign)), Object.keys(Campaign.CampaignDetail.fields))
  }))

describe("the income of a campaign", () => {
  it("is every donation whose money arrived, refunded later or not, until it is deleted", () =>
    forEvery(donation, fc.constantFrom(...DonationStatus.literals), fc.option(instant), (any, status, deleted_at) => {
      const arrived = ["CONFIRMED", "REFUNDED"].includes(status)
      assert.strictEqual(Campaign.isSettledDonation({ ...any, status, deleted_at }), arrived && deleted_at === null)
    }))

  it("is every payment that succeeded", () =>
    forEvery(payment, fc.constantFrom(...PaymentStatus.literals), (any, payment_status) => {
      assert.strictEqual(Campaign.isSettledPayment({ ...any, payment_status }), payment_status === "SUCCEEDED")
    }))
})

describe("campaign stats", () => {
  it("take refunds off for forms, and not for sets, and add up no other currency", () =>
    forEvery(states, gifts, (campaign, given) => {
      const own = given.filter(({ currency }) => currency === "AUD")
      const gross = own.reduce((sum, each) => sum + each.amount_cents, 0)
      const refunded = own.reduce((sum, each) => sum + each.refunded_amount_cents, 0)
      const isForm = campaign.destination_type === "donation_form"
      assert.strictEqual(statsOf(campaign, given).recovered_cents, isForm ? gross - refunded : gross)
    }))

  it("count each donor once, in any order", () =>
    forEvery(states, gifts, (campaign, given) => {
      const stats = statsOf(campaign, given)
      assert.deepStrictEqual(statsOf(campaign, given.toReversed()), stats)
      const gave = donorIds.filter((id) => given.some(({ donor_id }) => donor_id === id))
      assert.strictEqual(stats.donors_given, gave.length)
    }))

  it("are 0 where nothing was generated, and a share of what was", () =>
    forEvery(states, gifts, (campaign, given) => {
      const stats = statsOf(campaign, given)
      const { asked_cents, conversion_rate, donors_given, generated_count } = stats
      assert.isTrue(Schema.is(Campaign.CampaignStats)(stats))
      if (campaign.status === "DRAFT") {
        assert.deepStrictEqual([asked_cents, generated_count, conversion_rate], [0, 0, 0])
      } else {
        assert.strictEqual(asked_cents, campaign.ask_total_cents)
        assert.strictEqual(generated_count, campaign.generated_count)
        if (generated_count === 0) assert.strictEqual(conversion_rate, 0)
        else assert.closeTo(conversion_rate * generated_count, donors_given, 1e-9)
      }
    }))
})
