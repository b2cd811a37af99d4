import { Effect, Option } from "effect"
import fc from "fast-check"
import { type Donation, listing } from "../../domain/giving/Donation.ts"
import { CalendarDate } from "../../domain/kernel/CalendarDate.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { parse } from "../../domain/kernel/Listing.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { DonationStore } from "../../ports/giving/DonationStore.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import type { RevenueCodeStore } from "../../ports/giving/RevenueCodeStore.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import * as Generators from "../Generators.ts"
import { bookedUnder } from "./Booked.ts"
import { donorReferences } from "./DonorReferences.ts"
import { holding } from "./Holding.ts"
import { lists } from "./Lists.ts"
import { at, donationOf, donorOf, freshDonationId, newOrganisation, queryOf } from "./Records.ts"
import { type Check, forAll, law, must, none, runsOf, same, type Thoroughness } from "./Suite.ts"

/** The ports that the checks use. */
type Needs = RevenueCodeStore | DonationStore | DonorStore | OrganisationStore | Transaction

const reference = fc.option(fc.constantFrom("A1", "a1", "\u{1f381}"))

/** When money arrived, and the day that it was then: there are both or neither. */
const received = fc.option(
  fc.record({
    received_date: fc.nat(3).map(at),
    received_day: fc.constantFrom("2039-12-31", "2040-01-01").map((day) => CalendarDate.make(day))
  })
)

const draft = fc
  .tuple(
    Generators.donation,
    received,
    fc.record({
      amount_cents: fc.integer({ min: 1, max: 3 }),
      currency: fc.constantFrom("AUD", "NZD"),
      donation_date: fc.nat(3).map(at),
      donation_day: fc.constantFrom("2039-12-31", "2040-01-01", "2040-01-02").map((day) => CalendarDate.make(day)),
      created_at: fc.nat(3).map(at),
      deleted_at: fc.option(fc.nat(3).map(at), { freq: 3 }),
      external_id: reference,
      campaign_id: reference,
      donation_form_id: reference,
      subscription_id: reference
    })
  )
  .map(
    ([donation, arrival, given]): Donation => ({
      ...donation,
      ...(arrival ?? { received_date: null, received_day: null }),
      ...given,
      refunded_amount_cents: 0
    })
  )

/** Stores the donation as a gift of a new donor. */
const stored = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Donation) {
  const donor = yield* donorOf(organisation_id)
  yield* (yield* DonorStore).insert(donor)
  const donation: Donation = { ...given, id: yield* freshDonationId, organisation_id, donor_id: donor.id }
  yield* (yield* DonationStore).insert(donation)
  return donation
})

/**
 * The laws of {@link DonationStore}.
 */
