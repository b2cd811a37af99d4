import type { PaymentAllocationId } from "../kernel/Ids.ts"
import { birth } from "../kernel/Machine.ts"
import * as Rule from "../kernel/Rule.ts"
import * as Refund from "./Refund.ts"

/** A part of a payment to a set, as its recommender gives it back. */
export type SharedPart = Pick<Refund.Refund, "organisation_id" | "donation_id" | "charge_id" | "amount_cents"> & {
  readonly allocation_id: PaymentAllocationId
}

/**
 * A refund of a part of a payment, of the recommender's: PENDING until its processor has paid it. The recipient's gift has a
 * row of its own. money, section 6: Refunds.
 */
export const refundShared = (part: SharedPart, { at, id }: Refund.Occurrence): Refund.Refund =>
  birth(Refund.machine, Refund.births.requested, (status) => ({
    ...part,
    id,
    is_beside_gift: true,
    reason: null,
    status,
    refunded_at: null,
    processor_reference: null,
    created_at: at,
    updated_at: at
  })).state

/** Whether a part of a payment went back to its donor, or will. */
export const isRefunded = (
  rows: ReadonlyArray<Pick<Refund.Refund, "allocation_id" | "status">>,
  { id }: { readonly id: PaymentAllocationId }
): boolean => rows.some((row) => row.allocation_id === id && Rule.holds(Refund.live, row))
