import { Effect } from "effect"
import fc from "fast-check"
import type { Donor } from "../../domain/giving/Donor.ts"
import { type Computation, type DonorScore, summaryOf } from "../../domain/insight/Intelligence.ts"
import { compareCodePoints } from "../../domain/kernel/Text.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import { ScoreStore } from "../../ports/insight/ScoreStore.ts"
import * as Generators from "../Generators.ts"
import { scoreOf } from "./IntelligenceRecords.ts"
import { at, donorOf, newOrganisation } from "./Records.ts"
import { newDonor } from "./SubscriptionRecords.ts"
import { lawsOf, runsOf, same, suite, type Thoroughness } from "./Suite.ts"

const { must, property } = lawsOf(ScoreStore)

const computation: Computation = { computed_at: at(60), scoring_version: 3 }

const currencies = ["AUD", "NZD"] as const

/** Scores of one donor, at most one in a currency; the values that order them are often equal. */
const drafts = fc.uniqueArray(
  fc
    .tuple(
      Generators.donorScore,
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
        const shown = ({ leading, ...rest }: ReturnType<typeof summaryOf>) => ({
          ...rest,
          leading: leading.map(({ donor: { do_not_contact, first_name, last_name }, score }) => ({
            score,
            donor: { do_not_contact, first_name, last_name }
          }))
        })
        const seen = Effect.map(store.standing(own.id, limit), shown)
        yield* store.replace(other.id, { ...computation, scoring_version: 9 }, other.scores)
        same(yield* seen, shown(expected(null, [])))
        yield* store.replace(own.id, computation, own.scores)
        same(yield* seen, shown(expected(computation, own.scores)))
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
      const { leading, scored_count } = yield* store.standing(id, 2)
      same([scored_count, ...leading.map(({ score }) => score.opportunity_cents)], [5_001, 5_000, 4_999])
    })
  ])
