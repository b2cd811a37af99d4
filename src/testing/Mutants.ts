import { Result } from "effect"
import fc from "fast-check"
import { type Condition, decide, destination, type Machine, type Row } from "../domain/kernel/Machine.ts"
import { LawBroken, lawBrokenBy, laws, type Subject } from "./Laws.ts"

/** A machine with one mistake in one row of its table. */
export interface Mutant<State, Status extends string, Command extends { readonly _tag: string }, Event extends string> {
  /** The command whose row has the mistake. */
  readonly row: string
  /** The mistake: `to FAILED`, `from without PENDING`, `guard dropped`. */
  readonly change: string
  readonly machine: Machine<State, Status, Command, Event>
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
}

/** How many records of each status, and commands of each tag, are drawn once for all mutants. */
const drawn = 60

/** How many values are drawn at once, and how often, in search of some of every status and tag. */
const batchSize = 200
const batches = 20

/** The commands that each record goes through, so that there are records with a past. */
const past = 4

/** The seed that is used when none is given: a report is the same each time. */
const usualSeed = 1

const guardOf =
  <State, Command>(conditions: ReadonlyArray<Condition<State, Command>>) =>
  (self: State, command: Command): boolean =>
    conditions.every(([, holds]) => holds(self, command))

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
  const given = drawEach(name, states, statuses, (state) => machine.statusOf(state), seed)
  const asked = drawEach(name, commands, Object.keys(table), ({ _tag }) => _tag, seed)
  const scripts = fc.sample(fc.array(fc.constantFrom(...asked), { maxLength: past }), { numRuns: given.length, seed })
  const lived = given.map((start, index) =>
    (scripts[index] ?? []).reduce((state, command) => {
      const decision = decide(machine, state, command)
      return Result.isSuccess(decision) ? decision.success.state : state
    }, start)
  )
  return { states: [...given, ...lived], commands: asked }
}

/** The fields that a row's patch makes different for some record, but for those that say the status. */
const patchedBy = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  { commands, states }: Pool<State, Command>,
  [tag, row]: readonly [string, Row<State, Status, Command, Event>]
): ReadonlySet<string> => {
  const { from, guard, patch } = row
  const fields = new Set<string>()
  if (patch === undefined) return fields
  const own = commands.filter(({ _tag }) => _tag === tag)
  const starts = states.filter((state) => from.includes(machine.statusOf(state)))
  for (const [index, state] of starts.entries()) {
    const before = new Map(entriesOf(Object(state)))
    for (const command of [own[index % own.length], own[(index * 7 + 1) % own.length]]) {
      if (command === undefined || guard?.(state, command) === false) continue
      const patched = patch(state, command)
      const entered = machine.enter(destination(row, machine.statusOf(state)), { ...state, ...patched }, command)
      for (const [field, value] of entriesOf(patched)) {
        if (!(field in entered) && before.get(field) !== value) fields.add(field)
      }
    }
  }
  return fields
}

const without = (record: object, field: string): object =>
  Object.fromEntries(entriesOf(record).filter(([each]) => each !== field))

type Changed<State, Status extends string, Command, Event extends string> = readonly [
  change: string,
  row: Row<State, Status, Command, Event>
]

