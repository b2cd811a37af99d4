import type { Effect } from "effect"
import { Context } from "effect"
import type { ChargeId, DisputeId, OrganisationId } from "../../domain/kernel/Ids.ts"
import type { Dispute } from "../../domain/payments/Dispute.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"

/** Keeps disputes. A use case locks the charge before it changes one. */
export class DisputeStore extends Context.Service<
  DisputeStore,
  RecordStore<Dispute, DisputeId> & {
    /** All disputes of a charge, in no order. */
    ofCharge(organisation_id: OrganisationId, charge_id: ChargeId): Effect.Effect<ReadonlyArray<Dispute>>
  }
>()("almoner/ports/DisputeStore") {}
