import { Result, Schema } from "effect"
import { Limits } from "../kernel/Limits.ts"
import { australianRegimes } from "./AustralianRegimes.ts"
import { overlapOf, Regime } from "./Regime.ts"

/** The regimes that count in an installation: those that are shipped, with what an operator's file says otherwise. */
export interface RegimeBook {
  readonly regimes: ReadonlyArray<Regime>
  /** Keys of those that come from the file. */
  readonly from_file: ReadonlyArray<string>
}

/** The regimes as they are shipped. */
export const shippedRegimes: RegimeBook = { regimes: australianRegimes, from_file: [] }

/** An operator's file of regimes. law, section 2. */
export const RegimeFile = Schema.Struct({
  regimes: Schema.Array(Regime).check(Schema.isMinLength(1), Schema.isMaxLength(Limits.regimesInFile))
}).annotate({ identifier: "RegimeFile" })
export type RegimeFile = typeof RegimeFile.Type

const daysOf = ({ effective_from, effective_to }: Regime): string =>
  `${effective_from} to ${effective_to ?? "further notice"}`

/**
 * The regimes with those of a file: one whose key is shipped takes the place of that one, any other is added. Fails with a
 * sentence where two would have one key, or be in force in one jurisdiction on one day. Nothing is merged within a regime.
 */
export const bookWith = ({ regimes }: RegimeFile): Result.Result<RegimeBook, string> => {
  const from_file = regimes.map(({ key }) => key)
  const twice = from_file.find((key, index) => from_file.indexOf(key) !== index)
  if (twice !== undefined) return Result.fail(`Two regimes have the key ${twice}.`)
  const all = [...australianRegimes.filter(({ key }) => !from_file.includes(key)), ...regimes]
  const both = overlapOf(all)
  if (both === null) return Result.succeed({ regimes: all, from_file })
  const [one, other] = both
  return Result.fail(
    `${one.key} (${daysOf(one)}) and ${other.key} (${daysOf(other)}) are in force in ${one.jurisdiction} on the same day. Give the one the key of the other, to take its place, or end one of them.`
  )
}