const changesOf = <State, Status extends string, Command, Event extends string>(
  statuses: ReadonlyArray<Status>,
  row: Row<State, Status, Command, Event>,
  fields: ReadonlySet<string>
): ReadonlyArray<Changed<State, Status, Command, Event>> => {
  const { conditions = [], emits, from, guard, patch, to } = row
  const { guard: _, refusal: __, ...unguarded } = row
  const leads = (other: Status | "same") =>
    from.some((each) => destination({ to: other }, each) !== destination(row, each))
  const changes: Array<Changed<State, Status, Command, Event>> = []
  for (const [index, type] of emits.entries()) {
    changes.push([`emits without ${type}`, { ...row, emits: emits.toSpliced(index, 1) }])
  }
  for (const other of [...statuses, "same" as const]) {
    if (other !== to && leads(other)) changes.push([`to ${other}`, { ...row, to: other }])
  }
  for (const status of statuses) {
    changes.push(
      from.includes(status)
        ? [`from without ${status}`, { ...row, from: from.filter((each) => each !== status) }]
        : [`from with ${status}`, { ...row, from: [...from, status] }]
    )
  }
  if (guard !== undefined) {
    changes.push(["guard dropped", unguarded])
    changes.push(["guard negated", { ...row, guard: (self, command) => !guard.call(row, self, command) }])
  }
  if (conditions.length > 1) {
    for (const [index, [words]] of conditions.entries()) {
      const rest = conditions.toSpliced(index, 1)
      changes.push([`guard without: ${words}`, { ...row, conditions: rest, guard: guardOf(rest) }])
    }
  }
  for (const field of fields) {
    const patched = (self: State, command: Command) => without(patch?.(self, command) ?? {}, field)
    changes.push([`patch without ${field}`, { ...row, patch: patched }])
  }
  return changes
}

/**
 * The mutants of a machine: for each row one without each of its events, one that leads to each other status, one that
 * starts in one status more or less, one whose guard is dropped, negated or lacks one of its conditions, and one whose
 * patch leaves out a field. A change that no record can show is left out.
 */
export const of = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  subject: Pick<Subject<State, Command>, "commands" | "states">,
  { seed = usualSeed }: { readonly seed?: number } = {}
): ReadonlyArray<Mutant<State, Status, Command, Event>> => mutantsIn(machine, poolOf(machine, subject, seed))

const mutantsIn = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  pool: Pool<State, Command>
): ReadonlyArray<Mutant<State, Status, Command, Event>> =>
  rowsOf(machine).flatMap(([tag, row]) =>
    changesOf(machine.statuses, row, patchedBy(machine, pool, [tag, row])).map(([change, changed]) => ({
      row: tag,
      change,
      machine: { ...machine, table: { ...machine.table, [tag]: changed } }
    }))
  )

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
  const { seed = usualSeed } = subject
  const pool = poolOf(machine, subject, seed)
  const asked: Subject<State, Command> = {
    ...subject,
    seed,
    runs: subject.runs ?? drawn,
    states: fc.constantFrom(...pool.states),
    commands: fc.constantFrom(...pool.commands)
  }
  const broken = lawBrokenBy(machine, asked)
  if (broken !== null) throw broken
  const alive = new Map<string, Array<string>>()
  const counts = new Map<string, number>()
  for (const mutant of mutantsIn(machine, pool)) {
    counts.set(mutant.row, (counts.get(mutant.row) ?? 0) + 1)
    if (lawBrokenBy(mutant.machine, asked, mutant.row) === null) {
      alive.set(mutant.row, [...(alive.get(mutant.row) ?? []), mutant.change])
    }
  }
  const rows = [...counts].map(([row, mutants]): RowReport => {
    const living = alive.get(row) ?? []
    return { row, mutants, killed: mutants - living.length, alive: living }
  })
  const mutants = rows.reduce((sum, each) => sum + each.mutants, 0)
  const killed = rows.reduce((sum, each) => sum + each.killed, 0)
  return { machine: machine.name, mutants, killed, percent: mutants === 0 ? 100 : (100 * killed) / mutants, rows }
}

const line = (cells: ReadonlyArray<string | number>): string => `| ${cells.join(" | ")} |`

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
    line(["Machine", "Mutants", "Killed", "Score"]),
    "|---|---|---|---|",
    ...reports.map(({ killed, machine, mutants, percent }) =>
      line([machine, mutants, killed, `${percent.toFixed(1)} %`])
    ),
    ...(living.length === 0 ? [] : ["", line(["Machine", "Row", "Alive"]), "|---|---|---|", ...living])
  ].join("\n")
}
