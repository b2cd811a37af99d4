import type { Effect } from "effect"
import { Context } from "effect"
import type { Refund } from "../../domain/giving/Refund.ts"
import type { ChargeId, DonationId, OrganisationId, RefundId } from "../../domain/kernel/Ids.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"

/** Keeps the refund ledgers of donations. A use case locks the donation before it changes the ledger. */
export class RefundStore extends Context.Service<
  RefundStore,
  RecordStore<Refund, RefundId> & {
    /** All rows of a donation's ledger, in no order. MUST see the named organisation's only. */
    ofDonation(organisation_id: OrganisationId, donation_id: DonationId): Effect.Effect<ReadonlyArray<Refund>>
    /** All refunds of a charge's money, those beside its gift too, in no order. MUST see the named organisation's only. */
    ofCharge(organisation_id: OrganisationId, charge_id: ChargeId): Effect.Effect<ReadonlyArray<Refund>>
  }
>()("almoner/ports/RefundStore") {}
