import { Result, Schema } from "effect"
import { Limits } from "../kernel/Limits.ts"
import { compareCodePoints } from "../kernel/Text.ts"
import { australianJurisdictions, australianRegimes } from "./AustralianRegimes.ts"
import { Election, electionsFault } from "./Election.ts"
import { cutPeriodOf, overlapOf, Regime } from "./Regime.ts"

/** The regimes that count in an installation: those that are shipped, with what an operator's file says otherwise. */
export interface RegimeBook {
  readonly regimes: ReadonlyArray<Regime>
  /** Keys of those that come from the file. */
  readonly from_file: ReadonlyArray<string>
  /** Elections of the file; operators add others to the installation's records. */
  readonly elections: ReadonlyArray<Election>
}

/** The regimes as they are shipped. */
export const shippedRegimes: RegimeBook = { regimes: australianRegimes, from_file: [], elections: [] }

/** The jurisdictions that elections may be of: those of Australia, and those that have a regime. */
export const jurisdictionsOf = (regimes: ReadonlyArray<Regime>): ReadonlySet<string> =>
  new Set([...australianJurisdictions.map(({ code }) => code), ...regimes.map(({ jurisdiction }) => jurisdiction)])

/** An operator's file of regimes and elections. law, section 2. */
export const RegimeFile = Schema.Struct({
  regimes: Schema.Array(Regime).check(Schema.isMaxLength(Limits.regimesInFile)),
  elections: Schema.optionalKey(Schema.Array(Election).check(Schema.isMaxLength(Limits.elections)))
}).annotate({ identifier: "RegimeFile" })
export type RegimeFile = typeof RegimeFile.Type

const daysOf = ({ effective_from, effective_to }: Regime): string =>
  `${effective_from} to ${effective_to ?? "further notice"}`

const kindsOf = ({ caps }: Regime) => caps.map(({ donor_kind }) => donor_kind)

/** Terms that end before they begin, or share days with the one before. */
const badTerm = ({ terms }: Regime) =>
  terms
    .toSorted((a, b) => compareCodePoints(a.starts_on, b.starts_on))
    .find((term, index, all) => term.ends_on < term.starts_on || term.starts_on <= (all[index - 1]?.ends_on ?? ""))

/** What is wrong with a regime by itself, by which gifts would count nowhere without a word; null where nothing is. */
const regimeFault = (regime: Regime): string | null => {
  const { cap_period_kind, caps, effective_from, effective_to, period_kind, terms } = regime
  if (effective_to !== null && effective_to < effective_from) return "ends before it begins"
  const term = badTerm(regime)
  if (term !== undefined) return `has the term ${term.label}, which ends before it begins or shares days with another`
  if (terms.length === 0 && [period_kind, cap_period_kind].includes("ELECTION_TERM")) {
    return "counts gifts by election terms, and has no terms"
  }
  if (caps.length > 0 && cap_period_kind === null) return "has caps, and no cap_period_kind"
  if (new Set(kindsOf(regime)).size < caps.length) return "has two caps for one donor_kind"
  return caps.length > 0 && !kindsOf(regime).includes("ANY") ? "has no cap for the donor_kind ANY" : null
}

const firstFault = (regimes: ReadonlyArray<Regime>): string | null => {
  for (const regime of regimes) {
    const fault = regimeFault(regime)
    if (fault !== null) return `The regime ${regime.key} ${fault}.`
  }
  return null
}

const overlapping = ([one, other]: readonly [Regime, Regime]): string =>
  `${one.key} (${daysOf(one)}) and ${other.key} (${daysOf(other)}) are in force in ${one.jurisdiction} on the same day. Give the one the key of the other, to take its place, or end one of them.`

const cutting = ({ after, before, period }: NonNullable<ReturnType<typeof cutPeriodOf>>): string =>
  `${before.key} (${daysOf(before)}) and ${after.key} (${daysOf(after)}) cut the period ${period.label} of ${after.jurisdiction}: a donor who crosses the threshold by gifts of both would not be found. Give one of them all days of that period.`

/**
 * The regimes with those of a file: one whose key is shipped takes the place of that one, any other is added. Fails with a
 * sentence where two would have one key, be in force in one jurisdiction on one day, or cut a period between them, and where a
 * regime or an election of the file cannot be. Nothing is merged within a regime.
 */
export const bookWith = (file: RegimeFile): Result.Result<RegimeBook, string> => {
  const fault = firstFault(file.regimes)
  if (fault !== null) return Result.fail(fault)
  return Result.flatMap(keptBook(file), (book) => {
    const cut = cutPeriodOf(book.regimes)
    return cut === null ? Result.succeed(book) : Result.fail(cutting(cut))
  })
}

/** The same of a file that was good for a version before: what is wrong with its regimes is not looked for again. */
export const keptBook = ({ elections = [], regimes }: RegimeFile): Result.Result<RegimeBook, string> => {
  const from_file = regimes.map(({ key }) => key)
  if (regimes.length + elections.length === 0) return Result.fail("It has neither a regime nor an election.")
  const twice = from_file.find((key, index) => from_file.indexOf(key) !== index)
  if (twice !== undefined) return Result.fail(`Two regimes have the key ${twice}.`)
  const all = [...australianRegimes.filter(({ key }) => !from_file.includes(key)), ...regimes]
  const both = overlapOf(all)
  const fault = both === null ? electionsFault(elections, jurisdictionsOf(all)) : overlapping(both)
  return fault === null ? Result.succeed({ regimes: all, from_file, elections }) : Result.fail(fault)
}
