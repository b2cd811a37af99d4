import type { Effect } from "effect"
import { Context } from "effect"
import type { ChargeId, OrganisationId, PaymentExceptionId } from "../../domain/kernel/Ids.ts"
import type { PaymentException } from "../../domain/payments/PaymentException.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"

/** Keeps what people must look at. */
export class PaymentExceptionStore extends Context.Service<
  PaymentExceptionStore,
  RecordStore<PaymentException, PaymentExceptionId> & {
    /** All exceptions of a charge, resolved ones too, in no order. */
    ofCharge(organisation_id: OrganisationId, charge_id: ChargeId): Effect.Effect<ReadonlyArray<PaymentException>>
    /** All exceptions about a refund, a dispute, an account or whatever else, resolved ones too, in no order. */
    ofSubject(organisation_id: OrganisationId, subject_id: string): Effect.Effect<ReadonlyArray<PaymentException>>
  }
>()("almoner/ports/PaymentExceptionStore") {}