export const donations = (given: Thoroughness = {}): ReadonlyArray<Check<Needs>> => [
  must(
    "a donation is read back as it was written, and after an update, by its own organisation only",
    [
      "RecordStore.update MUST write all fields of the record that has the same organisation and id",
      "RecordReader MUST see the named organisation's records only"
    ],
    () =>
      forAll(
        runsOf(given),
        fc.tuple(Generators.donation, Generators.donation),
        Effect.fnUntraced(function* ([given, next]) {
          const store = yield* DonationStore
          const [{ id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
          const donation = yield* stored(id, given)
          same(yield* store.find(id, donation.id), Option.some(donation))
          none(yield* store.find(other.id, donation.id))
          none(yield* store.findForUpdate(other.id, donation.id))
          const changed = { ...next, id: donation.id, organisation_id: id, donor_id: donation.donor_id }
          yield* store.update({ ...changed, organisation_id: other.id })
          same(yield* store.find(id, donation.id), Option.some(donation))
          yield* store.update(changed)
          same(yield* store.findForUpdate(id, donation.id), Option.some(changed))
        })
      )
  ),

  ...lists(
    {
      name: "donations",
      spec: listing,
      draft,
      store: stored,
      list: (organisation_id, query) => DonationStore.use((store) => store.list(organisation_id, query)),
      columns: (donation) => donation,
      hidden: (donation) => donation.deleted_at !== null
    },
    runsOf(given)
  ),

  holding({
    name: "a donation",
    must: "RecordStore.findForUpdate MUST hold the row against every change until the surrounding transaction ends",
    make: Effect.gen(function* () {
      const { id } = yield* newOrganisation()
      return yield* stored(id, yield* donationOf(yield* donorOf(id)))
    }),
    findForUpdate: ({ id, organisation_id }) => DonationStore.use((store) => store.findForUpdate(organisation_id, id)),
    update: (donation) => DonationStore.use((store) => store.update(donation)),
    count: ({ refunded_amount_cents }) => refunded_amount_cents,
    counted: (donation, refunded_amount_cents) => ({ ...donation, refunded_amount_cents })
  }),

  donorReferences({
    name: "donations",
    store: Effect.fnUntraced(function* (donor) {
      const states: ReadonlyArray<Partial<Donation>> = [{}, { status: "FAILED" }, { deleted_at: at(1) }]
      const gifts = yield* Effect.forEach(states, (given) => donationOf(donor, given))
      yield* Effect.forEach(gifts, (yield* DonationStore).insert)
      return gifts
    }),
    find: ({ id, organisation_id }: Donation) => DonationStore.use((store) => store.find(organisation_id, id)),
    reassign: (...given) => DonationStore.use((store) => store.reassign(...given))
  }),

  bookedUnder({
    name: "donations",
    port: "DonationStore",
    make: Effect.fnUntraced(function* (organisation_id, { code, id }) {
      return yield* stored(
        organisation_id,
        yield* donationOf(yield* donorOf(organisation_id), { revenue_code: code, revenue_code_id: id })
      )
    }),
    find: ({ id, organisation_id }: Donation) => DonationStore.use((store) => store.find(organisation_id, id)),
    findForUpdate: ({ id, organisation_id }: Donation) =>
      DonationStore.use((store) => store.findForUpdate(organisation_id, id)),
    update: (donation: Donation) => DonationStore.use((store) => store.update(donation)),
    list: (organisation_id, query) => DonationStore.use((store) => store.list(organisation_id, query))
  }),

  must("a deleted donation is read by its id and listed nowhere", ["DonationStore MUST leave out deleted ones"], () =>
    Effect.gen(function* () {
      const store = yield* DonationStore
      const { id } = yield* newOrganisation()
      const deleted = yield* stored(id, yield* donationOf(yield* donorOf(id), { deleted_at: at(1) }))
      same(yield* store.find(id, deleted.id), Option.some(deleted))
      same((yield* store.list(id, queryOf({ archived: true }))).data, [])
    })
  ),

  law("a day is compared with the day of the gift as it was given, an instant with its instant", () =>
    Effect.gen(function* () {
      const store = yield* DonationStore
      const { id } = yield* newOrganisation()
      const day = CalendarDate.make("2040-01-01")
      const draft = yield* donationOf(yield* donorOf(id), { donation_day: day, donation_date: at(-13 * 3600) })
      const gift = yield* stored(id, draft)
      const found = Effect.fnUntraced(function* (value: string) {
        const query = yield* Effect.fromResult(parse(listing, [["donation_date", value]]))
        return (yield* store.list(id, query)).data
      })
      same(yield* found("2040-01-01"), [gift])
      same(yield* found("2039-12-31"), [])
      same(yield* found("2039-12-31T11:00:00Z"), [gift])
    })
  ),

  law("a donation of a transaction that was rolled back is gone", () =>
    Effect.gen(function* () {
      const store = yield* DonationStore
      const transaction = yield* Transaction
      const { id } = yield* newOrganisation()
      const donor = yield* donorOf(id)
      yield* (yield* DonorStore).insert(donor)
      const donation = yield* donationOf(donor)
      yield* store.insert(donation).pipe(Effect.andThen(Effect.fail("refused")), transaction.run, Effect.flip)
      none(yield* store.find(id, donation.id))
    })
  )
]
