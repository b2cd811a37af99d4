import { Effect, Option } from "effect"
import fc from "fast-check"
import type { Donation } from "../../domain/giving/Donation.ts"
import type { Donor } from "../../domain/giving/Donor.ts"
import { CalendarDate } from "../../domain/kernel/CalendarDate.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { type YearlySummary, yearOf } from "../../domain/outbox/YearlySummary.ts"
import { DonationStore } from "../../ports/giving/DonationStore.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import { YearlySummaryStore } from "../../ports/outbox/YearlySummaryStore.ts"
import { at, donationOf, donorOf, idsOf, newOrganisation } from "./Records.ts"
import { byId, lawsOf, none, runsOf, same, suite, type Thoroughness, together, transactionOf } from "./Suite.ts"

const { must, property } = lawsOf(YearlySummaryStore)

const day = CalendarDate.make
const yearTo = (ends_on: string) => ({ starts_on: yearOf(day(ends_on)).starts_on, ends_on: day(ends_on) })
const [lastYear, year] = [yearTo("2025-06-30"), yearTo("2026-06-30")]

const summaryOf = (organisation_id: OrganisationId, given: Partial<YearlySummary> = {}): YearlySummary => ({
  organisation_id,
  ends_on: year.ends_on,
  after_donor_id: "",
  mail_count: 0,
  begun_at: at(1),
  completed_at: null,
  ...given
})

const arbitraryDonor: fc.Arbitrary<Partial<Donor>> = fc.record({
  email: fc.constantFrom("ada@example.org", "kim@example.org", null),
  archived_at: fc.constantFrom(null, null, at(5)),
  do_not_contact: fc.constantFrom(false, false, true)
})

/** Mostly what a summary tells of: a gift is told of where all its fields allow it, and limits show on several alone. */
const weighted = <const A, const B>(told: ReadonlyArray<A>, untold: ReadonlyArray<B>): fc.Arbitrary<A | B> =>
  fc.oneof(
    { arbitrary: fc.constantFrom<Array<A | B>>(...told), weight: 5 },
    { arbitrary: fc.constantFrom<Array<A | B>>(...untold), weight: 1 }
  )

const arbitraryGift: fc.Arbitrary<Partial<Donation>> = fc
  .record({
    source: weighted(["PAYMENT_PROCESSOR", "CHECKOUT_LINK", "RECOMMENDATION_SET"], ["MANUAL", "CSV_IMPORT"]),
    status: weighted(["CONFIRMED", "REFUNDED"], ["PENDING", "FAILED"]),
    donation_day: fc.constantFrom("2025-06-30", "2025-07-01", "2026-01-31", "2026-06-30", "2026-07-01").map(day),
    deleted_at: weighted([null], [at(5)]),
    amount_cents: fc.integer({ min: 1, max: 1_000_000_000 }),
    language: fc.constantFrom("ar", "en-AU", null),
    isBack: fc.boolean(),
    currency: fc.constantFrom("AUD", "NZD")
  })
  .map(({ isBack, ...gift }) => ({ ...gift, refunded_amount_cents: isBack ? gift.amount_cents : 0 }))

/** Whether a summary tells of a gift, said once more. */
const isTold = ({ deleted_at, donation_day, source, status }: Donation, isLast: boolean): boolean =>
  deleted_at === null &&
  (isLast ? donation_day === "2025-06-30" : donation_day >= "2025-07-01" && donation_day <= "2026-06-30") &&
  (status === "CONFIRMED" || status === "REFUNDED") &&
  source !== "MANUAL" &&
  source !== "CSV_IMPORT"

const isReader = ({ archived_at, do_not_contact, email }: Donor): boolean =>
  email !== null && archived_at === null && !do_not_contact

const byDay = (gifts: ReadonlyArray<Donation>) =>
  byId(gifts).toSorted((a, b) => (a.donation_day < b.donation_day ? -1 : Number(a.donation_day > b.donation_day)))

const sumOf = (gifts: ReadonlyArray<Donation>, field: "amount_cents" | "refunded_amount_cents"): number =>
  gifts.reduce((sum, gift) => sum + gift[field], 0)

