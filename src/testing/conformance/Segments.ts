import { Effect } from "effect"
import fc from "fast-check"
import { listing } from "../../domain/giving/Donor.ts"
import { Segment } from "../../domain/insight/Segment.ts"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { parse } from "../../domain/kernel/Listing.ts"
import { compareCodePoints } from "../../domain/kernel/Text.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import { SegmentStore } from "../../ports/insight/SegmentStore.ts"
import { atBounds } from "../Bounds.ts"
import * as Generators from "../Generators.ts"
import { segmentOf } from "./Insight.ts"
import { donorOf } from "./Records.ts"
import { assertRefused, lawsOf, runsOf, same, suite, type Thoroughness } from "./Suite.ts"

const { must, property } = lawsOf(SegmentStore)

const membersOf = Effect.fnUntraced(function* (organisation_id: OrganisationId, slug: string) {
  const query = yield* Effect.fromResult(parse(listing, [["segment", slug]]))
  const { data } = yield* (yield* DonorStore).list(organisation_id, query)
  return data.map(({ id }) => id).toSorted()
})

const replaces =
  "SegmentStore.put MUST put both in the place of the organisation's segment of the same id, if there is one, at once"

const any = atBounds(Segment, Generators.segment)

/** The laws of {@link SegmentStore}. */
export const segments = (given: Thoroughness = {}) =>
  suite([
    property(
      "all segments of an organisation are read back as they were put, in the order of their slugs",
      [
        "SegmentStore.all MUST answer all segments of the named organisation and no others, in the order of their slugs by code points",
        replaces
      ],
      runsOf(given),
      fc.uniqueArray(fc.tuple(any, any), {
        selector: ([{ slug }]) => slug,
        maxLength: 4
      }),
      function* (written, { store, id, other }) {
        const kept = yield* Effect.forEach(
          written,
          Effect.fnUntraced(function* ([first, second]) {
            const { id: segment_id, organisation_id } = yield* segmentOf(id, first.slug)
            const named = { id: segment_id, organisation_id, slug: first.slug }
            yield* store.put({ ...first, ...named }, [])
            const segment = { ...second, ...named }
            yield* store.put(segment, [])
            return segment
          })
        )
        same(
          yield* store.all(id),
          kept.toSorted((a, b) => compareCodePoints(a.slug, b.slug))
        )
        same(yield* store.all(other), [])
      }
    ),

    must("a segment is put in the place of the former one, its members with it", [replaces], function* ({ store, id }) {
      const donors = yield* Effect.forEach([1, 2, 3], () =>
        Effect.flatMap(donorOf(id), (donor) => DonorStore.use((all) => Effect.as(all.insert(donor), donor.id)))
      )
      const [segment, beside] = [yield* segmentOf(id, "major"), yield* segmentOf(id, "lapsed")]
      yield* store.put(segment, donors.slice(0, 2))
      yield* store.put(beside, donors)
      same(yield* membersOf(id, "major"), donors.slice(0, 2).toSorted())
      yield* store.put({ ...segment, slug: "top", member_count: 2 }, donors.slice(1))
      same(yield* membersOf(id, "top"), donors.slice(1).toSorted())
      yield* assertRefused(membersOf(id, "major"), { _tag: "InvalidInput", param: "segment" })
      same(yield* membersOf(id, "lapsed"), donors.toSorted())
      yield* store.put({ ...segment, slug: "top" }, [])
      same(yield* membersOf(id, "top"), [])
    }),

    must(
      "a slug is used once in an organisation, and whoever is refused it changes nothing",
      ["SegmentStore.put MUST fail with AlreadyTaken when another segment has the slug"],
      function* ({ store, id, other }) {
        const [holder, second] = [yield* segmentOf(id, "major"), yield* segmentOf(id, "lapsed")]
        yield* store.put(holder, [])
        yield* store.put(second, [])
        const taken = { _tag: "AlreadyTaken", record: "segment", field: "slug", holder_id: holder.id }
        yield* assertRefused(store.put(yield* segmentOf(id, "major"), []), taken)
        yield* assertRefused(store.put({ ...second, slug: "major" }, []), taken)
        yield* store.put(yield* segmentOf(other, "major"), [])
        same(yield* store.all(id), [second, holder])
      }
    )
  ])
