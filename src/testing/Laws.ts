import { Schema } from "effect"
import fc from "fast-check"
import { emissionsOf, type Machine, type Row, rowOf } from "../domain/kernel/Machine.ts"
import { checkNames, wrongDeclaration } from "./Declarations.ts"
import { checkGiven } from "./Doors.ts"
import type { Holds, Pair } from "./Edges.ts"
import { commandsAtBounds, spoiltCommands, variousCommands } from "./Hostile.ts"
import { LawBroken, laws, pure } from "./LawBroken.ts"
import { brokenInvariant, type ExpectedBirth, expectedOf, meets, type Oracle, outcomeOf } from "./Oracle.ts"
import { RareCases } from "./RareCases.ts"
import { tellCommand, tellRecord, tellRow } from "./RecordText.ts"
import { runsOf } from "./Runs.ts"
import { drawnOf, SamplePool } from "./SamplePool.ts"
import { type ToldStep, tellScript } from "./ScriptText.ts"
import { checkData, type Decide, permits, refuseHostile, type Step, type StepCheck, step } from "./Transition.ts"

export { hostileCommands } from "./Hostile.ts"
export { LawBroken, laws } from "./LawBroken.ts"
export type { AcceptedCommand, Expectation, ExpectedBirth, ExpectedData, Oracle, ToldEvent } from "./Oracle.ts"

/**
 * The states and commands of a machine, and what is known of it without its table ({@link Oracle}): a table cannot
 * contradict itself, so a mistake in it shows only where somebody has said otherwise. `Mutants` tells how much of a table
 * an oracle holds.
 */
export interface Subject<State, Command> extends Oracle<State, Command> {
  /** The schema of the record, which every state that is reached must pass; the machine's when absent. */
  readonly schema?: Schema.Schema<State>
  /**
   * States that the machine may meet, of every status. Draw values that guards compare from small ranges, so that each
   * guard is met from both sides. `arbitraryOf(schema)` is a start.
   */
  readonly states: fc.Arbitrary<State>
  /** Commands of every tag. */
  readonly commands: fc.Arbitrary<Command>
  /** The function that decides; the library's `decide` when not given. A reading of the table of your own obeys the same laws. */
  readonly decide?: Decide<State, Command>
  /** Cases for each pair of status and command that the table allows, and scripts; 100 when not given. */
  readonly runs?: number
  /** Repeats the cases of an earlier report. Random when not given. */
  readonly seed?: number
}

/** How often each command was tried, by its outcome. */
export type Coverage = Readonly<Record<string, Readonly<Record<Step<unknown>["outcome"], number>>>>

type AnyCommand = { readonly _tag: string }

/** Cases of a pair that is refused for its status alone. */
const refusedRuns = 10

/** Cases that are searched for one that is still missing. */
const searchRuns = 2_000

/** Records of each birth whose events are looked at. */
const bornAtLeast = 100

const longestScript = 12

class Checker<State, Status extends string, Command extends AnyCommand, Event extends string> {
  private readonly machine: Machine<State, Status, Command, Event>
  private readonly subject: Subject<State, Command>
  private readonly asked: StepCheck<State, Command>
  private readonly rare: RareCases<State, Status, Command>
  private readonly rows: ReadonlyArray<readonly [tag: string, row: Row<State, Status, Command, Event>]>
  private readonly counts = new Map<string, number>()
  private readonly shrinks: boolean
  private readonly runs: number
  private readonly seed: number
  private readonly states: SamplePool<State>
  private readonly commands: SamplePool<Command>

  constructor(machine: Machine<State, Status, Command, Event>, subject: Subject<State, Command>, shrinks = true) {
    this.seed = subject.seed ?? Math.floor(Math.random() * 2 ** 31)
    this.states = new SamplePool(drawnOf("states", subject.states), machine.statusOf, this.seed)
    this.commands = new SamplePool(drawnOf("commands", subject.commands), ({ _tag }) => _tag, this.seed)
    this.machine = machine
    this.shrinks = shrinks
    this.subject = subject
    this.runs = runsOf(subject, 100)
    checkNames(machine, subject)
    this.asked = { ...subject, accepts: Schema.is(subject.schema ?? machine.state) }
    this.rare = new RareCases(machine, subject, this.states, this.commands)
    this.rows = Object.entries<Row<State, Status, Command, Event>>(machine.table)
  }

