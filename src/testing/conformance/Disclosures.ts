import { type DateTime, Effect, Option, Struct } from "effect"
import fc from "fast-check"
import { AssignedGift, countableRule } from "../../domain/compliance/Assessment.ts"
import { Disclosure, derivedColumns, listing, Status } from "../../domain/compliance/Disclosure.ts"
import { NamedDonor, NamedGift } from "../../domain/compliance/DisclosureExport.ts"
import { Donation } from "../../domain/giving/Donation.ts"
import type { CalendarDate } from "../../domain/kernel/CalendarDate.ts"
import * as Rule from "../../domain/kernel/Rule.ts"
import { type DisclosureDifference, DisclosureStore } from "../../ports/compliance/DisclosureStore.ts"
import { DonationStore } from "../../ports/giving/DonationStore.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import { RevenueCodeStore } from "../../ports/giving/RevenueCodeStore.ts"
import { day, disclosure, disclosureOf, newCode } from "./DisclosureRecords.ts"
import { newDonor } from "./MoneyRecords.ts"
import { assertApart, makeGate } from "./RecordLocks.ts"
import { recordStore } from "./RecordStores.ts"
import { at, donationOf, freshId } from "./Records.ts"
import { byId, lawsOf, none, runsOf, same, type Thoroughness, together, transactionOf } from "./Suite.ts"
import { type UncodedGroup, uncodedOf } from "./UncodedGifts.ts"

/** A gift before it is stored: its day, and which code it has. */
const gift = fc.record({
  day: fc.integer({ min: 1, max: 4 }).map(day),
  code: fc.constantFrom("assigned", "assigned", "unassigned", "none"),
  status: fc.constantFrom(...Donation.fields.status.literals, "CONFIRMED"),
  isDeleted: fc.boolean()
})

const { must } = lawsOf(DisclosureStore)

