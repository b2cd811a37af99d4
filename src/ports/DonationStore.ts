import type { Effect, Option } from "effect"
import { Context } from "effect"
import type { Donation } from "../domain/Donation.ts"
import type { DonationId, OrganisationId } from "../domain/Ids.ts"
import type { ListQuery, Page } from "../domain/Listing.ts"
import type { InvalidInput } from "../domain/Rejection.ts"

/** Keeps donations. Every operation MUST see the named organisation's donations only. */
export class DonationStore extends Context.Service<
  DonationStore,
  {
    insert(donation: Donation): Effect.Effect<void>
    find(organisation_id: OrganisationId, id: DonationId): Effect.Effect<Option.Option<Donation>>
    /** MUST answer as `domain/Listing` defines, without deleted donations; an unknown cursor is {@link InvalidInput}. */
    list(organisation_id: OrganisationId, query: ListQuery): Effect.Effect<Page<Donation>, InvalidInput>
  }
>()("almoner/ports/DonationStore") {}