  declarations(): void {
    const wrong = wrongDeclaration(this.machine, this.subject)
    if (wrong !== null) this.broken(wrong.law, wrong.why)
  }

  /** Holds the births to what is expected of them. */
  births(): void {
    const told = (births: ReadonlyArray<ExpectedBirth>) =>
      births.map(({ events, to }) => `${to} [${events}]`).join("; ")
    const born = told(this.machine.births.map(({ emits, to }) => ({ to, events: emits })))
    const expected = this.subject.births === undefined ? born : told(this.subject.births)
    if (born !== expected) this.broken("expected", `Born ${born}, and expected ${expected}.`)
    for (const { emits, to } of this.machine.births) {
      this.statesOf(to)
      for (let place = 0; place < bornAtLeast; place++) this.birth(to, place, emits)
    }
  }

  /** Holds the events of one record's birth to their schemas, and to what is expected of their data. */
  private birth(to: Status, place: number, emits: ReadonlyArray<Event>): void {
    let born = this.states.at(to, place)
    try {
      born = this.rare.stateAt(to, place)
      const events = pure("a birth's event", () => emissionsOf(this.machine, emits, born, null))
      checkData(this.machine, this.asked, events, born, null)
    } catch (cause) {
      if (!(cause instanceof LawBroken)) throw cause
      const told = tellRecord(born, new Set(["id", ...cause.fields]))
      this.broken(cause.law, `Born ${to} ${told}: ${cause.message}\n\nSeed ${this.seed}.`, cause.fields)
    }
  }

  private statesOf(status: Status): fc.Arbitrary<State> {
    return this.from(this.states, status, `a state that is ${status}`)
  }

  pairs(only?: string): void {
    for (const status of this.machine.statuses) {
      const states = this.statesOf(status)
      for (const [tag, row] of this.rows) {
        if (only !== undefined && tag !== only) continue
        const commands = this.from(this.commands, tag, `a command ${tag}`)
        const starts = row.from.includes(status)
        this.run(
          states,
          commands.map((command) => [command]),
          starts ? this.runs : refusedRuns
        )
        if (starts) this.cover(status, tag, row)
        this.coverExpected(status, tag)
        this.coverRare(status, tag, row)
      }
    }
  }

  scripts(): void {
    const born = new Set(this.machine.births.map(({ to }) => to))
    const states = [...born].map((status) => this.statesOf(status))
    this.run(fc.oneof(...states), fc.array(this.subject.commands, { maxLength: longestScript }), this.runs)
  }

  /** Spoils commands of each tag, and tries them on records of each status. */
  hostile(only?: string): void {
    const { command: schema, statuses } = this.machine
    for (const [tag, row] of this.rows) {
      if (only !== undefined && tag !== only) continue
      const given = variousCommands((place) => this.commands.at(tag, place))
      const status = (place: number): Status | undefined => statuses[place % statuses.length]
      for (const [place, { command, field }] of given.flatMap((each) => spoiltCommands(schema, each)).entries()) {
        const told = tellRecord(command, new Set(["_tag", field]))
        this.tryOn(status(place), told, (state) => refuseHostile(this.machine, this.subject, state, command, field))
      }
      for (const command of given.flatMap((each) => commandsAtBounds(schema, each))) {
        for (const from of row.from) this.tryOn(from, tellCommand(command), (state) => this.step(state, command))
      }
    }
  }

  private tryOn(status: Status | undefined, told: string, tried: (state: State) => unknown): void {
    if (status === undefined) return
    try {
      tried(this.states.at(status, 0))
    } catch (cause) {
      if (!(cause instanceof LawBroken)) throw cause
      this.broken(cause.law, `${status}: ${told} ${cause.message}\n\nSeed ${this.seed}.`, cause.fields)
    }
  }

