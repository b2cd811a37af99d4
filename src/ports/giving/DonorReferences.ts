import type { DateTime, Effect } from "effect"
import type { DonorId, OrganisationId } from "../../domain/kernel/Ids.ts"

/** A store of records that name a donor. */
export interface DonorReferences {
  /**
   * MUST give every record of `from` to `to` and date its change `at`, whatever the record's state, archived and deleted
   * ones included. MUST leave all other records as they are.
   */
  reassign(organisation_id: OrganisationId, from: DonorId, to: DonorId, at: DateTime.Utc): Effect.Effect<void>
}
