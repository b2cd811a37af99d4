import { Effect, Exit, Option } from "effect"
import fc from "fast-check"
import {
  listing,
  type RecommendationSet,
  type RecommendationSetRecord,
  recordOf
} from "../../domain/sharing/RecommendationSet.ts"
import type { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import type { RecipientAccountStore } from "../../ports/sharing/RecipientAccountStore.ts"
import { RecommendationSetStore } from "../../ports/sharing/RecommendationSetStore.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { holding } from "./Holding.ts"
import { lists } from "./Lists.ts"
import { at, newOrganisation } from "./Records.ts"
import { freshSetId, freshUrlKey, newLink, setOf } from "./SetRecords.ts"
import { type Check, forAll, law, must, none, refused, runsOf, same, type Thoroughness } from "./Suite.ts"

/** The ports that the checks use. */
type Needs = RecommendationSetStore | RecipientAccountStore | IntegrationStore | OrganisationStore | Transaction

const draft = fc
  .tuple(
    Generators.recommendationSet,
    fc.record({
      created_at: fc.nat(3).map(at),
      expires_at: fc.option(fc.nat(3).map(at)),
      archived_at: fc.option(fc.nat(3).map(at), { freq: 3 })
    })
  )
  .map(([set, given]): RecommendationSet => ({ ...set, ...given, allocations: set.allocations.slice(0, 1) }))

/** The given set as one of the organisation, with new links in place of those that it names. */
const linkedIn = Effect.fnUntraced(function* (owner: RecommendationSet, given: RecommendationSet) {
  const recipient = yield* newOrganisation()
  const allocations = yield* Effect.forEach(given.allocations, (each) =>
    Effect.map(newLink(owner.organisation_id, recipient), ({ id }) => ({ ...each, recipient_org_account_link_id: id }))
  )
  const { id, organisation_id, url_key } = owner
  const set: RecommendationSet = { ...given, id, organisation_id, url_key, allocations }
  return set
})

const storedSet = Effect.fnUntraced(function* (given: Partial<RecommendationSet> = {}) {
  const [organisation, recipient] = [yield* newOrganisation(), yield* newOrganisation()]
  const links = [yield* newLink(organisation.id, recipient), yield* newLink(organisation.id, recipient)]
  const set = yield* setOf(organisation.id, links, given)
  yield* Effect.orDie((yield* RecommendationSetStore).insert(set))
  return set
})

const oneSlugOnce =
  "RecommendationSetStore MUST fail with AlreadyTaken when another set of the organisation has the slug, archived or not"

const slugs = [
  must("a slug is used by one set of an organisation, archived or not", [oneSlugOnce], () =>
    Effect.gen(function* () {
      const store = yield* RecommendationSetStore
      const holder = yield* storedSet({ slug: "winter", archived_at: at(1), is_active: false })
      const { organisation_id } = holder
      const taken = { _tag: "AlreadyTaken", field: "slug", holder_id: holder.id }
      const made = Effect.fnUntraced(function* (slug: string) {
        return yield* setOf(organisation_id, [yield* newLink(organisation_id, yield* newOrganisation())], { slug })
      })
      yield* refused(store.insert(yield* made("winter")), taken)
      yield* storedSet({ slug: "winter" })
      const second = yield* made("spring")
      yield* store.insert(second)
      yield* refused(store.update({ ...second, slug: "winter", name: "Winter" }), taken)
      same(yield* store.find(organisation_id, second.id), Option.some(second))
      const renamed = { ...holder, name: "Winter" }
      yield* store.update(renamed)
      same(yield* store.find(organisation_id, holder.id), Option.some(renamed))
      same((yield* store.takenSlugs(organisation_id, ["spring", "winter", "wint"])).toSorted(), ["spring", "winter"])
      same(yield* store.takenSlugs((yield* newOrganisation()).id, ["spring", "winter"]), [])
    })
  ),

  must("a set whose slug is taken is refused within a transaction that goes on", [oneSlugOnce], () =>
    Effect.gen(function* () {
      const store = yield* RecommendationSetStore
      const transaction = yield* Transaction
      const holder = yield* storedSet({ slug: "winter" })
      const link = yield* newLink(holder.organisation_id, yield* newOrganisation())
      const rival = yield* setOf(holder.organisation_id, [link], { slug: "winter" })
      const next = { ...rival, slug: "winter-2" }
      yield* transaction.run(Effect.andThen(Effect.flip(store.insert(rival)), store.insert(next)))
      same(yield* store.find(holder.organisation_id, next.id), Option.some(next))
    })
  ),

  must("of requests for one slug at the same moment one gets it", [oneSlugOnce], () =>
    Effect.gen(function* () {
      const store = yield* RecommendationSetStore
      const transaction = yield* Transaction
      const { organisation_id } = yield* storedSet()
      const link = yield* newLink(organisation_id, yield* newOrganisation())
      const ask = Effect.flatMap(setOf(organisation_id, [link], { slug: "winter" }), (set) =>
        Effect.exit(transaction.run(store.insert(set)))
      )
      const answers = yield* Effect.all(
        Array.from({ length: 6 }, () => ask),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(answers.filter(Exit.isSuccess), 1)
    })
  )
]

const bothAtOnce =
  "RecommendationSetStore.findLinked MUST hold a recipient for every link that the set's allocations name, as both were at one moment"

/**
 * The laws of {@link RecommendationSetStore}.
 */
export const recommendationSets = (given: Thoroughness = {}): ReadonlyArray<Check<Needs>> => [
  must(
    "a set is read back as it was written, allocations in their order, and after each update",
    ["RecordStore.update MUST write all fields of the record that has the same organisation and id"],
    () =>
      forAll(
        runsOf(given),
        fc.tuple(Generators.recommendationSet, Generators.recommendationSet),
        Effect.fnUntraced(function* ([first, second]) {
          const store = yield* RecommendationSetStore
          const { id: organisation_id } = yield* newOrganisation()
          const url_key = yield* freshUrlKey
          const owner = { ...first, id: yield* freshSetId, organisation_id, url_key }
          const [made, replaced] = [yield* linkedIn(owner, first), yield* linkedIn(owner, second)]
          const reversed = { ...replaced, allocations: replaced.allocations.toReversed() }
          for (const [index, set] of [made, replaced, reversed].entries()) {
            yield* index === 0 ? store.insert(set) : store.update(set)
            same(yield* store.find(organisation_id, set.id), Option.some(set))
            same(yield* store.findForUpdate(organisation_id, set.id), Option.some(set))
          }
        })
      )
  ),

  ...lists<RecommendationSetRecord, RecommendationSet, Needs>(
    {
      name: "recommendation sets",
      spec: listing,
      draft,
      store: Effect.fnUntraced(function* (organisation_id, drafted) {
        const [id, url_key] = [yield* freshSetId, yield* freshUrlKey]
        const given = { ...drafted, slug: id.replace("_", "-") }
        const set = yield* linkedIn({ ...given, id, organisation_id, url_key }, given)
        yield* Effect.orDie((yield* RecommendationSetStore).insert(set))
        return recordOf(set)
      }),
      list: (organisation_id, query) => RecommendationSetStore.use((store) => store.list(organisation_id, query)),
      columns: (set) => set,
      archived: (set) => set.archived_at !== null
    },
    runsOf(given)
  ),

  must(
    "no operation sees or changes another organisation's set",
    ["RecordReader MUST see the named organisation's records only"],
    () =>
      Effect.gen(function* () {
        const store = yield* RecommendationSetStore
        const set = yield* storedSet()
        const { id } = yield* newOrganisation()
        for (const find of [store.find, store.findForUpdate, store.findLinked]) none(yield* find(id, set.id))
        yield* store.update({ ...set, organisation_id: id, name: "Taken over" })
        none(yield* store.find(id, set.id))
        same(yield* store.find(set.organisation_id, set.id), Option.some(set))
      })
  ),

  holding<RecommendationSet, Needs>({
    name: "a set with its allocations",
    must: "RecordStore.findForUpdate MUST hold the row against every change until the surrounding transaction ends",
    make: storedSet(),
    findForUpdate: ({ id, organisation_id }) =>
      RecommendationSetStore.use((store) => store.findForUpdate(organisation_id, id)),
    update: (set) => RecommendationSetStore.use((store) => store.update(set)),
    // An amount of an allocation is the counter: a transaction that waited for the set must see its latest allocations,
    // too.
    count: ({ allocations }) => (allocations[0]?.amount_cents ?? Number.NaN) - 1000,
    counted: (set, count) => ({
      ...set,
      allocations: set.allocations.map((each, index) => (index === 0 ? { ...each, amount_cents: 1000 + count } : each))
    })
  }),

  must("a set is found together with what its links are called, whoever changes it meanwhile", [bothAtOnce], () =>
    Effect.gen(function* () {
      const store = yield* RecommendationSetStore
      const set = yield* storedSet()
      const [first, second] = set.allocations
      if (first === undefined || second === undefined) return
      const changes = Effect.forEach(
        Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? [first] : [second, first])),
        (allocations) => store.update({ ...set, allocations }),
        { discard: true }
      )
      const reads = Effect.forEach(Array.from({ length: 12 }), () => store.findLinked(set.organisation_id, set.id))
      const [, seen] = yield* Effect.all([changes, reads], { concurrency: "unbounded" })
      for (const found of seen) {
        const { recipients, set: read } = Option.getOrThrow(found)
        const named = read.allocations.map((each) => each.recipient_org_account_link_id)
        same([...recipients.keys()].toSorted(), named.toSorted())
        for (const { link_label, recipient_org_name } of recipients.values()) {
          assert.isTrue(link_label !== "" && recipient_org_name !== "")
        }
      }
    })
  ),

  law("what a transaction that was rolled back wrote of a set is gone, allocations included", () =>
    Effect.gen(function* () {
      const store = yield* RecommendationSetStore
      const transaction = yield* Transaction
      const set = yield* storedSet()
      yield* store
        .update({ ...set, allocations: set.allocations.slice(1) })
        .pipe(Effect.andThen(Effect.fail("refused")), transaction.run, Effect.flip)
      same(yield* store.find(set.organisation_id, set.id), Option.some(set))
    })
  ),

  ...slugs
]
