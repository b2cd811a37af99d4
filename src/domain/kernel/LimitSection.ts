import { Record } from "effect"
import type { LimitFact, Limits } from "./Limits.ts"

/** The limits that one section of the contract, or one decision, sets: their meanings and units. */
export const limitsOf = <Name extends keyof typeof Limits>(
  source: string,
  facts: { readonly [Each in Name]: readonly [meaning: string, unit: string] }
): { readonly [Each in Name]: LimitFact } => Record.map(facts, ([meaning, unit]) => ({ meaning, unit, source }))
