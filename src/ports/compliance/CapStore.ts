import type { Effect } from "effect"
import { Context } from "effect"
import type { DonorKind } from "../../domain/compliance/Regime.ts"
import type { DonorId, OrganisationId } from "../../domain/kernel/Ids.ts"

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
  }
>()("almoner/ports/CapStore") {}
