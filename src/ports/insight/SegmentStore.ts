import type { Effect } from "effect"
import { Context } from "effect"
import type { Segment } from "../../domain/insight/Segment.ts"
import type { DonorId, OrganisationId } from "../../domain/kernel/Ids.ts"
import type { AlreadyTaken } from "../../domain/kernel/Rejection.ts"

/** Keeps segments and their members. Lists of donors name segments by their slugs. */
export class SegmentStore extends Context.Service<
  SegmentStore,
  {
    /**
     * Keeps a segment with its members. MUST put both in the place of the organisation's segment of the same id, if there
     * is one, at once. MUST fail with {@link AlreadyTaken} when another segment has the slug.
     */
    put(segment: Segment, members: ReadonlyArray<DonorId>): Effect.Effect<void, AlreadyTaken>
    /** MUST answer all segments of the named organisation and no others, in the order of their slugs by code points. */
    all(organisation_id: OrganisationId): Effect.Effect<ReadonlyArray<Segment>>
  }
>()("almoner/ports/SegmentStore") {}
