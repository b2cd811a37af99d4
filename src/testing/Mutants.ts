import { Result } from "effect"
import fc from "fast-check"
import { decide, destination, type EventOf, emissionsOf, type Machine, type Row } from "../domain/kernel/Machine.ts"
import { checkGiven } from "./Doors.ts"
import { check, LawBroken, lawBrokenBy, laws, type Subject } from "./Laws.ts"
import {
  birthMistakes,
  dataMistakes,
  type Operator,
  operators,
  rowMistakes,
  type SeenRow,
  typesIn
} from "./Mistakes.ts"
import { runsOf } from "./Runs.ts"
import { drawnOf } from "./SamplePool.ts"

export type { Operator } from "./Mistakes.ts"
export { operators } from "./Mistakes.ts"

/** A machine with one mistake. */
export interface Mutant<State, Status extends string, Command extends { readonly _tag: string }, Event extends string> {
  /** The command whose row has the mistake, the type of event whose data has it, or `births`. */
  readonly row: string
  readonly operator: Operator
  /** The mistake: `to FAILED`, `from without PENDING`, `guard 1 ms late`, `tells amount_cents + 1`. */
  readonly change: string
  readonly machine: Machine<State, Status, Command, Event>
}

/** How many mutants there are of one kind, and how many of them a law noticed. */
export interface OperatorReport {
  readonly operator: Operator
  readonly mutants: number
  readonly killed: number
}

/** The mutants of one row, and those that no law noticed. */
export interface RowReport {
  readonly row: string
  readonly mutants: number
  readonly killed: number
  /** The changes that live. */
  readonly alive: ReadonlyArray<string>
}

/** How many mutants of a machine the laws of a subject notice, by row. */
export interface Report {
  readonly machine: string
  readonly mutants: number
  readonly killed: number
  readonly percent: number
  readonly rows: ReadonlyArray<RowReport>
  /** The same by kinds of mistakes, without those of which there is none. */
  readonly operators: ReadonlyArray<OperatorReport>
}

/** How many records of each status, and commands of each tag, are drawn once for all mutants. */
const drawn = 60

/** How many values are drawn at once, and how often, in search of some of every status and tag. */
const batchSize = 200
const batches = 20

/** Of how many records one is asked about each command, in search of the data of events. */
const statesOfEach = 7

/** The commands that each record goes through, so that there are records with a past. */
const past = 4

/** The seed that is used when none is given: a report is the same each time. */
const usualSeed = 1

const entriesOf = (record: object): ReadonlyArray<readonly [string, unknown]> => Object.entries(record)

const rowsOf = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>
): ReadonlyArray<readonly [string, Row<State, Status, Command, Event>]> =>
  Object.entries<Row<State, Status, Command, Event>>(machine.table)

/** Records of every status and commands of every tag, few enough to ask every mutant about all of them. */
interface Pool<State, Command> {
  readonly states: ReadonlyArray<State>
  readonly commands: ReadonlyArray<Command>
}

/** Values of every group, a few of each. */
const drawEach = <A>(
  machine: string,
  values: fc.Arbitrary<A>,
  groups: ReadonlyArray<string>,
  groupOf: (value: A) => string,
  seed: number
): ReadonlyArray<A> => {
  const found = new Map(groups.map((group): [string, Array<A>] => [group, []]))
  for (let batch = 0; batch < batches; batch++) {
    for (const value of fc.sample(values, { numRuns: batchSize, seed: seed + batch })) {
      const own = found.get(groupOf(value))
      if (own !== undefined && own.length < drawn) own.push(value)
    }
    if ([...found.values()].every((each) => each.length === drawn)) break
  }
  const missing = groups.find((group) => found.get(group)?.length === 0)
  if (missing !== undefined) {
    throw new LawBroken(
      "coverage",
      `${machine} breaks a law: ${laws.coverage}.\n\nThe arbitrary never makes ${missing}.`
    )
  }
  return [...found.values()].flat()
}

