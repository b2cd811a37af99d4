import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { Donor } from "../../domain/giving/Donor.ts"
import type { DonorId, OrganisationId } from "../../domain/kernel/Ids.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"

/** Keeps donors. A list MUST refuse an unknown `segment` with {@link InvalidInput}. */
export class DonorStore extends Context.Service<
  DonorStore,
  RecordStore<Donor, DonorId> & {
    /** MUST hold the row against archiving and merging, and not against others that share it, until the transaction ends. */
    findForShare(organisation_id: OrganisationId, id: DonorId): Effect.Effect<Option.Option<Donor>>
    /**
     * Waits until no other transaction holds this e-mail address, whatever its case, and MUST hold it until the surrounding
     * transaction ends: of two that look for its donor and make one where there is none, the second finds the first one's. It
     * MUST NOT make who holds another one wait.
     */
    holdEmail(organisation_id: OrganisationId, email: string): Effect.Effect<void>
    /**
     * Remakes the words that donors are found by, where an earlier version of the program made the stored ones, and returns
     * the number of these donors. MUST do so for at most `limit` donors, of all organisations, and answer 0 when none is
     * left. MUST change nothing else of them. MUST keep the words of a donor that is changed meanwhile to its change, and may
     * be done by several processes at once. docs/decisions/0034.
     */
    reindex(limit: number): Effect.Effect<number>
  }
>()("almoner/ports/DonorStore") {}
