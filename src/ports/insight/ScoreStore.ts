import type { Effect } from "effect"
import { Context } from "effect"
import type { Computation, DonorScore, ScoreSummary } from "../../domain/insight/Intelligence.ts"
import type { DonorId, OrganisationId } from "../../domain/kernel/Ids.ts"

/** Keeps the last computation of an organisation's scores: one for each donor and currency. */
export class ScoreStore extends Context.Service<
  ScoreStore,
  {
    /** MUST put these in the place of all scores that the organisation had, and of its former computation, at once. */
    replace(
      organisation_id: OrganisationId,
      computation: Computation,
      scores: ReadonlyArray<DonorScore>
    ): Effect.Effect<void>
    /** A donor's scores, in no order. MUST see the named organisation's only. */
    ofDonor(organisation_id: OrganisationId, donor_id: DonorId): Effect.Effect<ReadonlyArray<DonorScore>>
    /** MUST be what `domain/insight/Intelligence` makes of the organisation's donors and scores, all as of one moment. */
    standing(organisation_id: OrganisationId, limit: number): Effect.Effect<ScoreSummary>
  }
>()("almoner/ports/ScoreStore") {}