const poolOf = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  { commands, states }: Pick<Subject<State, Command>, "commands" | "states">,
  seed: number
): Pool<State, Command> => {
  const { name, statuses, table } = machine
  const given = drawEach(name, drawnOf("states", states), statuses, (state) => machine.statusOf(state), seed)
  const asked = drawEach(name, drawnOf("commands", commands), Object.keys(table), ({ _tag }) => _tag, seed)
  const scripts = fc.sample(fc.array(fc.constantFrom(...asked), { maxLength: past }), { numRuns: given.length, seed })
  const lived = given.map((start, index) =>
    (scripts[index] ?? []).reduce((state, command) => {
      const decision = decide(machine, state, command)
      return Result.isSuccess(decision) ? decision.success.state : state
    }, start)
  )
  return { states: [...given, ...lived], commands: asked }
}

const seenOf = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  { commands, states }: Pool<State, Command>,
  [tag, row]: readonly [string, Row<State, Status, Command, Event>]
): SeenRow<State, Command> => {
  const own = commands.filter(({ _tag }) => _tag === tag)
  const pairs = states
    .filter((state) => row.from.includes(machine.statusOf(state)))
    .flatMap((state, index) =>
      [own[index % own.length], own[(index * 7 + 1) % own.length]].flatMap((command) =>
        command === undefined ? [] : [[state, command] as const]
      )
    )
  const patched = new Map<string, Array<unknown>>()
  for (const [state, command] of pairs) {
    if (row.patch === undefined || row.guard?.(state, command) === false) continue
    const before = new Map(entriesOf(Object(state)))
    const written = row.patch(state, command)
    const entered = machine.enter(destination(row, machine.statusOf(state)), { ...state, ...written }, command)
    for (const [field, value] of entriesOf(written)) {
      if (field in entered || (before.get(field) === value && !patched.has(field))) continue
      patched.set(field, [...(patched.get(field) ?? []), value])
    }
  }
  return { pairs, patched }
}

/** The data of the events that a pool leads to, by their types and fields. */
const seenData = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  { commands, states }: Pool<State, Command>
): ReadonlyMap<string, ReadonlyMap<string, Array<unknown>>> => {
  const seen = new Map<string, Map<string, Array<unknown>>>()
  const see = ({ data, type }: { readonly type: string; readonly data?: unknown }) => {
    const fields = seen.get(type) ?? new Map<string, Array<unknown>>()
    for (const [field, value] of entriesOf(Object(data))) fields.set(field, [...(fields.get(field) ?? []), value])
    seen.set(type, fields)
  }
  for (const state of states) {
    for (const { emits, to } of machine.births) {
      if (to === machine.statusOf(state)) emissionsOf(machine, emits, state, null).forEach(see)
    }
  }
  for (const [index, command] of commands.entries()) {
    for (const state of states.filter((_, each) => (each + index) % statesOfEach === 0)) {
      const decision = decide(machine, state, command)
      if (Result.isSuccess(decision)) decision.success.events.forEach(see)
    }
  }
  return seen
}

/**
 * The mutants of a machine, of every {@link Operator}: each has one mistake in one row, in the data of one type of event, or
 * in the births. A change that no record can show is left out.
 */
export const of = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  subject: Pick<Subject<State, Command>, "commands" | "states">,
  { seed = usualSeed }: { readonly seed?: number } = {}
): ReadonlyArray<Mutant<State, Status, Command, Event>> => {
  checkGiven("Mutants.of", { machine, subject })
  return mutantsIn(machine, poolOf(machine, subject, seed))
}

const mutantsIn = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  pool: Pool<State, Command>
): ReadonlyArray<Mutant<State, Status, Command, Event>> => {
  const { births, events, statuses, table } = machine
  const known = typesIn([...births, ...rowsOf(machine).map(([, row]) => row)])
  const ofRows = rowsOf(machine).flatMap(([tag, row]) =>
    rowMistakes(statuses, row, seenOf(machine, pool, [tag, row]), known).map(([operator, change, mistaken]) => ({
      row: tag,
      operator,
      change,
      machine: { ...machine, table: { ...table, [tag]: mistaken } }
    }))
  )
  const tellers: ReadonlyArray<readonly [string, EventOf<State, Command, unknown>]> = Object.entries(events)
  const seen = seenData(machine, pool)
  const ofData = tellers.flatMap(([type, told]) =>
    dataMistakes(told, seen.get(type) ?? new Map()).map(([operator, change, mistaken]) => ({
      row: type,
      operator,
      change,
      machine: { ...machine, events: { ...events, [type]: mistaken } }
    }))
  )
  const ofBirths = birthMistakes(births, statuses, known).map(([operator, change, mistaken]) => ({
    row: "births",
    operator,
    change,
    machine: { ...machine, births: mistaken }
  }))
  return [...ofRows, ...ofData, ...ofBirths]
}

