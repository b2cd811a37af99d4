import { Effect } from "effect"
import fc from "fast-check"
import type { Donor } from "../../domain/giving/Donor.ts"
import {
  type Attribution,
  attributionOf,
  Campaign,
  isSettledDonation,
  isSettledPayment,
  listing
} from "../../domain/insight/Campaign.ts"
import { type Computation, DonorScore, summaryOf } from "../../domain/insight/Intelligence.ts"
import { Segment } from "../../domain/insight/Segment.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { compareCodePoints } from "../../domain/kernel/Text.ts"
import { Payment } from "../../domain/sharing/Payment.ts"
import { DonationStore } from "../../ports/giving/DonationStore.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import { CampaignStore } from "../../ports/insight/CampaignStore.ts"
import { ScoreStore } from "../../ports/insight/ScoreStore.ts"
import { PaymentStore } from "../../ports/sharing/PaymentStore.ts"
import { atBounds } from "../Bounds.ts"
import * as Generators from "../Generators.ts"
import { newDonor } from "./MoneyRecords.ts"
import { recordStore } from "./RecordStores.ts"
import { at, donationOf, donorOf, freshId, makerOf, newOrganisation, recordOf } from "./Records.ts"
import { lawsOf, runsOf, same, suite, type Thoroughness } from "./Suite.ts"

/** A campaign to a form that is not stored yet. */
export const campaignOf = makerOf(Campaign, "campaign", (organisation_id: OrganisationId, id) => ({
  id,
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
}))

/** A payment of a campaign; its set and recipients do not matter. */
const campaignPaymentOf = makerOf(Payment, "payment", (campaign: Campaign, id) => ({
  id,
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
}))

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
    id: yield* freshId("segment"),
    organisation_id,
    slug,
    name: "Major donors",
    segment_type: "major",
    member_count: 0
  })
})

/** A gift before it is a donation or a payment. */
interface Gift {
  readonly giver: number
  readonly currency: string
  readonly amount_cents: number
  readonly refunded: number
  readonly donation: "PENDING" | "CONFIRMED" | "REFUNDED" | "FAILED"
  readonly payment: "PENDING" | "SUCCEEDED" | "FAILED" | "AWAITING_FUNDS" | "LAPSED"
  readonly isDeleted: boolean
  readonly isOfAnother: boolean
}

const gift: fc.Arbitrary<Gift> = fc.record({
  giver: fc.nat(2),
  currency: fc.constantFrom("AUD", "AUD", "NZD"),
  amount_cents: fc.integer({ min: 1, max: Limits.donationMaximumCents }),
  refunded: fc.nat(1_000),
  donation: fc.constantFrom("PENDING", "CONFIRMED", "CONFIRMED", "REFUNDED", "FAILED"),
  payment: fc.constantFrom("PENDING", "SUCCEEDED", "SUCCEEDED", "FAILED", "AWAITING_FUNDS", "LAPSED"),
  isDeleted: fc.boolean(),
  isOfAnother: fc.boolean()
})

/** The largest gifts that count: three of them are more than a number of 32 bits holds. */
const largest: fc.Arbitrary<Gift> = gift.map((given) => ({
  ...given,
  currency: "AUD",
  amount_cents: Limits.donationMaximumCents,
  donation: "CONFIRMED",
  payment: "SUCCEEDED",
  isDeleted: false,
  isOfAnother: false
}))

const campaignGifts = fc.oneof(
  { weight: 3, arbitrary: fc.array(gift, { maxLength: 6 }) },
  { weight: 1, arbitrary: fc.array(largest, { minLength: 3, maxLength: 4 }) }
)

const newDonors = (organisation_id: OrganisationId) => Effect.forEach([1, 2], () => newDonor(organisation_id))

