import { Effect } from "effect"
import type { Donor } from "../../domain/giving/Donor.ts"
import { Campaign } from "../../domain/insight/Campaign.ts"
import type { DonorScore } from "../../domain/insight/Intelligence.ts"
import { Segment } from "../../domain/insight/Segment.ts"
import { CampaignId, type OrganisationId, PaymentId, SegmentId } from "../../domain/kernel/Ids.ts"
import { Payment } from "../../domain/sharing/Payment.ts"
import { at, freshId, recordOf } from "./Records.ts"

export const freshCampaignId = Effect.map(freshId("campaign"), (id) => CampaignId.make(id))

/** A campaign to a form that is not stored yet. */
export const campaignOf = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Partial<Campaign> = {}) {
  return recordOf(Campaign, given, {
    id: yield* freshCampaignId,
    organisation_id,
    status: "DRAFT",
    name: "Winter appeal",
    audience_type: "segment",
    audience_id: "seg_1",
    audience_name: "Lapsed donors",
    destination_type: "donation_form",
    destination_id: "frm_1",
    destination_name: "Winter form",
    delivery_method: "CSV"
  })
})

/** A payment of a campaign; its set and recipients do not matter. */
export const campaignPaymentOf = Effect.fnUntraced(function* (campaign: Campaign, given: Partial<Payment> = {}) {
  return recordOf(Payment, given, {
    id: PaymentId.make(yield* freshId("payment")),
    organisation_id: campaign.organisation_id,
    consent_responses: [],
    campaign_id: campaign.id,
    payment_status: "SUCCEEDED",
    currency: "AUD",
    total_amount_cents: 5000,
    payment_method_type: "card",
    platform_fee_cents: 0,
    processor_fee_cents: 0,
    allocations: [],
    succeeded_at: at(0)
  })
})

/** A score of a donor, in Australian dollars. */
export const scoreOf = (donor: Donor, given: Partial<DonorScore> = {}): DonorScore => ({
  organisation_id: donor.organisation_id,
  donor_id: donor.id,
  currency: "AUD",
  band: "warm",
  play: "upgrade",
  suggested_ask_cents: 6000,
  opportunity_cents: 1200,
  reason: "Gave more each year.",
  basis: "last gift",
  last_gift_cents: 5050,
  average_gift_cents: 4000,
  segment_median_cents: 4500,
  last_gift_at: at(0),
  factors: { upgrade: [], lapse: [], reactivation: [] },
  scoring_version: 1,
  computed_at: at(0),
  ...given
})

/** A segment that is not stored yet. */
export const segmentOf = Effect.fnUntraced(function* (
  organisation_id: OrganisationId,
  slug: string,
  given: Partial<Segment> = {}
) {
  return recordOf(Segment, given, {
    id: SegmentId.make(yield* freshId("segment")),
    organisation_id,
    slug,
    name: "Major donors",
    segment_type: "major",
    member_count: 0
  })
})
