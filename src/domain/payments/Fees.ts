import { Schema } from "effect"
import { Cents, centsOf } from "../kernel/Money.ts"

const wholeBasisPoints = 10_000

/** A share in basis points (hundredths of a percent), and a fixed amount in minor units, once for each payment. */
export const Rate = Schema.Struct({
  basis_points: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: wholeBasisPoints })),
  fixed_cents: Cents
}).annotate({ identifier: "Rate" })
export type Rate = typeof Rate.Type

/** The rate of what costs nothing. */
export const noRate: Rate = { basis_points: 0, fixed_cents: 0 }

/** The rates that a payment costs: the platform's, by the tariff of the organisation's plan, and the processor's. */
export interface Rates {
  readonly platform: Rate
  readonly processor: Rate
}

/** The fees of one payment, minor units. Together they never exceed what was paid. */
export interface Fees {
  readonly platform_fee_cents: number
  readonly processor_fee_cents: number
}

const requireRate = ({ basis_points, fixed_cents }: Rate): void => {
  centsOf("fixed_cents", fixed_cents)
  if (Number.isInteger(basis_points) && basis_points >= 0 && basis_points <= wholeBasisPoints) return
  throw new RangeError(`basis_points must be a whole number from 0 to ${wholeBasisPoints}, not ${basis_points}.`)
}

/** The exact quotient of a product and a divisor; products of two amounts do not fit a double. */
const quotient = (a: number, b: number, divisor: number) => {
  const product = BigInt(a) * BigInt(b)
  return { whole: Number(product / BigInt(divisor)), rest: Number(product % BigInt(divisor)) }
}

/**
 * One fee on an amount, minor units: the share, rounded to the nearest cent with halves up, and the fixed amount; never
 * more than the amount. Throws a `RangeError` for what is no amount or no rate. decisions, section 7: Fees; the rounding
 * is the processors' own.
 * @example
 * Fees.feeOf(1_00, { basis_points: 50, fixed_cents: 0 }) // => 1
 * Fees.feeOf(20, { basis_points: 0, fixed_cents: 30 }) // => 20
 * Fees.feeOf(1_00, { basis_points: -1, fixed_cents: 0 }) // => throws RangeError
 */
export const feeOf = (amount_cents: number, rate: Rate): number => {
  centsOf("amount_cents", amount_cents)
  requireRate(rate)
  const { basis_points, fixed_cents } = rate
  const { rest, whole } = quotient(amount_cents, basis_points, wholeBasisPoints)
  return Math.min(amount_cents, whole + (rest * 2 >= wholeBasisPoints ? 1 : 0) + fixed_cents)
}

/**
 * The fees of a payment. The processor keeps its fee before anything arrives, so the platform's fee is at most the
 * rest. Throws a `RangeError` for what is no amount or no rate. decisions, section 7: Fees.
 * @example
 * const rates = { platform: { basis_points: 5_000, fixed_cents: 0 }, processor: { basis_points: 0, fixed_cents: 70 } }
 * Fees.feesOf(1_00, rates) // => { processor_fee_cents: 70, platform_fee_cents: 30 }
 */
export const feesOf = (total_amount_cents: number, { platform, processor }: Rates): Fees => {
  const processor_fee_cents = feeOf(total_amount_cents, processor)
  const platform_fee_cents = Math.min(total_amount_cents - processor_fee_cents, feeOf(total_amount_cents, platform))
  return { platform_fee_cents, processor_fee_cents }
}

/**
 * Splits an amount in proportion to weights by largest remainder: every part is its exact share rounded down, and the
 * cents that are left go one each to the largest remainders, ties in the order of the weights. The parts add up to the
 * amount. Weights that are all 0 count as equal; without weights there are no parts. Throws a `RangeError` for amounts
 * and weights that are not whole or negative. decisions, section 7: Fees.
 * @example
 * Fees.split(1_00, [1, 1, 1]) // => [34, 33, 33]
 * Fees.split(3, [0, 0]) // => [2, 1]
 * Fees.split(3, [1, -1]) // => throws RangeError
 */
export const split = (amount_cents: number, weights: ReadonlyArray<number>): ReadonlyArray<number> => {
  centsOf("amount_cents", amount_cents)
  for (const [index, weight] of weights.entries()) centsOf(`weights[${index}]`, weight)
  const sum = centsOf(
    "the sum of the weights",
    weights.reduce((total, weight) => total + weight, 0)
  )
  const shares = weights.map((weight) =>
    sum === 0 ? quotient(amount_cents, 1, weights.length) : quotient(amount_cents, weight, sum)
  )
  const left = amount_cents - shares.reduce((total, { whole }) => total + whole, 0)
  // Sorting is stable: equal remainders keep the order of their weights.
  const first = new Set(shares.toSorted((a, b) => b.rest - a.rest).slice(0, left))
  return shares.map((share) => share.whole + (first.has(share) ? 1 : 0))
}

/** The parts of a payment, minor units: fees and net amounts add up to the gross amounts to the cent. */
export interface Breakdown extends Fees {
  readonly total_amount_cents: number
  /** In the order of the gross amounts; none is larger than its gross amount. */
  readonly net_amounts_cents: ReadonlyArray<number>
}

/**
 * Breaks a payment down into fees and net amounts. `gross_amounts_cents` are the donor's amounts for each recipient,
 * minor units. An amount of 0 (an OPEN set's recipient that the donor passed over) stays 0 and gets no transfer. Throws a
 * `RangeError` for what is no amount. decisions, section 5: Transfer; section 7: Fees.
 * @example
 * const rates = { platform: { basis_points: 0, fixed_cents: 0 }, processor: { basis_points: 0, fixed_cents: 31 } }
 * Fees.breakdownOf([10_00, 0, 20_00], rates).net_amounts_cents // => [9_90, 0, 19_79]
 */
export const breakdownOf = (gross_amounts_cents: ReadonlyArray<number>, rates: Rates): Breakdown => {
  const total_amount_cents = gross_amounts_cents.reduce(
    (total, amount, index) => total + centsOf(`gross_amounts_cents[${index}]`, amount),
    0
  )
  const fees = feesOf(total_amount_cents, rates)
  const net_cents = total_amount_cents - fees.platform_fee_cents - fees.processor_fee_cents
  return { ...fees, total_amount_cents, net_amounts_cents: split(net_cents, gross_amounts_cents) }
}