/** Stores the gift as a donation and as a payment of the campaign, or of another one. */
const give = Effect.fnUntraced(function* (campaign: Campaign, donors: ReadonlyArray<Donor>, given: Gift) {
  const [first] = donors
  if (first === undefined) return yield* Effect.die(new Error("there are no donors"))
  const named = given.isOfAnother ? { ...campaign, id: yield* freshId("campaign") } : campaign
  const donation = yield* donationOf(donors[given.giver] ?? first, {
    campaign_id: named.id,
    currency: given.currency,
    amount_cents: given.amount_cents,
    refunded_amount_cents: Math.min(given.refunded, given.amount_cents),
    status: given.donation,
    deleted_at: given.isDeleted ? at(1) : null
  })
  const payment = yield* campaignPaymentOf(named, {
    donor_id: donors[given.giver]?.id ?? null,
    currency: given.currency,
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
    ? attributionOf(own.map(({ donation }) => donation).filter(isSettledDonation), "AUD")
    : attributionOf(
        own
          .map(({ payment }) => payment)
          .filter(isSettledPayment)
          .map(({ currency, donor_id, total_amount_cents }) => ({
            donor_id,
            currency,
            amount_cents: total_amount_cents,
            refunded_amount_cents: 0
          })),
        "AUD"
      )
}

/** The laws of {@link CampaignStore}. */
export const campaigns = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "campaigns",
    port: CampaignStore,
    arbitrary: Generators.campaign,
    schema: Campaign,
    fresh: freshId("campaign"),
    list: { spec: listing }
  })(({ property }) => [
    property(
      "what came of a campaign is the sum of its settled donations or payments, of its own organisation",
      [
        "CampaignStore.attributed MUST be what domain/insight/Campaign sums up of settled donations or, where the destination is a recommendation set, of settled payments"
      ],
      runsOf(given),
      fc.tuple(campaignGifts, fc.array(gift, { maxLength: 2 })),
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

const { must, property } = lawsOf(ScoreStore)

const computation: Computation = { computed_at: at(60), scoring_version: 3 }

const currencies = ["AUD", "NZD"] as const

/** Scores of one donor, at most one in a currency; the values that order them are often equal. */
const drafts = fc.uniqueArray(
  fc
    .tuple(
      atBounds(DonorScore, Generators.donorScore),
      fc.record({
        currency: fc.constantFrom(...currencies),
        opportunity_cents: fc.nat(2),
        last_gift_at: fc.option(fc.nat(2).map(at))
      })
    )
    .map(([score, given]): DonorScore => ({ ...score, ...given })),
  { selector: ({ currency }) => currency, maxLength: currencies.length }
)

const donor = fc.record({ do_not_contact: fc.boolean(), isArchived: fc.boolean(), drafts })

type Drafted = typeof donor extends fc.Arbitrary<infer A> ? A : never

/** Stores donors, and returns them with their scores, which are not stored. */
const scored = Effect.fnUntraced(function* (given: ReadonlyArray<Drafted>) {
  const store = yield* DonorStore
  const { id } = yield* newOrganisation()
  const donors: Array<Donor> = []
  const scores: Array<DonorScore> = []
  for (const { do_not_contact, drafts: drafted, isArchived } of given) {
    const made = yield* donorOf(id, { do_not_contact, archived_at: isArchived ? at(1) : null })
    yield* store.insert(made)
    donors.push(made)
    scores.push(...drafted.map((each) => ({ ...each, organisation_id: id, donor_id: made.id })))
  }
  return { id, donors, scores }
})

const inOrder = (scores: ReadonlyArray<DonorScore>): ReadonlyArray<DonorScore> =>
  scores.toSorted((a, b) => compareCodePoints(a.currency, b.currency))

const replaces =
  "ScoreStore.replace MUST put these in the place of all scores that the organisation had, and of its former computation, at once"

/** The laws of {@link ScoreStore}. */
export const scores = (given: Thoroughness = {}) =>
  suite([
    property(
      "an organisation stands as its donors and scores say, in the worklist's order, cut where it is asked",
      [
        "ScoreStore.standing MUST be what domain/insight/Intelligence makes of the organisation's donors and scores, all as of one moment"
      ],
      runsOf(given),
      fc.tuple(fc.array(donor, { maxLength: 5 }), fc.array(donor, { maxLength: 2 }), fc.integer({ min: 1, max: 6 })),
      function* ([mine, foreign, limit], { store }) {
        const [own, other] = [yield* scored(mine), yield* scored(foreign)]
        const expected = (known: Computation | null, of: ReadonlyArray<DonorScore>) =>
          summaryOf({ computation: known, donors: own.donors, scores: of, limit })
        const seen = store.standing(own.id, limit)
        yield* store.replace(other.id, { ...computation, scoring_version: 9 }, other.scores)
        same(yield* seen, expected(null, []))
        yield* store.replace(own.id, computation, own.scores)
        same(yield* seen, expected(computation, own.scores))
      }
    ),

    property(
      "a donor's scores are read back as they were written, by the own organisation only",
      ["ScoreStore.ofDonor MUST see the named organisation's only"],
      runsOf(given),
      donor,
      function* (each, { store }) {
        const { donors, id, scores: written } = yield* scored([each])
        const [about] = donors
        if (about === undefined) return
        const other = yield* newOrganisation()
        yield* store.replace(id, computation, written)
        same(inOrder(yield* store.ofDonor(id, about.id)), inOrder(written))
        same(yield* store.ofDonor(other.id, about.id), [])
      }
    ),

    must(
      "a computation takes the former one's place, and leaves others' alone",
      [replaces],
      function* ({ store, id, other }) {
        const donors = yield* DonorStore
        const made = yield* Effect.forEach([id, id, other], (organisation) =>
          Effect.tap(donorOf(organisation), donors.insert)
        )
        const [first, second, foreign] = made
        if (first === undefined || second === undefined || foreign === undefined) return
        yield* store.replace(other, computation, [scoreOf(foreign)])
        yield* store.replace(id, computation, [scoreOf(first), scoreOf(first, { currency: "NZD" })])
        const later = { computed_at: at(120), scoring_version: 4 }
        yield* store.replace(id, later, [scoreOf(second)])
        same(yield* store.ofDonor(id, first.id), [])
        const standing = yield* store.standing(id, 9)
        same(standing.computation, later)
        same(
          standing.leading.map(({ score }) => score.donor_id),
          [second.id]
        )
        same(yield* store.ofDonor(other, foreign.id), [scoreOf(foreign)])
        yield* store.replace(id, later, [])
        same((yield* store.standing(id, 9)).scored_count, 0)
      }
    ),

    must("scores by the thousand are written and counted", [replaces], function* ({ store, id }) {
      const about = yield* newDonor(id)
      const letters = Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
      const codes = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => `${a}${b}${c}`))).slice(0, 5_001)
      yield* store.replace(
        id,
        computation,
        codes.map((currency, index) => scoreOf(about, { currency, opportunity_cents: index }))
      )
      for (const largest of [[5_000], [5_000, 4_999]]) {
        const { actionable_count, leading, scored_count } = yield* store.standing(id, largest.length)
        same([actionable_count, scored_count], [5_001, 5_001])
        same(
          leading.map(({ score }) => score.opportunity_cents),
          largest
        )
      }
    })
  ])
