import { Effect, Option } from "effect"
import fc from "fast-check"
import { Donor, derivedColumns, listing } from "../../domain/giving/Donor.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { parse } from "../../domain/kernel/Listing.ts"
import { DonationStore } from "../../ports/giving/DonationStore.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import { SegmentStore } from "../../ports/insight/SegmentStore.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { segmentOf } from "./Insight.ts"
import { assertApart, makeGate } from "./RecordLocks.ts"
import { recordStore } from "./RecordStores.ts"
import { at, donationOf, donorOf, freshId, queryOf } from "./Records.ts"
import { assertRefused, inTransaction, lawsOf, none, same, type Thoroughness, transactionOf } from "./Suite.ts"

const { law, must } = lawsOf(DonorStore)

/** Stores of donors. */
export interface DonorSubject extends Thoroughness {
  /** Whether a transaction waits for the end of another that has begun. Checks that need two at once are then left out. */
  readonly serial: boolean
}

/** Names that sort differently as UTF-16 units and as code points, differ in case, or have more than one word. */
const name = fc.option(
  fc.oneof(
    fc.constantFrom("ana", "Ana", "Ána", "van Dyk", "\uff5e", "\u{1f600}", "\u{10400}na", "ﬁn"),
    Generators.text(4)
  )
)

const few = fc.record({
  first_name: name,
  last_name: name,
  email: fc.option(fc.constantFrom("ana@example.org", "ANA@example.org", "Bo@example.org")),
  updated_at: fc.nat(3).map(at)
})

const foundBy = Effect.fnUntraced(function* (organisation_id: OrganisationId, entries: Record<string, string>) {
  const query = yield* Effect.fromResult(parse(listing, Object.entries(entries)))
  const store = yield* DonorStore
  const { data } = yield* store.list(organisation_id, query)
  return data.map(({ id }) => id)
})

const lookUps = [
  law("donors are found by e-mail whatever its case, and by beginnings of their words", function* ({ store, id }) {
    const ada = yield* donorOf(id, { first_name: "Ada", last_name: "O'Hara Lane", email: "Ada.OHara@Example.org" })
    const trust = yield* donorOf(id, { first_name: null, last_name: null, organisation_name: "Lane ＴＲＵＳＴ" })
    yield* Effect.forEach([ada, trust], store.insert)
    same(yield* foundBy(id, { email: "ada.ohara@EXAMPLE.ORG " }), [ada.id])
    same(yield* foundBy(id, { search: "LAN ad" }), [ada.id])
    same(yield* foundBy(id, { search: "ada.oh" }), [ada.id])
    same(yield* foundBy(id, { search: "lane trust" }), [trust.id])
    same((yield* foundBy(id, { search: "lane" })).toSorted(), [ada.id, trust.id].toSorted())
    same(yield* foundBy(id, { search: "hara" }), [ada.id])
    same(yield* foundBy(id, { search: "ara" }), [])
    same(yield* foundBy(id, { search: "ada nobody" }), [])
    yield* store.update({ ...ada, last_name: "Byron", email: "countess@example.org" })
    same(yield* foundBy(id, { search: "lane" }), [trust.id])
    same(yield* foundBy(id, { email: "ada.ohara@example.org" }), [])
    same(yield* foundBy(id, { search: "countess byr" }), [ada.id])
  }),

  law("a donor is found by every word, and by as many at once as a search takes", function* ({ store, id }) {
    const most = Math.ceil(Limits.nameCharacters / 2)
    const words = Array.from({ length: 3 * most }, (_, index) => String.fromCodePoint(0x4e00 + index))
    const [first_name = "", last_name = "", organisation_name = ""] = [0, 1, 2].map((name) =>
      words.slice(name * most, (name + 1) * most).join(" ")
    )
    const donor = yield* donorOf(id, { first_name, last_name, organisation_name })
    yield* store.insert(donor)
    for (let start = 0; start < words.length; start += Limits.searchWords) {
      const asked = words.slice(start, start + Limits.searchWords)
      same(yield* foundBy(id, { search: asked.join(" ") }), [donor.id])
      same(yield* foundBy(id, { search: [...asked.slice(1), "nobody"].join(" ") }), [])
    }
  }),

  law("donors are found by what people type for their names, and keep the names", function* ({ store, id }) {
    const lukasz = yield* donorOf(id, { first_name: "Łukasz", last_name: "O’Brien-García" })
    const zoe = yield* donorOf(id, {
      first_name: "Zoe\u0308",
      last_name: "Groß (Müller)",
      email: "z.gross@straße.example"
    })
    yield* Effect.forEach([lukasz, zoe], store.insert)
    for (const search of ["lukasz", "OBRIEN", "brien", "o'brien garcia", "Garcia ŁUKASZ", "obriengarcia"]) {
      same(yield* foundBy(id, { search }), [lukasz.id])
    }
    for (const search of ["zoe", "ZOË gross", "muller", "mueller", "(müll", "strasse", "z.gross@strasse", "example"]) {
      same(yield* foundBy(id, { search }), [zoe.id])
    }
    for (const search of ["rien", "zoeg", "lukasz gross"]) same(yield* foundBy(id, { search }), [])
    same(yield* store.find(id, zoe.id), Option.some(zoe))
  }),

  law(
    "donors are found by a mailbox however it is written, and by names in scripts without spaces",
    function* ({ store, id }) {
      const wang = yield* donorOf(id, { first_name: "小明", last_name: "王", email: "info@b\u00fccher.example" })
      const lee = yield* donorOf(id, { first_name: "王小", last_name: "李", email: "info@bucher.example" })
      yield* Effect.forEach([wang, lee], store.insert)
      for (const email of [
        "info@xn--bcher-kva.example",
        "INFO@b\u00dcCHER.example",
        "in\u200bfo@bu\u0308cher.example"
      ]) {
        same(yield* foundBy(id, { email }), [wang.id])
      }
      for (const search of ["王小明", "小明", "明", "王 小明"]) same(yield* foundBy(id, { search }), [wang.id])
      same((yield* foundBy(id, { search: "王" })).toSorted(), [wang.id, lee.id].toSorted())
      for (const search of ["李王小", "小李"]) same(yield* foundBy(id, { search }), [lee.id])
    }
  ),

  law("wild cards of databases mean themselves in a search", function* ({ store, id }) {
    const plain = yield* donorOf(id, { last_name: "Percent" })
    const odd = yield* donorOf(id, { last_name: "%_\\" })
    yield* Effect.forEach([plain, odd], store.insert)
    for (const search of ["%", "%_", "%_\\"]) same(yield* foundBy(id, { search }), [odd.id])
    for (const search of ["_", "p%t", "p_r", "\\"]) same(yield* foundBy(id, { search }), [])
  }),

  law("last names sort by code points, donors without one come last", function* ({ store, id }) {
    const sorted = ["abel", "Zu", "\u00c1cel", "\ue000", "\u{10400}", null]
    const donors = yield* Effect.forEach(sorted, (last_name) => donorOf(id, { last_name }))
    yield* Effect.forEach(donors.toReversed(), store.insert)
    const expected = donors.map((donor) => donor.id)
    same(yield* foundBy(id, { sort: "last_name" }), expected)
    same(yield* foundBy(id, { sort: "-last_name" }), expected.toReversed())
  })
]