interface Asked {
  readonly isLast: boolean
  readonly limit: number
  readonly id: OrganisationId
  readonly other: OrganisationId
}

/** What a store answers of a year, held to the gifts that donors have made. */
const readsOf = Effect.fnUntraced(function* (
  donors: ReadonlyArray<readonly [Donor, ReadonlyArray<Donation>]>,
  { id, isLast, limit, other }: Asked
) {
  const store = yield* YearlySummaryStore
  const of = isLast ? lastYear : year
  const told = donors.map(([donor, gifts]) => [donor, gifts.filter((gift) => isTold(gift, isLast))] as const)
  const inOrder = byId(donors.map(([donor]) => donor))
  const owed = told.filter(([donor, gifts]) => isReader(donor) && gifts.length > 0).map(([donor]) => donor)
  const found: Array<string> = []
  for (let after: string | null = "", place = limit; after !== null; place += limit) {
    const step: { readonly donors: ReadonlyArray<string>; readonly last: string | null } = yield* store.donorsAfter(
      id,
      of,
      after,
      limit
    )
    found.push(...step.donors)
    same(step.last, place < inOrder.length ? (inOrder[place - 1]?.id ?? null) : null)
    after = step.last
  }
  same(found, idsOf(byId(owed)))
  for (const [{ id: donor_id }, gifts] of told) {
    const listed = byDay(gifts).map(({ amount_cents, currency, donation_day, id, refunded_amount_cents }) => {
      return { id, donation_day, amount_cents, refunded_amount_cents, currency }
    })
    for (const most of [limit, 1, 2]) same(yield* store.giftsOf(id, donor_id, of, most), listed.slice(0, most))
    const sums = ["AUD", "NZD"].flatMap((currency) => {
      const own = gifts.filter((gift) => gift.currency === currency)
      const [amount_cents, refunded_amount_cents] = [sumOf(own, "amount_cents"), sumOf(own, "refunded_amount_cents")]
      return own.length === 0 ? [] : [{ currency, gift_count: own.length, amount_cents, refunded_amount_cents }]
    })
    same(yield* store.sumsOf(id, donor_id, of), sums)
    same(yield* store.sumsOf(other, donor_id, of), [])
    const spoken = byDay(gifts).flatMap(({ language }) => (language === null ? [] : [language]))
    same(Option.getOrNull(yield* store.languageOf(id, donor_id, of)), spoken.at(-1) ?? null)
    same(Option.getOrNull(yield* store.languageOf(other, donor_id, of)), null)
  }
})

const reads = (given: Thoroughness) => [
  property(
    "each donor who is owed a summary is found in some step, and it has the gifts and sums of the year",
    [
      "YearlySummaryStore.donorsAfter MUST answer those alone whom YearlySummary.readerRule holds for, and who have a gift of the year that YearlySummary.summarisedRule holds for; and as the last the last that was looked at, or null where none is left after those",
      "YearlySummaryStore.giftsOf MUST be the first limit of them"
    ],
    runsOf(given),
    fc.record({
      donors: fc.array(fc.tuple(arbitraryDonor, fc.array(arbitraryGift, { maxLength: 8, size: "max" })), {
        maxLength: 6
      }),
      limit: fc.integer({ min: 1, max: 3 })
    }),
    function* ({ donors: asked, limit }, { id, other }) {
      const donors: Array<readonly [Donor, ReadonlyArray<Donation>]> = []
      for (const [organisation_id, all] of [
        [id, asked],
        [other, asked.slice(0, 1)]
      ] as const) {
        for (const [profile, gifts] of all) {
          const donor = yield* donorOf(organisation_id, profile)
          yield* DonorStore.use(({ insert }) => insert(donor))
          const given = yield* Effect.forEach(gifts, (gift) => donationOf(donor, gift))
          for (const gift of given) yield* DonationStore.use(({ insert }) => insert(gift))
          if (organisation_id === id) donors.push([donor, given])
        }
      }
      for (const isLast of [false, true]) yield* readsOf(donors, { isLast, limit, id, other })
    }
  )
]

