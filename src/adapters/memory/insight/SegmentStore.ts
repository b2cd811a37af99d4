import { Effect, Layer, Result } from "effect"
import { AlreadyTaken } from "../../../domain/kernel/Rejection.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { SegmentStore } from "../../../ports/insight/SegmentStore.ts"
import { Memory } from "../Memory.ts"
import { put, records } from "../State.ts"

/** Segments in memory. */
export const layer = Layer.effect(
  SegmentStore,
  Effect.map(Memory, (memory) =>
    SegmentStore.of({
      put: (segment, members) =>
        memory.decide((state) => {
          const { id, organisation_id, slug } = segment
          for (const { segment: other } of records(state.segments, organisation_id)) {
            if (other.slug !== slug || other.id === id) continue
            return Result.fail(new AlreadyTaken({ record: "segment", field: "slug", holder_id: other.id }))
          }
          const kept = { segment, members: new Set(members) }
          return Result.succeed([undefined, { ...state, segments: put(state.segments, organisation_id, id, kept) }])
        }),
      all: (organisation_id) =>
        memory.read((state) =>
          Array.from(records(state.segments, organisation_id), ({ segment }) => segment).toSorted((a, b) =>
            compareCodePoints(a.slug, b.slug)
          )
        )
    })
  )
)
