import type { DateTime, Effect } from "effect"
import { Context } from "effect"
import type { DonorId, OrganisationId } from "../../../domain/kernel/Ids.ts"

/** A duplicate that was merged into a donor. Whoever merges holds both, so that nothing new comes to the duplicate. */
export interface DonorMerge {
  readonly organisation_id: OrganisationId
  readonly duplicate: DonorId
  readonly survivor: DonorId
  readonly at: DateTime.Utc
}

/** What a context does of its own when something happened in one that it may import, and that may not import it. */
export interface Reaction {
  /** Gives all that is the duplicate's to the survivor. */
  readonly donorMerged: (merge: DonorMerge) => Effect.Effect<void>
}

/** The reactions of all contexts, in the transaction of what happened. `app/Application` puts them together. */
export class Reactions extends Context.Service<Reactions, Reaction>()("almoner/app/Reactions") {}
