import { Effect } from "effect"
import fc from "fast-check"
import * as Donation from "../../domain/giving/Donation.ts"
import * as Refund from "../../domain/giving/Refund.ts"
import { CalendarDate } from "../../domain/kernel/CalendarDate.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { parse } from "../../domain/kernel/Listing.ts"
import { DonationStore } from "../../ports/giving/DonationStore.ts"
import { RefundStore } from "../../ports/giving/RefundStore.ts"
import * as Generators from "../Generators.ts"
import { donorReferences } from "./DonorReferences.ts"
import { newDonor } from "./MoneyRecords.ts"
import { recordStore } from "./RecordStores.ts"
import { at, donationOf, donorOf, freshId, makerOf, storedIn } from "./Records.ts"
import { bookedUnder } from "./RevenueCodeNames.ts"
import { byId, same, type Thoroughness } from "./Suite.ts"

const reference = fc.option(fc.constantFrom("A1", "a1", "\u{1f381}"))

/** When money arrived, and the day that it was then: there are both or neither. */
const received = fc.option(
  fc.record({
    received_date: fc.nat(3).map(at),
    received_day: fc.constantFrom("2039-12-31", "2040-01-01").map((day) => CalendarDate.make(day))
  })
)

const few = fc
  .tuple(
    received,
    fc.record({
      amount_cents: fc.integer({ min: 1, max: 3 }),
      currency: fc.constantFrom("AUD", "NZD"),
      donation_date: fc.nat(3).map(at),
      donation_day: fc.constantFrom("2039-12-31", "2040-01-01", "2040-01-02").map((day) => CalendarDate.make(day)),
      deleted_at: fc.option(fc.nat(3).map(at), { freq: 3 }),
      external_id: reference,
      campaign_id: reference,
      donation_form_id: reference,
      subscription_id: reference
    })
  )
  .map(
    ([arrival, given]): Partial<Donation.Donation> => ({
      ...(arrival ?? { received_date: null, received_day: null }),
      ...given,
      refunded_amount_cents: 0
    })
  )

/** Stores the donation as a gift of a new donor. */
const stored = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Donation.Donation) {
  const { id: donor_id } = yield* newDonor(organisation_id)
  const donation: Donation.Donation = { ...given, id: yield* freshId("donation"), organisation_id, donor_id }
  yield* (yield* DonationStore).insert(donation)
  return donation
})

/** The laws of {@link DonationStore}. */
export const donations = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "donations",
    port: DonationStore,
    arbitrary: Generators.donation,
    schema: Donation.Donation,
    fresh: freshId("donation"),
    parents: (organisation_id) => Effect.map(newDonor(organisation_id), ({ id }) => ({ donor_id: id })),
    must: ["DonationStore MUST leave out deleted ones"],
    list: { spec: Donation.listing, few, hidden: ({ deleted_at }) => deleted_at !== null }
  })(({ law }) => [
    donorReferences({
      name: "donations",
      port: DonationStore,
      make: (donor) =>
        Effect.all([
          donationOf(donor),
          donationOf(donor, { status: "FAILED" }),
          donationOf(donor, { deleted_at: at(1) })
        ])
    }),

    bookedUnder({
      name: "donations",
      sentenceOf: "DonationStore",
      port: DonationStore,
      make: Effect.fnUntraced(function* (organisation_id, { code, id }) {
        return yield* stored(
          organisation_id,
          yield* donationOf(yield* donorOf(organisation_id), { revenue_code: code, revenue_code_id: id })
        )
      })
    }),

    law("a day is compared with the day of the gift as given, an instant with its instant", function* ({ store, id }) {
      const day = CalendarDate.make("2040-01-01")
      const draft = yield* donationOf(yield* donorOf(id), { donation_day: day, donation_date: at(-13 * 3600) })
      const gift = yield* stored(id, draft)
      const found = Effect.fnUntraced(function* (value: string) {
        const query = yield* Effect.fromResult(parse(Donation.listing, [["donation_date", value]]))
        return (yield* store.list(id, query)).data
      })
      same(yield* found("2040-01-01"), [gift])
      same(yield* found("2039-12-31"), [])
      same(yield* found("2039-12-31T11:00:00.987Z"), [gift])
    })
  ])

/** A refund of a gift that is not stored yet. */
export const refundOf = makerOf(Refund.Refund, "refund", (donation: Donation.Donation, id) => ({
  id,
  organisation_id: donation.organisation_id,
  donation_id: donation.id,
  is_beside_gift: false,
  amount_cents: 100,
  status: "PENDING"
}))

const newGift = (organisation_id: OrganisationId) =>
  Effect.flatMap(newDonor(organisation_id), (donor) => storedIn(DonationStore, donationOf(donor)))

/** The laws of {@link RefundStore}. */
export const refunds = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "refunds",
    port: RefundStore,
    arbitrary: Generators.refund,
    schema: Refund.Refund,
    fresh: freshId("refund"),
    parents: (organisation_id) => Effect.map(newGift(organisation_id), ({ id }) => ({ donation_id: id })),
    list: { spec: Refund.listing, few: fc.record({ status: fc.constantFrom(...Refund.Status.literals) }) }
  })(({ must }) => [
    must(
      "a donation's ledger is all its rows, whatever their status, and no other's",
      ["RefundStore.ofDonation MUST see the named organisation's only"],
      function* ({ store, id, other }) {
        const [gift, sibling] = [yield* newGift(id), yield* newGift(id)]
        for (const each of [sibling, gift]) same(yield* store.ofDonation(id, each.id), [])
        const rows = yield* Effect.forEach(Refund.Status.literals, (status) => refundOf(gift, { status }))
        yield* Effect.forEach([...rows, yield* refundOf(sibling)], store.insert)
        same(byId(yield* store.ofDonation(id, gift.id)), byId(rows))
        same(yield* store.ofDonation(other, gift.id), [])
      }
    ),

    must(
      "the refunds of a charge are all of them, those beside their gift too, and no other's",
      ["RefundStore.ofCharge MUST see the named organisation's only"],
      function* ({ store, id, other }) {
        const gift = yield* newGift(id)
        const [charge_id, another] = [yield* freshId("charge"), yield* freshId("charge")]
        for (const each of [another, charge_id]) same(yield* store.ofCharge(id, each), [])
        const rows = yield* Effect.forEach(Refund.Status.literals, (status) =>
          refundOf(gift, { status, charge_id, is_beside_gift: status !== "PENDING" })
        )
        yield* Effect.forEach([...rows, yield* refundOf(gift, { charge_id: another })], store.insert)
        yield* store.insert(yield* refundOf(gift))
        same(byId(yield* store.ofCharge(id, charge_id)), byId(rows))
        same(yield* store.ofCharge(other, charge_id), [])
      }
    )
  ])
