import { Effect } from "effect"
import fc from "fast-check"
import type { Donation } from "../../domain/giving/Donation.ts"
import { listing, Refund, Status } from "../../domain/giving/Refund.ts"
import { type OrganisationId, RefundId } from "../../domain/kernel/Ids.ts"
import { DonationStore } from "../../ports/giving/DonationStore.ts"
import { RefundStore } from "../../ports/giving/RefundStore.ts"
import * as Generators from "../Generators.ts"
import { freshChargeId } from "./ChargeRecords.ts"
import { recordStore } from "./RecordStores.ts"
import { donationOf, freshId, recordOf } from "./Records.ts"
import { newDonor } from "./SubscriptionRecords.ts"
import { byId, same, type Thoroughness } from "./Suite.ts"

const freshRefundId = Effect.map(freshId("refund"), (id) => RefundId.make(id))

/** A refund of a gift that is not stored yet. */
export const refundOf = Effect.fnUntraced(function* (donation: Donation, given: Partial<Refund> = {}) {
  return recordOf(Refund, given, {
    id: yield* freshRefundId,
    organisation_id: donation.organisation_id,
    donation_id: donation.id,
    is_beside_gift: false,
    amount_cents: 100,
    status: "PENDING"
  })
})

const newGift = Effect.fnUntraced(function* (organisation_id: OrganisationId) {
  const donor = yield* newDonor(organisation_id)
  return yield* Effect.tap(donationOf(donor), (yield* DonationStore).insert)
})

/** The laws of {@link RefundStore}. */
export const refunds = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "refunds",
    port: RefundStore,
    arbitrary: Generators.refund,
    fresh: freshRefundId,
    parents: (organisation_id) => Effect.map(newGift(organisation_id), ({ id }) => ({ donation_id: id })),
    list: { spec: listing, few: fc.record({ status: fc.constantFrom(...Status.literals) }) }
  })(({ must }) => [
    must(
      "a donation's ledger is all its rows, whatever their status, and no other's",
      ["RefundStore.ofDonation MUST see the named organisation's only"],
      function* ({ store, id, other }) {
        const [gift, sibling] = [yield* newGift(id), yield* newGift(id)]
        same(yield* store.ofDonation(id, gift.id), [])
        const rows = yield* Effect.forEach(Status.literals, (status) => refundOf(gift, { status }))
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
        const [charge_id, another] = [yield* freshChargeId, yield* freshChargeId]
        same(yield* store.ofCharge(id, charge_id), [])
        const rows = yield* Effect.forEach(Status.literals, (status) =>
          refundOf(gift, { status, charge_id, is_beside_gift: status !== "PENDING" })
        )
        yield* Effect.forEach([...rows, yield* refundOf(gift, { charge_id: another })], store.insert)
        yield* store.insert(yield* refundOf(gift))
        same(byId(yield* store.ofCharge(id, charge_id)), byId(rows))
        same(yield* store.ofCharge(other, charge_id), [])
      }
    )
  ])
