import type { Effect } from "effect"
import { Context } from "effect"
import type { PendingGift } from "../../domain/compliance/PendingGift.ts"
import type { DonorKind } from "../../domain/compliance/Regime.ts"
import type { DonorId, OrganisationId } from "../../domain/kernel/Ids.ts"

/** Who gives: a donor, and an address by which the donor is known, or will be once the money is there. */
export interface Giver {
  readonly donor_id: DonorId | null
  readonly email: string | null
}

/** Keeps what organisations set about caps: whether checkouts refuse gifts over one, and of which kind donors are. law, section 4. */
export class CapStore extends Context.Service<
  CapStore,
  {
    /** Whether checkouts refuse gifts over a cap. MUST be false where nothing was set. */
    isBlocking(organisation_id: OrganisationId): Effect.Effect<boolean>
    setBlocking(organisation_id: OrganisationId, is_blocking: boolean): Effect.Effect<void>
    /** The kind of a donor. MUST be ANY where nothing was set. */
    kindOf(organisation_id: OrganisationId, donor_id: DonorId): Effect.Effect<DonorKind>
    setKind(organisation_id: OrganisationId, donor_id: DonorId, kind: DonorKind): Effect.Effect<void>
    /**
     * Gifts to the organisation whose money may still come, in no order: the giver's gifts that wait, charges of the giver's
     * recurring gifts that have not ended, and parts of payments to sets that come from the giver's address, that of the donor,
     * or of one who was merged into the donor. MUST leave out those whose codes are assigned to no jurisdiction. MUST see what
     * the transaction wrote itself. All are seen as of one moment, so that none is missed that goes on meanwhile.
     */
    pendingGifts(organisation_id: OrganisationId, giver: Giver): Effect.Effect<ReadonlyArray<PendingGift>>
  }
>()("almoner/ports/CapStore") {}