  coverage(): Coverage {
    const sum = (tag: string, outcome: Step<State>["outcome"]) =>
      this.machine.statuses.reduce((total, status) => total + this.count(status, tag, outcome), 0)
    return Object.fromEntries(
      this.rows.map(([tag]) => [
        tag,
        {
          taken: sum(tag, "taken"),
          "refused by the guard": sum(tag, "refused by the guard"),
          "refused by the status": sum(tag, "refused by the status")
        }
      ])
    )
  }

  guards(): void {
    const coverage = this.coverage()
    for (const [tag, row] of this.rows) {
      if (row.guard !== undefined && coverage[tag]?.["refused by the guard"] === 0) {
        this.broken("coverage", `The guard of ${tag} never refused: ${row.when ?? row.rule}.`)
      }
    }
  }

  private count(status: Status, tag: string, outcome: Step<State>["outcome"]): number {
    return this.counts.get(`${status} ${tag} ${outcome}`) ?? 0
  }

  private step(state: State, command: Command): Step<State> {
    const key = `${this.machine.statusOf(state)} ${command._tag}`
    const taken = step(this.machine, this.asked, state, command)
    this.counts.set(`${key} ${taken.outcome}`, (this.counts.get(`${key} ${taken.outcome}`) ?? 0) + 1)
    return taken
  }

  private from<A>(pool: SamplePool<A>, kind: string, what: string): fc.Arbitrary<A> {
    if (!pool.has(kind, searchRuns)) this.broken("coverage", `The arbitrary never makes ${what}.`)
    return pool.of(kind)
  }

  /** Tries one case of a status and a command that is wanted; false where none is found. */
  private tries(status: Status, tag: string, wanted: (state: State, command: Command) => boolean): boolean {
    for (let at = 0; at < searchRuns; at++) {
      const state = this.states.at(status, at)
      const command = this.commands.at(tag, at)
      if (!wanted(state, command)) continue
      this.runPair([state, command])
      return true
    }
    return false
  }

  /** Searches for a rare case that the runs did not meet. */
  private cover(status: Status, tag: string, row: Row<State, Status, Command, Event>): void {
    for (const permitted of row.guard === undefined ? [true] : [true, false]) {
      if (this.count(status, tag, permitted ? "taken" : "refused by the guard") > 0) continue
      const isMet = this.tries(status, tag, (state, command) => permits(row, state, command) === permitted)
      if (!isMet && permitted) this.broken("coverage", `${tag} was never taken from ${status}.`)
    }
  }

  /** Searches for cases on both sides of a condition that is expected, which the table may not have. */
  private coverExpected(status: Status, tag: string): void {
    const expected = expectedOf(this.subject, tag)
    if (expected?.from.includes(status) !== true) return
    for (const outcome of expected.when === undefined
      ? (["taken"] as const)
      : (["taken", "refused by the guard"] as const)) {
      if (this.count(status, tag, outcome) > 0) continue
      const isMet = this.tries(status, tag, (state, command) => outcomeOf(expected, status, state, command) === outcome)
      if (!isMet && outcome === "taken") {
        this.broken("coverage", `No case was met in which ${tag} is expected from ${status}.`)
      }
    }
  }

  /** Tries rare cases: at instants that are no whole seconds, and where conditions, of the table or expected, are decided. */
  private coverRare(status: Status, tag: string, row: Row<State, Status, Command, Event>): void {
    const expected = expectedOf(this.subject, tag)
    const guard: Holds<State, Command> = (state, command) => pure("the guard", () => permits(row, state, command))
    const when: Holds<State, Command> = (state, command) => expected === undefined || meets(expected, state, command)
    const starts = [row.from.includes(status), expected?.from.includes(status) === true] as const
    const conditions = [
      ...(row.guard !== undefined && starts[0] ? [guard] : []),
      ...(expected?.when !== undefined && starts[1] ? [when] : [])
    ]
    const cases = [
      starts[0] ? this.rare.seldom(status, tag, conditions) : [],
      conditions.length === 0 ? [] : this.rare.atEdges(status, tag, conditions),
      conditions.length === 0 || !starts[0] || !starts[1] ? [] : this.rare.disputes(status, tag, [guard, when])
    ]
    for (const each of cases) for (const pair of each) this.runPair(pair)
  }

