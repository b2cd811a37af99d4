import { HashMap, Layer, Option, Result } from "effect"
import {
  type AttributedGift,
  attributionOf,
  type Campaign,
  isSettledDonation,
  isSettledPayment
} from "../../../domain/insight/Campaign.ts"
import { summaryOf } from "../../../domain/insight/Intelligence.ts"
import { AlreadyTaken } from "../../../domain/kernel/Rejection.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { CampaignStore } from "../../../ports/insight/CampaignStore.ts"
import { ScoreStore } from "../../../ports/insight/ScoreStore.ts"
import { SegmentStore } from "../../../ports/insight/SegmentStore.ts"
import { storeOf } from "../Memory.ts"
import { makeRecords, tableOf } from "../Records.ts"
import { put, records, type State } from "../State.ts"

const giftsOf = (state: State, { destination_type, id, organisation_id }: Campaign): ReadonlyArray<AttributedGift> => {
  if (destination_type === "donation_form") {
    const donations = Array.from(records(state.donations, organisation_id))
    return donations.filter((donation) => donation.campaign_id === id && isSettledDonation(donation))
  }
  const payments = Array.from(records(state.payments, organisation_id))
  return payments
    .filter((payment) => payment.campaign_id === id && isSettledPayment(payment))
    .map(({ currency, donor_id, total_amount_cents }) => ({
      donor_id,
      currency,
      amount_cents: total_amount_cents,
      refunded_amount_cents: 0
    }))
}

const campaignStore = storeOf(CampaignStore, (memory) => ({
  ...makeRecords(memory, tableOf("campaigns")),
  attributed: (campaign) =>
    memory.read((state) => {
      const organisation = HashMap.get(state.organisations, campaign.organisation_id)
      const currency = Option.match(organisation, { onNone: () => "", onSome: (found) => found.default_currency })
      return attributionOf(giftsOf(state, campaign), currency)
    })
}))

const scoresOf = (state: State, organisation_id: string) =>
  Option.match(HashMap.get(state.scores, organisation_id), { onNone: () => [], onSome: ({ scores }) => scores })

const computationOf = (state: State, organisation_id: string) =>
  Option.match(HashMap.get(state.scores, organisation_id), {
    onNone: () => null,
    onSome: ({ computation }) => computation
  })

const scoreStore = storeOf(ScoreStore, (memory) => ({
  replace: (organisation_id, computation, scores) =>
    memory.change((state) => ({
      ...state,
      scores: HashMap.set(state.scores, organisation_id, { computation, scores: [...scores] })
    })),
  ofDonor: (organisation_id, donor_id) =>
    memory.read((state) => scoresOf(state, organisation_id).filter((score) => score.donor_id === donor_id)),
  standing: (organisation_id, limit) =>
    memory.read((state) =>
      summaryOf({
        computation: computationOf(state, organisation_id),
        donors: records(state.donors, organisation_id),
        scores: scoresOf(state, organisation_id),
        limit
      })
    )
}))

const segmentStore = storeOf(SegmentStore, (memory) => ({
  put: (segment, members) =>
    memory.decide((state) => {
      const { id, organisation_id, slug } = segment
      for (const { segment: other } of records(state.segments, organisation_id)) {
        if (other.slug !== slug || other.id === id) continue
        return Result.fail(new AlreadyTaken({ record: "segment", field: "slug", holder_id: other.id }))
      }
      const kept = { segment, members: new Set(members) }
      return Result.succeed([undefined, { ...state, segments: put(state.segments, organisation_id, id, kept) }])
    }),
  all: (organisation_id) =>
    memory.read((state) =>
      Array.from(records(state.segments, organisation_id), ({ segment }) => segment).toSorted((a, b) =>
        compareCodePoints(a.slug, b.slug)
      )
    )
}))

export const layer = Layer.mergeAll(campaignStore, scoreStore, segmentStore)
