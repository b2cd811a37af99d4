import { Schema } from "effect"
import { centsOf } from "../kernel/Money.ts"

/** How near a donor's total is to a cap. decisions, section 11: Cap levels. */
export const CapLevel = Schema.Literals(["NONE", "AMBER", "RED", "CRITICAL", "OVER"]).annotate({
  identifier: "CapLevel"
})
export type CapLevel = typeof CapLevel.Type

/** Percent of the cap from which each level holds, the highest first. decisions, section 11: Cap levels. */
export const capLevelPercents = [
  ["CRITICAL", 98],
  ["RED", 90],
  ["AMBER", 60]
] as const

/**
 * The level of a total under a cap, both in minor units: amber from 60 %, red from 90 %, critical from 98 %, over when the
 * cap is exceeded; a total that equals the cap is critical. Throws a `RangeError` for what is no amount.
 * @example
 * CapLevel.capLevelOf(59_99, 100_00) // => "NONE"
 * CapLevel.capLevelOf(60_00, 100_00) // => "AMBER"
 * CapLevel.capLevelOf(100_00, 100_00) // => "CRITICAL"
 */
export const capLevelOf = (total_cents: number, cap_cents: number): CapLevel => {
  centsOf("total_cents", total_cents)
  centsOf("cap_cents", cap_cents)
  if (total_cents > cap_cents) return "OVER"
  const hundredfold = BigInt(total_cents) * 100n
  const reached = capLevelPercents.find(([, percent]) => hundredfold >= BigInt(cap_cents) * BigInt(percent))
  return reached?.[0] ?? "NONE"
}

/**
 * The amount that a donor may still give under a cap, minor units; 0 once the cap is reached. Throws a `RangeError` for
 * what is no amount.
 * @example CapLevel.remainingCapCents(120_00, 100_00) // => 0
 */
export const remainingCapCents = (total_cents: number, cap_cents: number): number =>
  Math.max(0, centsOf("cap_cents", cap_cents) - centsOf("total_cents", total_cents))