  private runPair([state, command]: Pair<State, Command>): void {
    this.run(fc.constant(state), fc.constant([command]), 1)
  }

  private run(states: fc.Arbitrary<State>, scripts: fc.Arbitrary<ReadonlyArray<Command>>, numRuns: number): void {
    const property = fc.property(states, scripts, (start, commands) => {
      this.checkStart(start)
      commands.reduce((state, command) => this.step(state, command).state, start)
    })
    const outcome = fc.check(property, { seed: this.seed, numRuns, endOnFailure: !this.shrinks })
    if (!outcome.failed || outcome.counterexample === null) return
    const { errorInstance } = outcome
    if (!(errorInstance instanceof LawBroken)) throw errorInstance
    const [start, commands] = outcome.counterexample
    const last = commands.at(-1)
    const mattering = new Set(errorInstance.fields)
    const parts = [
      this.told(start, commands, mattering),
      ...(last === undefined ? [] : [tellRow(last._tag, rowOf(this.machine, last))]),
      `Seed ${this.seed}, ${outcome.numShrinks} shrinks.`
    ]
    this.broken(errorInstance.law, parts.join("\n\n"), [...mattering])
  }

  private checkStart(start: State): void {
    const invariant = brokenInvariant(this.subject, start)
    if (invariant === undefined) return
    throw new LawBroken("invariant", `${invariant.said}: not so of a state that was drawn`, invariant.fields)
  }

  /** A script line by line; adds the fields that its commands read or change to those that matter. */
  private told(start: State, commands: ReadonlyArray<Command>, mattering: Set<string>): string {
    const status = this.machine.statusOf(start)
    try {
      this.checkStart(start)
    } catch (cause) {
      return `${status} ${tellRecord(start, mattering)} ${cause instanceof Error ? cause.message : String(cause)}`
    }
    const steps: Array<ToldStep<State, Command>> = []
    let before = start
    for (const command of commands) {
      try {
        const { outcome, state: after } = this.step(before, command)
        const told = outcome === "taken" ? `→ ${this.machine.statusOf(after)}` : outcome
        steps.push({ command, before, after, outcome: told })
        before = after
      } catch (cause) {
        steps.push({ command, before, after: before, outcome: cause instanceof Error ? cause.message : String(cause) })
        break
      }
    }
    const lines = tellScript(this.machine, this.subject, steps, mattering)
    return [`${status} ${tellRecord(start, mattering)}`, ...lines].join("\n")
  }

  private broken(law: keyof typeof laws, detail: string, fields: ReadonlyArray<string> = []): never {
    throw new LawBroken(law, `${this.machine.name} breaks a law: ${laws[law]}.\n\n${detail}`, fields)
  }
}

/**
 * Checks that a machine obeys the laws of every machine: over each pair of status and command, and over random scripts
 * that start where records are born. A failure is shrunk to a short script. Works in any test runner.
 *
 * @returns how often each row was taken and refused
 * @throws LawBroken with the law, the shrunk script and the seed. docs/architecture.md, The machine.
 */
export const check = <State, Status extends string, Command extends AnyCommand, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  subject: Subject<State, Command>
): Coverage => {
  checkGiven("Laws.check", { machine, subject })
  const checker = new Checker(machine, subject)
  checker.declarations()
  checker.births()
  checker.pairs()
  checker.scripts()
  checker.hostile()
  checker.guards()
  return checker.coverage()
}

/**
 * The first law that a machine breaks, or null: {@link check} without the search for the shortest script. The rows of
 * `first` are asked before all others.
 */
export const lawBrokenBy = <State, Status extends string, Command extends AnyCommand, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  subject: Subject<State, Command>,
  first?: string
): LawBroken | null => {
  checkGiven("Laws.lawBrokenBy", { machine, subject })
  const checker = new Checker(machine, subject, false)
  try {
    checker.declarations()
    if (first !== undefined) {
      checker.pairs(first)
      checker.hostile(first)
    }
    checker.births()
    checker.pairs()
    checker.scripts()
    checker.hostile()
    checker.guards()
    return null
  } catch (cause) {
    if (cause instanceof LawBroken) return cause
    throw cause
  }
}
