import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { Donor } from "../domain/Donor.ts"
import type { DonorId, OrganisationId } from "../domain/Ids.ts"
import type { RecordStore } from "./RecordStore.ts"

/** Keeps donors. A list MUST refuse an unknown `segment` with {@link InvalidInput}. */
export class DonorStore extends Context.Service<
  DonorStore,
  RecordStore<Donor, DonorId> & {
    /** MUST hold the row against archiving and merging, and not against others that share it, until the transaction ends. */
    findForShare(organisation_id: OrganisationId, id: DonorId): Effect.Effect<Option.Option<Donor>>
  }
>()("almoner/ports/DonorStore") {}