const reindexing = [
  must(
    "words that are made anew find the same donors, which are otherwise as they were, and none is left in the end",
    [
      "DonorStore.reindex MUST do so for at most limit donors, of all organisations, and answer 0 when none is left.",
      "DonorStore.reindex MUST change nothing else of them."
    ],
    function* ({ store, id, other }) {
      const mine = yield* donorOf(id, { last_name: "Núñez", archived_at: at(3) })
      const theirs = yield* donorOf(other, { last_name: "Núñez" })
      yield* Effect.forEach([mine, theirs], store.insert)
      let count = yield* store.reindex(2)
      while (count > 0) {
        assert.isAtMost(count, 2)
        count = yield* store.reindex(2)
      }
      for (const donor of [mine, theirs]) {
        same(yield* foundBy(donor.organisation_id, { search: "nunez", archived: "true" }), [donor.id])
        same(yield* store.find(donor.organisation_id, donor.id), Option.some(donor))
      }
    }
  )
]

const sharing = [
  must(
    "a donor that is held for sharing is not archived before the holder's transaction ends",
    ["DonorStore.findForShare MUST hold the row against archiving and merging, and not against others that share it"],
    function* ({ store, id }) {
      const donations = yield* DonationStore
      const attempt = Effect.gen(function* () {
        const donor = yield* donorOf(id)
        yield* store.insert(donor)
        const archive = inTransaction(
          Effect.flatMap(store.findForUpdate(id, donor.id), () => store.update({ ...donor, archived_at: at(1) }))
        )
        const give = transactionOf(function* () {
          const held = Option.getOrThrow(yield* store.findForShare(id, donor.id))
          yield* Effect.yieldNow
          yield* donations.insert(yield* donationOf(donor))
          const later = Option.getOrThrow(yield* store.find(id, donor.id))
          same(later.archived_at, held.archived_at)
        })
        yield* Effect.all([give, archive, give], { concurrency: "unbounded", discard: true })
      })
      yield* Effect.forEach(Array.from({ length: 8 }), () => attempt, { discard: true })
    }
  )
]

