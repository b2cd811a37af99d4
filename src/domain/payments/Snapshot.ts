import { Schema } from "effect"
import { RefundId } from "../kernel/Ids.ts"
import { Cents, Currency } from "../kernel/Money.ts"
import { Instant } from "../kernel/Timestamp.ts"

const nullableText = Schema.NullOr(Schema.String)

/** A refund as it stands at the processor. */
export const RefundSnapshot = Schema.Struct({
  /** The processor's own identifier. */
  reference: Schema.String,
  /** The refund of ours that it was made for; null where it was made at the processor. */
  refund_id: Schema.NullOr(RefundId),
  amount_cents: Cents,
  status: Schema.Literals(["pending", "succeeded", "failed"])
})
export type RefundSnapshot = typeof RefundSnapshot.Type

/** A dispute as it stands at the processor. Early warnings are none. */
export const DisputeSnapshot = Schema.Struct({
  reference: Schema.String,
  amount_cents: Cents,
  status: Schema.Literals(["open", "won", "lost"]),
  /** The dispute fee of the processor; null or absent until it says so. */
  fee_cents: Schema.optionalKey(Schema.NullOr(Cents))
})
export type DisputeSnapshot = typeof DisputeSnapshot.Type

/**
 * A charge as it stands at the processor: whatever tells of a charge fetches this, and nothing else is believed. `absent`
 * where the processor knows none of our id, `created` before it was told to take the money. money, section 1.
 */
export const ChargeSnapshot = Schema.Struct({
  status: Schema.Literals(["absent", "created", "waiting", "processing", "succeeded", "failed", "cancelled"]),
  reference: nullableText,
  /** The amount that was taken, or is to be. */
  amount_cents: Cents,
  currency: Currency,
  /** The processor fee; null until it is known. */
  fee_cents: Schema.NullOr(Cents),
  /** The currency in which the processor counts its fee, where it is not the charge's: the fee is not known then. */
  fee_currency: Schema.optionalKey(Currency),
  failure_code: nullableText,
  refunds: Schema.Array(RefundSnapshot),
  disputes: Schema.Array(DisputeSnapshot),
  /** The processor's own identifier of the means of payment that it kept; null or absent where it keeps none. */
  mandate_reference: Schema.optionalKey(nullableText),
  /** When the processor was asked; absent where nobody knows, and what is missing from it says nothing then. */
  asked_at: Schema.optionalKey(Instant)
})
export type ChargeSnapshot = typeof ChargeSnapshot.Type

/**
 * The snapshot of a charge that its processor does not have.
 * @example Snapshot.absent({ amount_cents: 50_00, currency: "AUD" }).reference // => null
 */
export const absent = ({
  amount_cents,
  currency
}: Pick<ChargeSnapshot, "amount_cents" | "currency">): ChargeSnapshot => ({
  status: "absent",
  reference: null,
  amount_cents,
  currency,
  fee_cents: null,
  failure_code: null,
  refunds: [],
  disputes: []
})
