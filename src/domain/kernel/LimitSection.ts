import { Record } from "effect"
import type { LimitFact, Limits } from "./Limits.ts"

/** The units that end the names of limits. */
const units = {
  PerSecond: "a second",
  Characters: "characters",
  Seconds: "seconds",
  Minutes: "minutes",
  Hours: "hours",
  Days: "days",
  Bytes: "bytes",
  Millis: "milliseconds",
  Cents: "minor units",
  Pixels: "pixels"
} as const

/** A limit whose name says its unit. */
type Measured = `${string}${keyof typeof units}`

/** The meaning of a limit, with its unit where the name does not say that. */
type Said<Name> = (Name extends Measured ? string : never) | readonly [meaning: string, unit: string]

const unitOf = (name: string): string => Object.entries(units).find(([end]) => name.endsWith(end))?.[1] ?? ""

/** The limits that one section of the contract, or one decision, sets: their meanings and units. */
export const limitsOf = <Name extends keyof typeof Limits>(
  source: string,
  facts: { readonly [Each in Name]: Said<Each> }
): { readonly [Each in Name]: LimitFact } =>
  Record.map(facts, (said: string | readonly [string, string], name) => {
    const [meaning, unit] = typeof said === "string" ? [said, unitOf(name)] : said
    return { meaning, unit, source }
  })