/** What is promised beside reading and listing. */
const promises = (isSerial: boolean) => [
  must(
    "of gifts at the same moment, each after the first sees those before it",
    [
      "DisclosureStore.hold MUST hold the span against every other work that holds it, until the transaction ends",
      "DisclosureStore.giftsOf MUST see what the transaction wrote itself"
    ],
    function* ({ store, id }) {
      const code = yield* newCode(id, "federal", "AU")
      // Where nothing is held, two may still come one after the other by chance.
      for (let pair = 0; pair < 6; pair++) {
        const donor = yield* newDonor(id)
        const span = { organisation_id: id, donor_id: donor.id, jurisdiction: "AU", starts_on: day(1) }
        const gate = makeGate(isSerial, 2)
        const give = transactionOf(function* () {
          yield* store.giftsOf(id, donor.id, day(1), day(4))
          yield* gate
          const own = yield* donationOf(donor, { donation_day: day(1), revenue_code_id: code.id })
          yield* DonationStore.use(({ insert }) => insert(own))
          yield* store.hold(span)
          return (yield* store.giftsOf(id, donor.id, day(1), day(4))).length
        })
        same((yield* together(2, give)).toSorted(), [1, 2])
      }
    }
  ),

  must(
    "the organisations whose duties are due are named once, and reminded once on a day",
    [
      "DisclosureStore.organisationsDue MUST name each once",
      "DisclosureStore.beginReminder MUST answer true once for a day, whoever asks at the same moment, and false for the days before it"
    ],
    function* ({ store, id, other }) {
      const donor = yield* newDonor(id)
      for (const due_at of [at(5), at(6), null]) {
        yield* store.insert(yield* disclosureOf(yield* newDonor(id), { due_at }))
      }
      yield* store.insert(yield* disclosureOf(donor, { due_at: at(7) }))
      yield* store.insert(yield* disclosureOf(yield* newDonor(other), { due_at: at(8) }))
      const due = (until: DateTime.Utc) =>
        Effect.map(store.organisationsDue(until), (all) => all.filter((each) => each === id || each === other))
      same(yield* due(at(4.999)), [])
      same(yield* due(at(7)), [id])
      same((yield* due(at(8))).toSorted(), [id, other].toSorted())
      same(yield* store.organisationsDue(at(8), other), [other])
      same(yield* store.organisationsDue(at(8), id), [id])
      same(yield* store.organisationsDue(at(7), other), [])
      const begin = (each: CalendarDate) =>
        transactionOf(function* () {
          return yield* store.beginReminder(id, each)
        })
      same(
        (yield* together(4, begin(day(2)))).filter((isFirst) => isFirst),
        [true]
      )
      same(yield* Effect.forEach([day(1), day(2), day(3), day(3)], begin), [false, false, true, false])
      same(yield* store.beginReminder(other, day(1)), true)
    }
  ),

  must(
    "donors and gifts are named by their ids, whatever became of them",
    [
      "DisclosureStore.donorsNamed MUST leave out none for its state: archived and merged ones are named, too",
      "DisclosureStore.giftsNamed MUST leave out none for its state: refunded and deleted ones are named, too"
    ],
    function* ({ store, id, other }) {
      const donor = yield* newDonor(id)
      const archived = { ...donor, archived_at: at(2) }
      yield* DonorStore.use(({ update }) => update(archived))
      const gift = yield* donationOf(donor, { donation_day: day(1), deleted_at: at(1) })
      yield* DonationStore.use(({ insert }) => insert(gift))
      const donors = yield* store.donorsNamed(id, [donor.id])
      same(donors, [Struct.pick(archived, Struct.keys(NamedDonor.fields))])
      same(yield* store.giftsNamed(id, []), [])
      const gifts = yield* store.giftsNamed(id, [gift.id])
      same(gifts, [Struct.pick(gift, Struct.keys(NamedGift.fields))])
      same(yield* store.donorsNamed(other, [donor.id]), [])
      same(yield* store.giftsNamed(other, [gift.id]), [])
      same(yield* store.donorsNamed(id, []), [])
    }
  ),

  must(
    "a recount goes on from where it was, and begins anew when it is asked for again",
    [
      "DisclosureStore.requestRecount MUST begin it anew where one is under way",
      "DisclosureStore.moveRecount MUST leave one as it is that is not as given any more"
    ],
    function* ({ store, id, other }) {
      const kept = Effect.forEach([id, other], (each) => store.recountOf(each))
      const asked = [id, other].map((organisation_id, index) => ({
        ...{ organisation_id, due_at: at(5 + index), after_donor_id: "", is_asked: true }
      }))
      const begun = asked.map((each, index) => ({
        ...{ ...each, due_at: at(7 + index), after_donor_id: `dnr_${index}`, is_asked: false }
      }))
      const areMoved = Effect.fnUntraced(function* (before: typeof asked, after: typeof asked) {
        for (const [index, each] of before.entries()) yield* store.moveRecount(each, after[index] ?? each)
      })
      same(yield* kept, [Option.none(), Option.none()])
      for (const { due_at, organisation_id } of asked) yield* store.requestRecount(organisation_id, due_at)
      same(yield* kept, asked.map(Option.some))
      yield* areMoved(asked, begun)
      same(yield* kept, begun.map(Option.some))
      yield* areMoved(asked, asked)
      same(yield* kept, begun.map(Option.some), "they are not as given any more")
      yield* areMoved(begun, asked)
      same(yield* kept, asked.map(Option.some))
      yield* areMoved(asked, begun)
      yield* store.requestRecount(id, at(-5))
      const anew = { organisation_id: id, due_at: at(-5), after_donor_id: "", is_asked: true }
      same(yield* store.dueRecount(at(-5)), Option.some(anew))
      none(yield* store.dueRecount(at(-5.001)))
      for (const due_at of [at(-4), at(3_600)]) {
        yield* store.requestRecounts(due_at)
        same(
          yield* kept,
          asked.map((each) => Option.some({ ...each, due_at }))
        )
      }
    }
  ),

  must(
    "a recount comes to every donor with gifts that count or with a disclosure, once and in order",
    ["DisclosureStore.ofDonor MUST leave out superseded ones"],
    function* ({ store, id, other }) {
      const code = yield* newCode(id, "federal", "AU")
      const donors = yield* Effect.forEach([1, 2, 3, 4], () => newDonor(id))
      const [gives, owes, both, gave] = donors
      if (gives === undefined || owes === undefined || both === undefined || gave === undefined) return
      for (const donor of [gives, both]) {
        const own = yield* donationOf(donor, { revenue_code_id: code.id })
        yield* DonationStore.use(({ insert }) => insert(own))
      }
      yield* DonationStore.use(({ insert }) => Effect.flatMap(donationOf(gave), insert))
      for (const donor of [owes, both]) yield* store.insert(yield* disclosureOf(donor))
      yield* store.insert(yield* disclosureOf(gave, { status: "SUPERSEDED" }))
      const ids = [gives.id, owes.id, both.id].toSorted()
      same(yield* store.donorsAfter(id, "", 9), ids)
      same(yield* store.donorsAfter(id, "", 2), ids.slice(0, 2))
      same(yield* store.donorsAfter(id, ids[0] ?? "", 9), ids.slice(1))
      same(yield* store.donorsAfter(other, "", 9), [])
    }
  ),

  must(
    "a code that a gift was counted by is not assigned otherwise meanwhile",
    ["DisclosureStore.jurisdictionOf MUST hold the code against being assigned otherwise until the transaction ends"],
    function* ({ store, id }) {
      const code = yield* newCode(id, "federal", "AU")
      const own = yield* donationOf(yield* newDonor(id), { revenue_code_id: code.id })
      let turn = 0
      const act = transactionOf(function* () {
        const isAssignment = turn++ % 2 === 1
        const first = isAssignment ? null : yield* store.jurisdictionOf(own)
        yield* Effect.yieldNow
        if (!isAssignment) return same(yield* store.jurisdictionOf(own), first)
        const codes = yield* RevenueCodeStore
        const held = Option.getOrThrow(yield* codes.findForUpdate(id, code.id))
        const jurisdiction = held.jurisdiction === null ? "AU" : null
        yield* Effect.orDie(codes.update({ ...held, jurisdiction, is_fca: jurisdiction !== null }))
      })
      yield* together(8, act)
    }
  ),

  must(
    "a span has one disclosure, beside superseded ones",
    ["DisclosureStore.ofSpan MUST leave out superseded ones", "DisclosureStore.ofDonor MUST leave out superseded ones"],
    function* ({ store, id }) {
      const donor = yield* newDonor(id)
      yield* store.insert(yield* disclosureOf(donor, { status: "SUPERSEDED" }))
      const present = yield* disclosureOf(donor)
      yield* store.insert(present)
      same(yield* store.ofSpan(present), Option.some(present))
      same(yield* store.ofDonor(id, donor.id), [present])
    }
  )
]

