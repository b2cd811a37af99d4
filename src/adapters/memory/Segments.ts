import { Effect } from "effect"
import type { DonorId, OrganisationId } from "../../domain/Ids.ts"
import { Memory } from "./Memory.ts"
import { put } from "./State.ts"

/** Keeps who belongs to a segment, in the place of who did before: lists of donors ask for it by its slug. */
export const putSegment = Effect.fnUntraced(function* (
  organisation_id: OrganisationId,
  slug: string,
  members: ReadonlyArray<DonorId>
) {
  const memory = yield* Memory
  yield* memory.change((state) => ({
    ...state,
    segments: put(state.segments, organisation_id, slug, new Set(members))
  }))
})
