import { Effect, Layer } from "effect"
import {
  type AttributedGift,
  attributionOf,
  type Campaign,
  isSettledDonation,
  isSettledPayment
} from "../../../domain/insight/Campaign.ts"
import type { CampaignId } from "../../../domain/kernel/Ids.ts"
import { CampaignStore } from "../../../ports/insight/CampaignStore.ts"
import { Memory } from "../Memory.ts"
import { makeRecords } from "../Records.ts"
import { records, type State } from "../State.ts"

const giftsOf = (state: State, { destination_type, id, organisation_id }: Campaign): ReadonlyArray<AttributedGift> => {
  if (destination_type === "donation_form") {
    const donations = Array.from(records(state.donations, organisation_id))
    return donations.filter((donation) => donation.campaign_id === id && isSettledDonation(donation))
  }
  const payments = Array.from(records(state.payments, organisation_id))
  return payments
    .filter((payment) => payment.campaign_id === id && isSettledPayment(payment))
    .map(({ donor_id, total_amount_cents }) => ({
      donor_id,
      amount_cents: total_amount_cents,
      refunded_amount_cents: 0
    }))
}

/** Campaigns in memory. */
export const layer = Layer.effect(
  CampaignStore,
  Effect.map(Memory, (memory) =>
    CampaignStore.of({
      ...makeRecords<Campaign, CampaignId>(memory, {
        table: (state) => state.campaigns,
        with: (state, campaigns) => ({ ...state, campaigns }),
        columns: (campaign) => campaign
      }),
      attributed: (campaign) => memory.read((state) => attributionOf(giftsOf(state, campaign)))
    })
  )
)
