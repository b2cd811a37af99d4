import type { DateTime, Effect } from "effect"
import { Context } from "effect"
import type { DonorId, OrganisationId } from "../../../domain/kernel/Ids.ts"

/**
 * A duplicate that was merged into a donor. The merge holds locks on both, so that nothing new is given to the
 * duplicate.
 */
export interface DonorMerge {
  readonly organisation_id: OrganisationId
  readonly duplicate: DonorId
  readonly survivor: DonorId
  readonly at: DateTime.Utc
}

/** A context's reaction to an event in a context that it may import, but that may not import it. */
export interface Reaction {
  /** Gives everything that belongs to the duplicate to the survivor. */
  readonly donorMerged: (merge: DonorMerge) => Effect.Effect<void>
}

/** The reactions of all contexts. They run in the transaction of the event. `app/Application` puts them together. */
export class Reactions extends Context.Service<Reactions, Reaction>()("almoner/app/Reactions") {}
