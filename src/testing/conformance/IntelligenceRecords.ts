import { Effect } from "effect"
import type { Donor } from "../../domain/giving/Donor.ts"
import type { Campaign } from "../../domain/insight/Campaign.ts"
import type { DonorScore } from "../../domain/insight/Intelligence.ts"
import type { Segment } from "../../domain/insight/Segment.ts"
import { CampaignId, type OrganisationId, PaymentId, SegmentId } from "../../domain/kernel/Ids.ts"
import type { Payment } from "../../domain/sharing/Payment.ts"
import { at, freshId } from "./Records.ts"

export const freshCampaignId = Effect.map(freshId("campaign"), (id) => CampaignId.make(id))

/** A campaign to a form that is not stored yet. */
export const campaignOf = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Partial<Campaign> = {}) {
  const campaign: Campaign = {
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
    delivery_method: "CSV",
    public_ref: null,
    generated_count: null,
    without_email: null,
    ask_total_cents: null,
    generated_at: null,
    created_at: at(0),
    updated_at: at(0),
    ...given
  }
  return campaign
})

/** A payment of a campaign; its set and recipients do not matter. */
export const campaignPaymentOf = Effect.fnUntraced(function* (campaign: Campaign, given: Partial<Payment> = {}) {
  const payment: Payment = {
    id: PaymentId.make(yield* freshId("payment")),
    organisation_id: campaign.organisation_id,
    recommendation_set_id: null,
    donor_id: null,
    link_donor_id: null,
    submitted_donor: null,
    consent_given: null,
    consent_responses: [],
    campaign_id: campaign.id,
    payment_status: "SUCCEEDED",
    currency: "AUD",
    total_amount_cents: 5000,
    ask_total_cents: null,
    payment_method_type: "card",
    platform_fee_cents: 0,
    processor_fee_cents: 0,
    allocations: [],
    processor_reference: null,
    failure_code: null,
    succeeded_at: at(0),
    failed_at: null,
    transfers_begun_at: null,
    created_at: at(0),
    updated_at: at(0),
    ...given
  }
  return payment
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
  const segment: Segment = {
    id: SegmentId.make(yield* freshId("segment")),
    organisation_id,
    slug,
    name: "Major donors",
    description: null,
    segment_type: "major",
    revenue_code_id: null,
    member_count: 0,
    last_computed_at: null,
    created_at: at(0),
    updated_at: at(0),
    ...given
  }
  return segment
})
