import fc from "fast-check"
import { check, lawBrokenBy } from "../../../src/testing/Laws.ts"
import { type AnyMachine, type AnySubject, type Mutant, Samples } from "./AnyMachine.ts"
import { commandMutants } from "./CommandOperators.ts"
import { decisionMutants } from "./DecisionOperators.ts"
import { Differences } from "./Differences.ts"
import { birthMutants, eventMutants } from "./EventOperators.ts"
import { patchChanges } from "./PatchOperators.ts"
import { rowChanges } from "./RowOperators.ts"

/** How many records and commands are drawn for all mutants of a machine, and of how many operators learn what there is. */
const drawn = 1_500
const [statesSeen, commandsSeen] = [400, 600]

/** The same mutants and the same cases each time. */
const seed = 7

/** The mistakes in rows. */
const rowMutants = (samples: Samples): ReadonlyArray<Mutant> =>
  samples.rows.flatMap(([tag, row]) =>
    [...rowChanges(samples, tag, row), ...patchChanges(samples, tag, row)].map(([operator, place, changed]) => ({
      operator,
      place: `${tag} ${place}`.trimEnd(),
      machine: { ...samples.machine, table: { ...samples.machine.table, [tag]: changed } },
      shownBy: "decision",
      tag
    }))
  )

/** The mistakes in how a status is entered. */
const enterMutants = ({ fields, machine, states, statusFields }: Samples): ReadonlyArray<Mutant> => {
  const entered = (operator: string, place: string, enter: AnyMachine["enter"]): Mutant => ({
    operator,
    place,
    machine: { ...machine, enter },
    shownBy: "decision"
  })
  const nullable = fields.filter(
    (field) => !statusFields.includes(field) && states.some((state) => state[field] === null)
  )
  return [
    entered("a status is not written", "", () => ({})),
    ...nullable.map((field) =>
      entered("a status takes a field away", field, (...given) => ({ ...machine.enter(...given), [field]: null }))
    )
  ]
}

/** All mutants of a machine. */
export const mutantsOf = (samples: Samples): ReadonlyArray<Mutant> => [
  ...rowMutants(samples),
  ...eventMutants(samples),
  ...birthMutants(samples),
  ...enterMutants(samples),
  ...commandMutants(samples),
  ...decisionMutants(samples)
]

/** How the laws did about one machine's mutants. */
export interface Score {
  readonly machine: string
  /** All that the operators make of it. */
  readonly made: number
  /** Those of which some decision differs from the machine's, and about which the laws were asked. */
  readonly mutants: number
  readonly killed: number
  /** Those for which no decision was found that differs. */
  readonly unseen: number
  /** What lives: the mistake and where it is. */
  readonly alive: ReadonlyArray<string>
}

/** Where a mutant stands in an order that mixes all operators and places, the same each time. */
const orderOf = ({ operator, place }: Mutant): number =>
  Array.from(`${operator} ${place}`).reduce(
    (hash, character) => Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619),
    -2_128_831_035
  )

/**
 * Asks the laws of the kit, with the subject that it has for a machine, about all mutants of the machine or about so many of
 * them. The machine itself must break no law.
 */
export const scoreOf = (machine: AnyMachine, subject: AnySubject, most = Number.POSITIVE_INFINITY): Score => {
  // Frozen, as the laws do: a mutant that writes into its record would change what the next ones are compared by.
  const states = fc.sample(subject.states, { seed, numRuns: drawn }).map((state) => Object.freeze(state))
  const commands = fc.sample(subject.commands, { seed, numRuns: drawn })
  const asked = {
    ...subject,
    seed,
    states: fc.noShrink(fc.constantFrom(...states)),
    commands: fc.noShrink(fc.constantFrom(...commands))
  }
  check(machine, asked)
  const seen = new Samples(machine, states.slice(0, statesSeen), commands.slice(0, commandsSeen))
  const mutants = mutantsOf(seen)
  const some = [...mutants].sort((one, other) => orderOf(one) - orderOf(other)).slice(0, most)
  const differences = new Differences(new Samples(machine, states, commands))
  const shown = some.filter((mutant) => differences.shows(mutant))
  const alive = shown.filter(
    ({ decide = subject.decide, machine: changed, tag }) =>
      lawBrokenBy(changed, decide === undefined ? asked : { ...asked, decide }, tag) === null
  )
  return {
    machine: machine.name,
    made: mutants.length,
    mutants: shown.length,
    killed: shown.length - alive.length,
    unseen: some.length - shown.length,
    alive: alive.map(({ operator, place }) => `${operator}: ${place}`)
  }
}