/** Two ask at the same moment. */
const atOnce = Array.from({ length: 2 }, (_, index) => index)

const togetherness = [
  must(
    "an e-mail address is held, whatever its case: of those who look for its donor and make one, one makes it",
    [
      "DonorStore.holdEmail MUST hold it until the surrounding transaction ends: of two that look for its donor and make one where there is none, the second finds the first one's"
    ],
    function* ({ store, id, other }) {
      const gate = makeGate(false, atOnce.length)
      const findOrMake = Effect.fnUntraced(function* (organisation_id: OrganisationId, email: string) {
        yield* foundBy(organisation_id, { email })
        yield* gate
        yield* store.holdEmail(organisation_id, email)
        const [known] = yield* foundBy(organisation_id, { email })
        if (known !== undefined) return known
        const donor = yield* donorOf(organisation_id, { email })
        yield* store.insert(donor)
        return donor.id
      }, inTransaction)
      const found = yield* Effect.forEach(
        atOnce,
        (index) => findOrMake(id, index % 2 === 0 ? "ada@example.org" : " Ada@Example.ORG"),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(new Set(found), 1)
      assert.isFalse(found.includes(yield* findOrMake(other, "ada@example.org")))
    }
  ),

  must(
    "those who hold a donor for sharing do not wait for each other",
    ["DonorStore.findForShare MUST hold the row against archiving and merging, and not against others that share it"],
    function* ({ store, id }) {
      const donor = yield* donorOf(id)
      yield* store.insert(donor)
      const share = store.findForShare(id, donor.id)
      yield* assertApart(share, [share])
    }
  ),

  must(
    "an address that is held keeps nobody from another, nor from that of another organisation",
    ["DonorStore.holdEmail MUST NOT make who holds another one wait."],
    function* ({ store, id, other }) {
      const [hold, another] = [store.holdEmail(id, "ada@example.org"), store.holdEmail(id, "bob@example.org")]
      yield* assertApart(hold, [another, store.holdEmail(other, "ada@example.org")])
    }
  )
]

/** The laws of {@link DonorStore}. */
export const donors = (given: DonorSubject) =>
  recordStore({
    ...given,
    name: "donors",
    port: DonorStore,
    arbitrary: Generators.donor,
    schema: Donor,
    fresh: freshId("donor"),
    answers: Effect.fnUntraced(function* (donor, other) {
      const store = yield* DonorStore
      same(yield* store.findForShare(donor.organisation_id, donor.id), Option.some(donor))
      none(yield* store.findForShare(other, donor.id))
      same((yield* store.list(other, queryOf({ archived: true }))).data, [])
    }),
    list: {
      spec: listing,
      few,
      columns: (donor) => ({ ...donor, ...derivedColumns(donor) }),
      words: (donor) => derivedColumns(donor).words
    }
  })(() => [
    law("a cursor outlives that its donor is archived or changed", function* ({ store, id }) {
      const made = yield* Effect.forEach([3, 2, 1], (age) =>
        Effect.tap(donorOf(id, { created_at: at(age), donor_type: "TRUST" }), store.insert)
      )
      const [newest, middle, oldest] = made
      if (newest === undefined || middle === undefined || oldest === undefined) return
      yield* store.update({ ...middle, donor_type: "UNKNOWN", archived_at: at(9) })
      same(yield* foundBy(id, { donor_type: "TRUST", starting_after: middle.id }), [oldest.id])
    }),

    must(
      "a segment's members are listed by its slug; an unknown one is refused, and so is another organisation's",
      ["DonorStore MUST refuse an unknown segment with InvalidInput"],
      function* ({ store, id, other }) {
        const [inside, outside] = [yield* donorOf(id), yield* donorOf(id)]
        yield* Effect.forEach([inside, outside], store.insert)
        const segments = yield* SegmentStore
        yield* segments.put(yield* segmentOf(id, "major"), [inside.id])
        yield* segments.put(yield* segmentOf(id, "nobody"), [])
        yield* segments.put(yield* segmentOf(other, "lapsed"), [])
        same(yield* foundBy(id, { segment: "major" }), [inside.id])
        same(yield* foundBy(id, { segment: "nobody" }), [])
        for (const segment of ["lapsed", "unheard-of"]) {
          yield* assertRefused(foundBy(id, { segment }), { _tag: "InvalidInput", param: "segment" })
        }
      }
    ),

    ...lookUps,
    ...reindexing,
    ...sharing,
    ...(given.serial ? [] : togetherness)
  ])
