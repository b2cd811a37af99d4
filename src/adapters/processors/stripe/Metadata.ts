import { type Option, Schema } from "effect"
import type { Integration } from "../../../domain/access/Integration.ts"
import type { Refund } from "../../../domain/giving/Refund.ts"
import { ChargeId, RefundId } from "../../../domain/kernel/Ids.ts"
import type { Mandate } from "../../../domain/payments/Mandate.ts"
import type { ChargeContext } from "../../../ports/payments/PaymentProcessors.ts"
import type { ReversalContext, TransferContext } from "../../../ports/payments/ProcessorTransfers.ts"

type Metadata = Readonly<Record<string, string>> | null | undefined

const readCharge = Schema.decodeUnknownOption(ChargeId)
const readRefund = Schema.decodeUnknownOption(RefundId)

/** The metadata of an account that was opened for an integration. */
export const ofIntegration = ({ id, organisation_id }: Pick<Integration, "id" | "organisation_id">) => ({
  almoner_integration_id: id,
  almoner_organisation_id: organisation_id
})

/** The metadata of an intent. Stripe copies it to the intent's charge. */
export const ofCharge = ({ charge, integration }: ChargeContext) => ({
  almoner_charge_id: charge.id,
  almoner_integration_id: integration.id,
  almoner_organisation_id: charge.organisation_id
})

export const ofRefund = (charging: ChargeContext, { id }: Refund) => ({ ...ofCharge(charging), almoner_refund_id: id })

/** Transfers say nothing of the intent whose money they are. */
const ofSharedCharge = (charging: ChargeContext) => ({
  ...ofCharge(charging),
  almoner_payment_intent: charging.charge.reference
})

export const ofTransfer = ({ id, ...charging }: TransferContext) => ({
  ...ofSharedCharge(charging),
  almoner_transfer_id: id
})

export const ofReversal = ({ id, ...charging }: ReversalContext) => ({
  ...ofSharedCharge(charging),
  almoner_reversal_id: id
})

/** The metadata of a customer, who is kept for one mandate. */
export const ofMandate = ({ id, integration_id, organisation_id }: Mandate) => ({
  almoner_mandate_id: id,
  almoner_integration_id: integration_id,
  almoner_organisation_id: organisation_id
})

/** Our charge; none in objects that are not ours. */
export const chargeOf = (found: Metadata): Option.Option<ChargeId> => readCharge(found?.almoner_charge_id)

/** Our refund; none in those that were made at Stripe. */
export const refundOf = (found: Metadata): Option.Option<RefundId> => readRefund(found?.almoner_refund_id)

/** The intent whose money a transfer is; null in objects that do not say. */
export const intentOf = (found: Metadata): string | null => found?.almoner_payment_intent ?? null

/** The account of ours; none in objects that do not say. */
export const integrationOf = (found: Metadata): string | undefined => found?.almoner_integration_id
