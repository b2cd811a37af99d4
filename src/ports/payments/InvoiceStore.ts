import type { Effect } from "effect"
import { Context } from "effect"
import type { InvoiceId, OrganisationId, SubscriptionId } from "../../domain/kernel/Ids.ts"
import type { AlreadyTaken } from "../../domain/kernel/Rejection.ts"
import type { Invoice } from "../../domain/payments/Invoice.ts"
import type { RecordStore } from "../kernel/RecordStore.ts"

/**
 * Keeps the invoices of recurring gifts. A due day of a subscription MUST be taken once. A use case locks the subscription
 * before it changes one.
 */
export class InvoiceStore extends Context.Service<
  InvoiceStore,
  RecordStore<Invoice, InvoiceId, AlreadyTaken> & {
    /** The invoices of a subscription that may be paid still, the one that was due first first. */
    openOf(organisation_id: OrganisationId, subscription_id: SubscriptionId): Effect.Effect<ReadonlyArray<Invoice>>
  }
>()("almoner/ports/InvoiceStore") {}
