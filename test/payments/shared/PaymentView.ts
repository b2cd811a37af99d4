import type { DonationId, PaymentAllocationId, PaymentId } from "../../../src/domain/kernel/Ids.ts"
import type { House } from "./Houses.ts"

/** A part of a payment as its organisation sees it. */
export interface PaidShare {
  readonly id: PaymentAllocationId
  readonly recipient_org_account_link_id: string
  readonly gross_amount_cents: number
  readonly net_amount_cents: number
  readonly transfer_status: "pending" | "succeeded" | "failed" | "reversed"
  readonly donation_id: DonationId | null
}

/** A payment to a set as its organisation sees it. */
export interface PaidSet {
  readonly id: PaymentId
  readonly payment_status: string
  readonly distribution_status: string
  readonly allocations: ReadonlyArray<PaidShare>
}

/** The payments to the set of a house, the newest first. */
export const paymentsOf = async ({ giving, set }: House): Promise<ReadonlyArray<PaidSet>> => {
  const page = await giving.tenant.reader.get(`/recommendation-sets/${set.id}/payments?limit=100`)
  return page.at("data") as ReadonlyArray<PaidSet>
}