/**
 * Asks the laws of a subject about every mutant of its machine, on records and commands that are drawn once. What lives
 * is what the laws do not hold: say it in the subject's `expect`, `invariants` or `steps`.
 *
 * @throws LawBroken when the machine itself breaks a law
 */
export const report = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  subject: Subject<State, Command>
): Report => {
  checkGiven("Mutants.report", { machine, subject })
  const { seed = usualSeed } = subject
  const runs = runsOf(subject, drawn)
  const pool = poolOf(machine, subject, seed)
  const rowOfEvent = (type: string) => rowsOf(machine).find(([, { emits }]) => emits.some((each) => each === type))?.[0]
  const asked: Subject<State, Command> = {
    ...subject,
    seed,
    runs,
    states: fc.constantFrom(...pool.states),
    commands: fc.constantFrom(...pool.commands)
  }
  check(machine, asked)
  const judged = mutantsIn(machine, pool).map((mutant) => ({
    ...mutant,
    isAlive: lawBrokenBy(mutant.machine, asked, rowOfEvent(mutant.row) ?? mutant.row) === null
  }))
  const killedOf = (some: typeof judged): number => some.filter(({ isAlive }) => !isAlive).length
  const rows = [...new Set(judged.map(({ row }) => row))].map((row): RowReport => {
    const own = judged.filter((each) => each.row === row)
    return {
      row,
      mutants: own.length,
      killed: killedOf(own),
      alive: own.filter(({ isAlive }) => isAlive).map(({ change }) => change)
    }
  })
  const kinds = operators.flatMap((operator): ReadonlyArray<OperatorReport> => {
    const own = judged.filter((each) => each.operator === operator)
    return own.length === 0 ? [] : [{ operator, mutants: own.length, killed: killedOf(own) }]
  })
  const [mutants, killed] = [judged.length, killedOf(judged)]
  const percent = mutants === 0 ? 100 : (100 * killed) / mutants
  return { machine: machine.name, mutants, killed, percent, rows, operators: kinds }
}

const line = (cells: ReadonlyArray<string | number>): string => `| ${cells.join(" | ")} |`

/** How many of the mutants of a kind are killed, as a cell of a table: the number alone where it is all of them. */
const shareOf = (kinds: ReadonlyArray<OperatorReport>, operator: Operator): string => {
  const { killed, mutants } = kinds.find((each) => each.operator === operator) ?? { killed: 0, mutants: 0 }
  return mutants === 0 ? "" : killed === mutants ? `${mutants}` : `${killed} of ${mutants}`
}

/** A report as lines of text: each row with its mutants, and what lives. */
export const reportText = ({ killed, machine, mutants, percent, rows }: Report): string =>
  [
    `${machine}: ${killed} of ${mutants} mutants are killed, ${percent.toFixed(1)} %.`,
    ...rows.map(
      ({ alive, killed, mutants, row }) =>
        `  ${row}: ${killed} of ${mutants}${alive.length === 0 ? "" : `; alive: ${alive.join(", ")}`}`
    )
  ].join("\n")

/** Reports as a table of Markdown, a line for each machine, and a table of what lives. */
export const markdown = (reports: ReadonlyArray<Report>): string => {
  const living = reports.flatMap(({ machine, rows }) =>
    rows.flatMap(({ alive, row }) => alive.map((change) => line([machine, `\`${row}\``, change])))
  )
  return [
    line(["Machine", "Mutants", "Killed", "Score", ...operators]),
    `|${"---|".repeat(4 + operators.length)}`,
    ...reports.map(({ killed, machine, mutants, operators: kinds, percent }) =>
      line([machine, mutants, killed, `${percent.toFixed(1)} %`, ...operators.map((each) => shareOf(kinds, each))])
    ),
    ...(living.length === 0 ? [] : ["", line(["Machine", "Row", "Alive"]), "|---|---|---|", ...living])
  ].join("\n")
}
