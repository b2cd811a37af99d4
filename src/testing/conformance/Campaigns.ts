import { Effect } from "effect"
import fc from "fast-check"
import type { Donor } from "../../domain/giving/Donor.ts"
import {
  type Attribution,
  attributionOf,
  type Campaign,
  isSettledDonation,
  isSettledPayment,
  listing
} from "../../domain/insight/Campaign.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { DonationStore } from "../../ports/giving/DonationStore.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import { CampaignStore } from "../../ports/insight/CampaignStore.ts"
import { PaymentStore } from "../../ports/sharing/PaymentStore.ts"
import * as Generators from "../Generators.ts"
import { campaignOf, campaignPaymentOf, freshCampaignId } from "./IntelligenceRecords.ts"
import { recordStore } from "./RecordStores.ts"
import { at, donationOf, donorOf } from "./Records.ts"
import { runsOf, same, type Thoroughness } from "./Suite.ts"

/** A gift before it is a donation or a payment. */
interface Gift {
  readonly giver: number
  readonly amount_cents: number
  readonly refunded: number
  readonly donation: "PENDING" | "CONFIRMED" | "REFUNDED" | "FAILED"
  readonly payment: "PENDING" | "SUCCEEDED" | "FAILED" | "AWAITING_FUNDS" | "LAPSED"
  readonly isDeleted: boolean
  readonly isOfAnother: boolean
}

const gift: fc.Arbitrary<Gift> = fc.record({
  giver: fc.nat(2),
  amount_cents: fc.integer({ min: 1, max: 1_000_000_000 }),
  refunded: fc.nat(1_000),
  donation: fc.constantFrom("PENDING", "CONFIRMED", "CONFIRMED", "REFUNDED", "FAILED"),
  payment: fc.constantFrom("PENDING", "SUCCEEDED", "SUCCEEDED", "FAILED", "AWAITING_FUNDS", "LAPSED"),
  isDeleted: fc.boolean(),
  isOfAnother: fc.boolean()
})

const newDonors = (organisation_id: OrganisationId) =>
  Effect.forEach([1, 2], () =>
    Effect.flatMap(donorOf(organisation_id), (donor) =>
      DonorStore.use((store) => Effect.as(store.insert(donor), donor))
    )
  )

/** Stores the gift as a donation and as a payment of the campaign, or of another one. */
const give = Effect.fnUntraced(function* (campaign: Campaign, donors: ReadonlyArray<Donor>, given: Gift) {
  const [first] = donors
  if (first === undefined) return yield* Effect.die(new Error("there are no donors"))
  const named = given.isOfAnother ? { ...campaign, id: yield* freshCampaignId } : campaign
  const donation = yield* donationOf(donors[given.giver] ?? first, {
    campaign_id: named.id,
    amount_cents: given.amount_cents,
    refunded_amount_cents: Math.min(given.refunded, given.amount_cents),
    status: given.donation,
    deleted_at: given.isDeleted ? at(1) : null
  })
  const payment = yield* campaignPaymentOf(named, {
    donor_id: donors[given.giver]?.id ?? null,
    total_amount_cents: given.amount_cents,
    payment_status: given.payment
  })
  yield* (yield* DonationStore).insert(donation)
  yield* (yield* PaymentStore).insert(payment)
  return { donation, payment, isOfAnother: given.isOfAnother }
})

type Given = Effect.Success<ReturnType<typeof give>>

const expected = (campaign: Campaign, given: ReadonlyArray<Given>): Attribution => {
  const own = given.filter(({ isOfAnother }) => !isOfAnother)
  return campaign.destination_type === "donation_form"
    ? attributionOf(own.map(({ donation }) => donation).filter(isSettledDonation))
    : attributionOf(
        own
          .map(({ payment }) => payment)
          .filter(isSettledPayment)
          .map(({ donor_id, total_amount_cents }) => ({
            donor_id,
            amount_cents: total_amount_cents,
            refunded_amount_cents: 0
          }))
      )
}

/** The laws of {@link CampaignStore}. */
export const campaigns = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "campaigns",
    port: CampaignStore,
    arbitrary: Generators.campaign,
    fresh: freshCampaignId,
    list: { spec: listing }
  })(({ property }) => [
    property(
      "what came of a campaign is the sum of its settled donations or payments, of its own organisation",
      [
        "CampaignStore.attributed MUST be what domain/insight/Campaign sums up of settled donations or, where the destination is a recommendation set, of settled payments"
      ],
      runsOf(given),
      fc.tuple(fc.array(gift, { maxLength: 6 }), fc.array(gift, { maxLength: 2 })),
      function* ([gifts, foreign], { store, id, other }) {
        const form = yield* campaignOf(id)
        yield* store.insert(form)
        const [donors, others] = [yield* newDonors(id), yield* newDonors(other)]
        const own = yield* Effect.forEach(gifts, (each) => give(form, donors, each))
        yield* Effect.forEach(foreign, (each) => give({ ...form, organisation_id: other }, others, each))
        for (const destination_type of ["donation_form", "recommendation_set"] as const) {
          const campaign = { ...form, destination_type }
          same(yield* store.attributed(campaign), expected(campaign, own))
        }
      }
    )
  ])
