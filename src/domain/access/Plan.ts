import { Schema } from "effect"

/** The plans, lowest first. decisions, section 1: Plans. */
export const plans = ["FREE", "GROW", "RAISE", "ENTERPRISE"] as const

/** A plan of an organisation. decisions, section 1: Plans. */
export const Plan = Schema.Literals(plans)
export type Plan = typeof Plan.Type

/** The lowest plan of each entitlement. decisions, section 1: Plans. */
export const entitlements = {
  donor_scoring: "GROW",
  campaigns: "RAISE",
  "introductions.send": "RAISE",
  "recommendation_sets.write": "ENTERPRISE"
} as const satisfies Record<string, Plan>

/** Something that a plan entitles to. */
export type Entitlement = keyof typeof entitlements

/**
 * Whether `plan` contains everything of `lowest`.
 * @example
 * Plan.covers("RAISE", "GROW") // => true
 * Plan.covers("FREE", "GROW") // => false
 */
export const covers = (plan: Plan, lowest: Plan): boolean => plans.indexOf(plan) >= plans.indexOf(lowest)
