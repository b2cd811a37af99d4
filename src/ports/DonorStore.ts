import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { Donor } from "../domain/Donor.ts"
import type { DonorId, OrganisationId } from "../domain/Ids.ts"
import type { ListQuery, Page } from "../domain/Listing.ts"
import type { InvalidInput } from "../domain/Rejection.ts"

/** Keeps donors. Every operation MUST see the named organisation's donors only. */
export class DonorStore extends Context.Service<
  DonorStore,
  {
    insert(donor: Donor): Effect.Effect<void>
    find(organisation_id: OrganisationId, id: DonorId): Effect.Effect<Option.Option<Donor>>
    /** MUST hold the row against every change until the surrounding transaction ends. */
    findForUpdate(organisation_id: OrganisationId, id: DonorId): Effect.Effect<Option.Option<Donor>>
    /** MUST hold the row against archiving and merging, and not against others that share it, until the transaction ends. */
    findForShare(organisation_id: OrganisationId, id: DonorId): Effect.Effect<Option.Option<Donor>>
    update(donor: Donor): Effect.Effect<void>
    /** MUST answer as `domain/Listing` defines; an unknown `starting_after` or `segment` is {@link InvalidInput}. */
    list(organisation_id: OrganisationId, query: ListQuery): Effect.Effect<Page<Donor>, InvalidInput>
  }
>()("almoner/ports/DonorStore") {}
