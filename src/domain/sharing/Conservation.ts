import { Result, Schema } from "effect"
import { PaymentAllocationId } from "../kernel/Ids.ts"
import { Cents, centsOf, isCents } from "../kernel/Money.ts"
import { InvalidInput } from "../kernel/Rejection.ts"
import { Instant } from "../kernel/Timestamp.ts"
import type { Payment } from "./Payment.ts"
import type { Transfer } from "./Transfer.ts"

const whole = { at: Instant, amount_cents: Cents }
const part = { ...whole, allocation_id: PaymentAllocationId }

/**
 * One dated movement of a payment's money, minor units. `Paid` came in, `FeeKept` stayed with platform or processor,
 * `Allocated` is held for a recipient, `Transferred` reached it, `Recovered` came back from it, `Refunded` went to the
 * donor and `RefundFailed` did not after all, `FeeGivenBack` was given up for a refund of that part.
 * decisions, section 7: Conservation.
 */
export const Movement = Schema.TaggedUnion({
  Paid: whole,
  FeeKept: whole,
  Allocated: part,
  Transferred: part,
  Recovered: part,
  FeeGivenBack: part,
  Refunded: part,
  RefundFailed: part
})
export type Movement = typeof Movement.Type

/** The movements of one payment, oldest first. */
export type Ledger = ReadonlyArray<Movement>

/** Where the money of a payment is, minor units. */
export interface Balance {
  readonly paid_cents: number
  /** Transferred less recovered. */
  readonly held_by_recipients_cents: number
  readonly fees_kept_cents: number
  readonly refunded_cents: number
  /** Held for recipients and neither transferred nor refunded. */
  readonly held_undistributed_cents: number
}

type Term = keyof Balance

/** The term that each movement adds to, and the one that it takes from, if any. */
const effects: { readonly [Tag in Movement["_tag"]]: { readonly adds: Term; readonly takes?: Term } } = {
  Paid: { adds: "paid_cents" },
  FeeKept: { adds: "fees_kept_cents" },
  Allocated: { adds: "held_undistributed_cents" },
  Transferred: { adds: "held_by_recipients_cents", takes: "held_undistributed_cents" },
  Recovered: { adds: "held_undistributed_cents", takes: "held_by_recipients_cents" },
  FeeGivenBack: { adds: "held_undistributed_cents", takes: "fees_kept_cents" },
  Refunded: { adds: "refunded_cents", takes: "held_undistributed_cents" },
  RefundFailed: { adds: "held_undistributed_cents", takes: "refunded_cents" }
}

/**
 * Sums up the movements into the terms of a balance. Throws a `RangeError` for a movement of what is no amount. decisions,
 * section 7: Conservation.
 */
export const balanceOf = (ledger: Iterable<Movement>): Balance => {
  const sums = {
    paid_cents: 0,
    held_by_recipients_cents: 0,
    fees_kept_cents: 0,
    refunded_cents: 0,
    held_undistributed_cents: 0
  }
  for (const { _tag, amount_cents } of ledger) {
    const { adds, takes } = effects[_tag]
    sums[adds] += centsOf(`amount_cents of ${_tag}`, amount_cents)
    if (takes !== undefined) sums[takes] -= amount_cents
  }
  return sums
}

/**
 * Whether all money is accounted for, to the cent: paid = held by recipients + fees kept + refunded + held undistributed,
 * and none of them is negative. A movement of what is no amount accounts for nothing. decisions, section 7: Conservation.
 */
export const conserved = (ledger: Iterable<Movement>): boolean => {
  const movements = [...ledger]
  if (!movements.every(({ amount_cents }) => isCents(amount_cents))) return false
  const balance = balanceOf(movements)
  return (
    Object.values(balance).every((cents) => cents >= 0) &&
    balance.paid_cents ===
      balance.held_by_recipients_cents +
        balance.fees_kept_cents +
        balance.refunded_cents +
        balance.held_undistributed_cents
  )
}

/** A movement would take more than there is in an allocation's money, or in the fees. */
export class Overdrawn extends Schema.TaggedError<Overdrawn>()("Overdrawn", {
  movement: Schema.String,
  amount_cents: Cents,
  available_cents: Schema.Int
}) {
  override get message(): string {
    return `${this.amount_cents} is more than the ${this.available_cents} that there is to take. Nothing was posted.`
  }
}

const available = (ledger: Ledger, movement: Movement): number | null => {
  const { takes } = effects[movement._tag]
  if (takes === undefined || !("allocation_id" in movement)) return null
  // Fees are kept for the payment as a whole, everything else for one allocation.
  if (takes === "fees_kept_cents") return balanceOf(ledger).fees_kept_cents
  const { allocation_id } = movement
  return balanceOf(ledger.filter((each) => "allocation_id" in each && each.allocation_id === allocation_id))[takes]
}

/**
 * Adds a movement to a ledger. Fails with {@link Overdrawn} where the movement takes more than the term has for its
 * allocation (for fees: for the payment), so that no recipient's money pays for another's, and with
 * {@link InvalidInput} of `amount_cents` for what is no amount.
 */
export const post = (ledger: Ledger, movement: Movement): Result.Result<Ledger, Overdrawn | InvalidInput> => {
  if (!isCents(movement.amount_cents)) {
    const message = "amount_cents must be a whole number of minor units, 0 or more."
    return Result.fail(new InvalidInput({ param: "amount_cents", message }))
  }
  const available_cents = available(ledger, movement)
  return available_cents !== null && movement.amount_cents > available_cents
    ? Result.fail(new Overdrawn({ movement: movement._tag, amount_cents: movement.amount_cents, available_cents }))
    : Result.succeed([...ledger, movement])
}

/** The ledger of a payment at the moment its money arrived; empty until then. */
export const opening = (payment: Payment): Ledger => {
  if (payment.succeeded_at === null) return []
  const at = payment.succeeded_at
  return [
    { _tag: "Paid", at, amount_cents: payment.total_amount_cents },
    { _tag: "FeeKept", at, amount_cents: payment.platform_fee_cents },
    { _tag: "FeeKept", at, amount_cents: payment.processor_fee_cents },
    ...payment.allocations.map(
      ({ id, net_amount_cents }): Movement => ({
        _tag: "Allocated",
        at,
        allocation_id: id,
        amount_cents: net_amount_cents
      })
    )
  ]
}

/** The movements of a transfer so far: its net amount to the recipient, and back where it was reversed. */
export const movementsOf = ({ id, net_amount_cents, reversed_at, succeeded_at }: Transfer): Ledger => {
  const moved = { allocation_id: id, amount_cents: net_amount_cents }
  return [
    ...(succeeded_at === null ? [] : [{ _tag: "Transferred", at: succeeded_at, ...moved } as const]),
    ...(reversed_at === null ? [] : [{ _tag: "Recovered", at: reversed_at, ...moved } as const])
  ]
}
