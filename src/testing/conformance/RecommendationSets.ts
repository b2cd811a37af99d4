import { Effect, Option } from "effect"
import fc from "fast-check"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { listing, RecommendationSet, recordOf } from "../../domain/sharing/RecommendationSet.ts"
import { RecommendationSetStore } from "../../ports/sharing/RecommendationSetStore.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { newLink, setOf } from "./MoneyRecords.ts"
import { recordStore } from "./RecordStores.ts"
import { at, freshId, newOrganisation } from "./Records.ts"
import { none, same, type Thoroughness } from "./Suite.ts"

/** Links of the organisation in place of those that the allocations name, and allocations of their own. */
const linked = Effect.fnUntraced(function* (organisation_id: OrganisationId, { allocations }: RecommendationSet) {
  const recipient = yield* newOrganisation()
  return yield* Effect.forEach(
    allocations,
    Effect.fnUntraced(function* (each) {
      const { id: recipient_org_account_link_id } = yield* newLink(organisation_id, recipient)
      return { ...each, id: yield* freshId("allocation"), recipient_org_account_link_id }
    })
  )
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

const bothAtOnce =
  "RecommendationSetStore.findLinked MUST hold a recipient for every link that the set's allocations name, as both were at one moment"

/** The laws of {@link RecommendationSetStore}. */
export const recommendationSets = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "recommendation sets",
    port: RecommendationSetStore,
    arbitrary: Generators.recommendationSet,
    schema: RecommendationSet,
    fresh: freshId("recommendationSet"),
    parents: Effect.fnUntraced(function* (organisation_id, set) {
      const [slug, url_key] = [yield* freshId("request"), yield* freshId("request")]
      return { slug, url_key, allocations: yield* linked(organisation_id, set) }
    }),
    answers: Effect.fnUntraced(function* (record, other) {
      const { id, organisation_id, slug } = record
      const store = yield* RecommendationSetStore
      none(yield* store.findLinked(other, id))
      same(
        Option.map(yield* store.findLinked(organisation_id, id), ({ set }) => set),
        Option.some(record)
      )
      same(yield* store.takenSlugs(organisation_id, [slug, `${slug}x`]), [slug])
      same(yield* store.takenSlugs(other, [slug]), [])
    }),
    unique: [{ field: "slug", must: oneSlugOnce, value: { slug: "winter" } }],
    list: { spec: listing, few: fc.record({ expires_at: fc.option(fc.nat(3).map(at)) }), shown: recordOf }
  })(({ law, must }) => [
    law("allocations are read in their order, and in another one after an update", function* ({ store }) {
      const set = yield* storedSet()
      const reversed = { ...set, allocations: set.allocations.toReversed() }
      yield* store.update(reversed)
      for (const find of [store.find, store.findForUpdate]) {
        same(yield* find(set.organisation_id, set.id), Option.some(reversed))
      }
    }),
    must("a set is found with what its links are called, whoever changes it", [bothAtOnce], function* ({ store }) {
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
  ])