const writes = [
  must(
    "summaries of a year are begun once, read back as they were saved, and are of their own organisation alone",
    ["YearlySummaryStore.begin MUST leave alone those of the same organisation and year that are there"],
    function* ({ store, id, other }) {
      const old = summaryOf(id, { ends_on: lastYear.ends_on, completed_at: at(3) })
      const moved = summaryOf(id, { after_donor_id: "dnr_1", mail_count: 3, begun_at: at(2) })
      const far = summaryOf(other, { after_donor_id: "dnr_2", mail_count: 4, begun_at: at(6) })
      for (const summary of [old, summaryOf(id), far]) yield* store.begin(summary)
      same(yield* store.ofOrganisation(other), [far])
      yield* store.save(moved)
      yield* store.begin(summaryOf(id, { begun_at: at(9) }))
      same(yield* store.ofOrganisation(id), [moved, old])
      const done = summaryOf(other, { after_donor_id: "dnr_3", mail_count: 5, completed_at: at(8) })
      yield* store.save(done)
      same([yield* store.ofOrganisation(id), yield* store.ofOrganisation(other)], [[moved, old], [done]])
    }
  ),

  must(
    "organisations are named until their summaries of the year are completed, also those that have none yet",
    ["YearlySummaryStore.organisationsWithout MUST name those, too, that have none of that year"],
    function* ({ store, id, other }) {
      const begun = yield* newOrganisation()
      const done = yield* newOrganisation()
      yield* store.begin(summaryOf(begun.id))
      yield* store.begin(summaryOf(done.id, { completed_at: at(2) }))
      yield* store.begin(summaryOf(id, { ends_on: lastYear.ends_on, completed_at: at(2) }))
      // Asked from just before each, however many others there are.
      const isNamed = (ends_on: CalendarDate) => (organisation_id: OrganisationId) =>
        Effect.map(store.organisationsWithout(ends_on, organisation_id.slice(0, -1), 40), (found) =>
          found.includes(organisation_id)
        )
      const own = [id, begun.id, done.id]
      same(yield* Effect.forEach(own, isNamed(year.ends_on)), [true, true, false])
      same(yield* Effect.forEach(own, isNamed(lastYear.ends_on)), [false, true, true])
      const [first = "", second = "", ...more] = [id, begun.id, other].toSorted()
      for (const limit of [1, 2]) {
        const found = yield* store.organisationsWithout(year.ends_on, first, limit)
        same([found.length, found.every((each) => each > first)], [limit, true])
        same(found, found.toSorted())
      }
      // Whoever takes an earlier one for it answers those between.
      for (const last of [second, ...more]) {
        const found = yield* store.organisationsWithout(year.ends_on, last, 40)
        same(found, found.filter((each) => each > last).toSorted())
      }
    }
  ),

  must(
    "of steps at the same moment, each after the first sees what those before it wrote; the earliest year comes first",
    ["YearlySummaryStore.openForUpdate MUST hold them against others until the transaction ends"],
    function* ({ store, id, other }) {
      none(yield* store.openForUpdate(id))
      yield* store.begin(summaryOf(other))
      same(yield* store.openForUpdate(other), Option.some(summaryOf(other)))
      none(yield* store.openForUpdate(id))
      const early = summaryOf(id, { ends_on: lastYear.ends_on })
      for (const summary of [summaryOf(id), early]) yield* store.begin(summary)
      const step = transactionOf(function* () {
        const open = Option.getOrThrow(yield* store.openForUpdate(id))
        yield* store.save({ ...open, mail_count: open.mail_count + 1 })
        return open.mail_count
      })
      same((yield* together(4, step)).toSorted(), [0, 1, 2, 3])
      same(yield* store.openForUpdate(id), Option.some({ ...early, mail_count: 4 }))
      yield* store.save({ ...early, completed_at: at(4) })
      same(yield* store.openForUpdate(id), Option.some(summaryOf(id)))
      yield* store.save(summaryOf(id, { completed_at: at(4) }))
      none(yield* store.openForUpdate(id))
    }
  )
]

/** The laws of {@link YearlySummaryStore}. */
export const yearlySummaries = (given: Thoroughness = {}) => suite([...reads(given), ...writes])
