import { Effect, Option } from "effect"
import fc from "fast-check"
import type { Donation } from "../../domain/giving/Donation.ts"
import { listing, type Refund } from "../../domain/giving/Refund.ts"
import { type OrganisationId, RefundId } from "../../domain/kernel/Ids.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { DonationStore } from "../../ports/giving/DonationStore.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import { RefundStore } from "../../ports/giving/RefundStore.ts"
import type { Transaction } from "../../ports/kernel/Transaction.ts"
import * as Generators from "../Generators.ts"
import { freshChargeId } from "./ChargeRecords.ts"
import { holding } from "./Holding.ts"
import { lists } from "./Lists.ts"
import { at, donationOf, donorOf, freshId, newOrganisation } from "./Records.ts"
import { type Check, forAll, must, none, runsOf, same, type Thoroughness } from "./Suite.ts"

/** The ports that the checks use. */
type Needs = RefundStore | DonationStore | DonorStore | OrganisationStore | Transaction

const freshRefundId = Effect.map(freshId("refund"), (id) => RefundId.make(id))

/** A refund of a gift that is not stored yet. */
export const refundOf = Effect.fnUntraced(function* (donation: Donation, given: Partial<Refund> = {}) {
  const refund: Refund = {
    id: yield* freshRefundId,
    organisation_id: donation.organisation_id,
    donation_id: donation.id,
    allocation_id: null,
    charge_id: null,
    is_beside_gift: false,
    amount_cents: 100,
    reason: null,
    status: "PENDING",
    refunded_at: null,
    processor_reference: null,
    created_at: at(0),
    updated_at: at(0),
    ...given
  }
  return refund
})

const newGift = Effect.fnUntraced(function* (organisation_id: OrganisationId) {
  const donor = yield* donorOf(organisation_id)
  yield* (yield* DonorStore).insert(donor)
  return yield* Effect.tap(donationOf(donor), (yield* DonationStore).insert)
})

const byId = (rows: ReadonlyArray<Refund>) => rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))

const draft = fc
  .tuple(
    Generators.refund,
    fc.record({
      status: fc.constantFrom("PENDING" as const, "SUCCEEDED" as const, "FAILED" as const),
      created_at: fc.nat(3).map(at)
    })
  )
  .map(([refund, given]): Refund => ({ ...refund, ...given }))

/**
 * The laws of {@link RefundStore}.
 */
export const refunds = (given: Thoroughness = {}): ReadonlyArray<Check<Needs>> => [
  must(
    "a refund is read back as it was written, and after an update, by its own organisation only",
    [
      "RecordStore.update MUST write all fields of the record that has the same organisation and id",
      "RecordReader MUST see the named organisation's records only"
    ],
    () =>
      forAll(
        runsOf(given),
        fc.tuple(Generators.refund, Generators.refund),
        Effect.fnUntraced(function* ([given, next]) {
          const store = yield* RefundStore
          const [{ id: organisation_id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
          const names = { id: yield* freshRefundId, organisation_id, donation_id: (yield* newGift(organisation_id)).id }
          const [row, changed] = [
            { ...given, ...names },
            { ...next, ...names }
          ]
          yield* store.insert(row)
          none(yield* store.find(other.id, row.id))
          none(yield* store.findForUpdate(other.id, row.id))
          yield* store.update({ ...changed, organisation_id: other.id })
          same(yield* store.find(organisation_id, row.id), Option.some(row))
          yield* store.update(changed)
          same(yield* store.findForUpdate(organisation_id, row.id), Option.some(changed))
        })
      )
  ),

  must(
    "a donation's ledger is all its rows, whatever their status, and no other's",
    ["RefundStore.ofDonation MUST see the named organisation's only"],
    () =>
      Effect.gen(function* () {
        const store = yield* RefundStore
        const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
        const [gift, sibling] = [yield* newGift(id), yield* newGift(id)]
        same(yield* store.ofDonation(id, gift.id), [])
        const rows = yield* Effect.forEach(["PENDING", "SUCCEEDED", "FAILED"] as const, (status) =>
          refundOf(gift, { status })
        )
        yield* Effect.forEach([...rows, yield* refundOf(sibling)], store.insert)
        same(byId(yield* store.ofDonation(id, gift.id)), byId(rows))
        same(yield* store.ofDonation(other.id, gift.id), [])
      })
  ),

  must(
    "the refunds of a charge are all of them, those beside their gift too, and no other's",
    ["RefundStore.ofCharge MUST see the named organisation's only"],
    () =>
      Effect.gen(function* () {
        const store = yield* RefundStore
        const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
        const gift = yield* newGift(id)
        const [charge_id, another] = [yield* freshChargeId, yield* freshChargeId]
        same(yield* store.ofCharge(id, charge_id), [])
        const rows = yield* Effect.forEach(["PENDING", "SUCCEEDED", "FAILED"] as const, (status) =>
          refundOf(gift, { status, charge_id, is_beside_gift: status !== "PENDING" })
        )
        yield* Effect.forEach([...rows, yield* refundOf(gift, { charge_id: another })], store.insert)
        yield* store.insert(yield* refundOf(gift))
        same(byId(yield* store.ofCharge(id, charge_id)), byId(rows))
        same(yield* store.ofCharge(other.id, charge_id), [])
      })
  ),

  ...lists(
    {
      name: "refunds",
      spec: listing,
      draft,
      store: Effect.fnUntraced(function* (organisation_id, given) {
        const refund = {
          ...given,
          id: yield* freshRefundId,
          organisation_id,
          donation_id: (yield* newGift(organisation_id)).id
        }
        yield* (yield* RefundStore).insert(refund)
        return refund
      }),
      list: (organisation_id, query) => RefundStore.use((store) => store.list(organisation_id, query)),
      columns: (refund) => refund
    },
    runsOf(given)
  ),

  holding({
    name: "a refund",
    must: "RecordStore.findForUpdate MUST hold the row against every change until the surrounding transaction ends",
    make: Effect.gen(function* () {
      const refund = yield* refundOf(yield* newGift((yield* newOrganisation()).id), { reason: "0" })
      yield* (yield* RefundStore).insert(refund)
      return refund
    }),
    findForUpdate: ({ id, organisation_id }) => RefundStore.use((store) => store.findForUpdate(organisation_id, id)),
    update: (refund) => RefundStore.use((store) => store.update(refund)),
    count: ({ reason }) => Number(reason),
    counted: (refund, count) => ({ ...refund, reason: `${count}` })
  })
]
