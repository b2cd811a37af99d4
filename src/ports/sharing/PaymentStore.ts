import type { Effect } from "effect"
import { Context } from "effect"
import type { OrganisationId, PaymentId, RecommendationSetId } from "../../domain/kernel/Ids.ts"
import type { Payment, PaymentSummary } from "../../domain/sharing/Payment.ts"
import type { DonorReferences } from "../giving/DonorReferences.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"

/** Keeps payments to recommendation sets, each with the transfers to its recipients. */
export class PaymentStore extends Context.Service<
  PaymentStore,
  RecordStore<Payment, PaymentId> &
    DonorReferences & {
      /** MUST be what `domain/sharing/Payment` sums up of all payments of the set. */
      summaryOf(organisation_id: OrganisationId, id: RecommendationSetId): Effect.Effect<PaymentSummary>
    }
>()("almoner/ports/PaymentStore") {}