/** What shows where transactions go on side by side. */
const togetherness = [
  must(
    "a span that is held keeps nobody from another",
    ["DisclosureStore.hold MUST NOT make work that holds another one wait."],
    function* ({ store, id, other }) {
      const [donor, another] = [yield* newDonor(id), yield* newDonor(id)]
      const span = { organisation_id: id, donor_id: donor.id, jurisdiction: "AU", starts_on: day(1) }
      const others = [
        { ...span, organisation_id: other },
        { ...span, donor_id: another.id },
        { ...span, jurisdiction: "AU-VIC" },
        { ...span, starts_on: day(2) }
      ]
      yield* assertApart(store.hold(span), others.map(store.hold))
    }
  )
]

/** The laws of {@link DisclosureStore}. */
export const disclosures = (given: Thoroughness & { readonly serial?: boolean } = {}) =>
  recordStore({
    ...given,
    name: "disclosures",
    port: DisclosureStore,
    arbitrary: disclosure,
    schema: Disclosure,
    fresh: freshId("disclosure"),
    parents: (organisation_id) => Effect.map(newDonor(organisation_id), ({ id }) => ({ donor_id: id })),
    answers: Effect.fnUntraced(function* (record, other) {
      const store = yield* DisclosureStore
      const isPresent = record.status !== "SUPERSEDED"
      same(yield* store.ofSpan(record), isPresent ? Option.some(record) : Option.none())
      same(yield* store.ofDonor(record.organisation_id, record.donor_id), isPresent ? [record] : [])
      none(yield* store.ofSpan({ ...record, organisation_id: other }))
      none(yield* store.ofSpan({ ...record, jurisdiction: "AU-NT" }))
      none(yield* store.ofSpan({ ...record, starts_on: day(2) }))
      same(yield* store.ofDonor(other, record.donor_id), [])
    }),
    list: {
      spec: listing,
      few: fc.record({ status: fc.constantFrom(...Status.literals), due_at: fc.constantFrom(null, at(5), at(6)) }),
      columns: (each) => ({ ...each, ...derivedColumns(each) })
    }
  })(({ property }) => [
    ...promises(given.serial !== false),
    ...(given.serial === false ? togetherness : []),
    property(
      "a donor's gifts are those of the days whose codes are assigned, and that count",
      ["DisclosureStore.giftsOf MUST leave out gifts that do not count for their status, and deleted ones"],
      runsOf(given),
      fc.tuple(fc.array(gift, { maxLength: 8 }), fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 })),
      function* ([drafts, from, to], { store, id, other }) {
        const codes = {
          assigned: (yield* newCode(id, "federal", "AU")).id,
          unassigned: (yield* newCode(id, "shop", null)).id,
          none: null
        }
        const [donor, stranger] = [yield* newDonor(id), yield* newDonor(id)]
        const kept: Array<Donation> = []
        const counted = { code: "assigned", day: day(2), isDeleted: false, status: "CONFIRMED" } as const
        for (const { code, day: donation_day, isDeleted, status } of [counted, ...drafts]) {
          const fields = { donation_day, status, revenue_code_id: codes[code], deleted_at: isDeleted ? at(1) : null }
          const own = yield* donationOf(donor, fields)
          yield* DonationStore.use(({ insert }) => insert(own))
          yield* DonationStore.use(({ insert }) => Effect.flatMap(donationOf(stranger, fields), insert))
          same(yield* store.jurisdictionOf(own), code === "assigned" ? "AU" : null)
          if (code === "assigned" && Rule.holds(countableRule, own)) kept.push(own)
        }
        for (const [first, last] of [
          [from, to],
          [1, 2],
          [2, 4],
          [3, 4]
        ] as const) {
          const expected = kept
            .filter(({ donation_day }) => day(first) <= donation_day && donation_day <= day(last))
            .map((each) => Struct.pick({ ...each, jurisdiction: "AU" }, Struct.keys(AssignedGift.fields)))
          same(byId(yield* store.giftsOf(id, donor.id, day(first), day(last))), byId(expected))
        }
        same(yield* store.giftsOf(other, donor.id, day(1), day(4)), [])
      }
    ),

    property(
      "gifts whose codes are assigned to nothing are added up by code, with the donors who would cross",
      [
        "DisclosureStore.uncoded MUST name the largest gifts first, and not more than Limits.uncodedGiftsShown of one code"
      ],
      runsOf(given),
      fc.array(fc.array(fc.tuple(fc.constantFrom("assigned", "shop", "none", "set"), fc.integer({ min: 1, max: 3 }))), {
        maxLength: 4
      }),
      function* (drafts, { store, id, other }) {
        const assigned = yield* newCode(id, "federal", "AU")
        const shop = yield* newCode(id, "shop", null)
        const groups: { readonly [kind in "shop" | "set" | "none"]: UncodedGroup } = {
          shop: { gifts: [], code: shop, is_by_default: false },
          set: { gifts: [], code: null, is_by_default: true },
          none: { gifts: [], code: null, is_by_default: false }
        }
        const counted = new Map<string, number>()
        for (const gifts of drafts) {
          const donor = yield* newDonor(id)
          for (const [kind, amount_cents] of gifts) {
            const revenue_code_id = kind === "assigned" ? assigned.id : kind === "shop" ? shop.id : null
            const source = kind === "set" ? "RECOMMENDATION_SET" : "MANUAL"
            const own = yield* donationOf(donor, { amount_cents, donation_day: day(2), revenue_code_id, source })
            yield* DonationStore.use(({ insert }) => insert(own))
            if (kind === "assigned") counted.set(donor.id, (counted.get(donor.id) ?? 0) + amount_cents)
            else groups[kind].gifts.push(own)
          }
        }
        const period = { jurisdiction: "AU", currency: "AUD", least_cents: 3, starts_on: day(1), ends_on: day(4) }
        const all = (already: ReadonlyMap<string, number>, least_cents: number) =>
          Object.values(groups).flatMap((group) => uncodedOf(group, already, least_cents))
        for (const least_cents of [3, 1, 2, 5]) {
          same(yield* store.uncoded(id, { ...period, least_cents }), all(counted, least_cents))
        }
        same(yield* store.uncoded(id, { ...period, jurisdiction: "AU-NT" }), all(new Map(), 3))
        for (const none of [{ starts_on: day(3) }, { ends_on: day(1) }, { currency: "NZD" }]) {
          same(yield* store.uncoded(id, { ...period, ...none }), [])
        }
        same(yield* store.uncoded(other, period), [])
      }
    ),

    property(
      "differences are what plain code finds: sums that a disclosure does not say, and crossings without one",
      ["DisclosureStore.differences MUST be added up without what assesses disclosures"],
      runsOf(given),
      fc.tuple(
        fc.array(fc.tuple(fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }), fc.option(fc.nat(6))), {
          maxLength: 4
        }),
        fc.integer({ min: 4, max: 5 })
      ),
      function* ([drafts, least_cents], { store, id, other }) {
        const code = yield* newCode(id, "federal", "AU")
        const made: Array<DisclosureDifference> = []
        const bounds = [least_cents, least_cents, least_cents - 1].map((cents): (typeof drafts)[number] => [
          [cents],
          null
        ])
        for (const [amounts, recorded] of [...drafts, ...bounds]) {
          const donor = yield* newDonor(id)
          for (const amount_cents of amounts) {
            const own = yield* donationOf(donor, { amount_cents, donation_day: day(3), revenue_code_id: code.id })
            yield* DonationStore.use(({ insert }) => insert(own))
          }
          if (recorded !== null) yield* store.insert(yield* disclosureOf(donor, { total_cents: recorded }))
          const sum = amounts.reduce((total, each) => total + each, 0)
          made.push({ donor_id: donor.id, counted_cents: sum, recorded_cents: recorded })
        }
        const expected = (isCounted: boolean) =>
          made
            .map((each) => (isCounted ? each : { ...each, counted_cents: 0 }))
            .filter(({ counted_cents, recorded_cents }) =>
              recorded_cents === null ? counted_cents >= least_cents : counted_cents !== recorded_cents
            )
            .toSorted((one, next) => (one.donor_id < next.donor_id ? -1 : 1))
        const period = { jurisdiction: "AU", currency: "AUD", least_cents, starts_on: day(1), ends_on: day(4) }
        for (const [given, all] of [
          [{}, expected(true)],
          [{ currency: "NZD" }, expected(false)],
          [{ ends_on: day(2) }, expected(false)],
          [{ jurisdiction: "AU-NT" }, []],
          [{ starts_on: day(4) }, []]
        ] as const) {
          const found = (limit: number) => store.differences(id, { ...period, ...given }, limit)
          same([yield* found(9), yield* found(1)], [all, all.slice(0, 1)])
        }
        same(yield* store.differences(other, period, 9), [])
      }
    )
  ])
