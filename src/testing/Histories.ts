import { Result, Schema } from "effect"
import fc from "fast-check"
import { type Birth, decide, type Machine, rowOf, typesOf } from "../domain/kernel/Machine.ts"
import { checkGiven } from "./Doors.ts"
import { commandsAtEdges } from "./Edges.ts"
import { inOrder, instantIn } from "./InTime.ts"
import type { Subject } from "./Laws.ts"
import { tellRecord } from "./RecordText.ts"
import { drawnOf } from "./SamplePool.ts"
import { tellScript } from "./ScriptText.ts"

/** One accepted command of a history, with the state and the events that followed. */
export interface HistoryStep<State, Command, Event extends string> {
  readonly command: Command
  readonly state: State
  readonly events: ReadonlyArray<Event>
}

/** The life of one record: its birth, and every command since. None of them was refused. */
export class History<State, Status extends string, Command extends { readonly _tag: string }, Event extends string> {
  readonly birth: Birth<Status, Event>
  readonly born: State
  readonly steps: ReadonlyArray<HistoryStep<State, Command, Event>>
  private readonly machine: Machine<State, Status, Command, Event>

  constructor(
    machine: Machine<State, Status, Command, Event>,
    birth: Birth<Status, Event>,
    born: State,
    steps: ReadonlyArray<HistoryStep<State, Command, Event>>
  ) {
    this.machine = machine
    this.birth = birth
    this.born = born
    this.steps = steps
  }

  /** The record as it is at the end. */
  get state(): State {
    return this.steps.at(-1)?.state ?? this.born
  }

  /** The record at its birth and after each command. */
  get states(): ReadonlyArray<State> {
    return [this.born, ...this.steps.map(({ state }) => state)]
  }

  /** The types of all events, in the order they were emitted, those of the birth first. */
  get events(): ReadonlyArray<Event> {
    return [...this.birth.emits, ...this.steps.flatMap(({ events }) => events)]
  }

  /**
   * The history in lines: the birth with the fields that the commands have to do with, then each command with the events that
   * it emitted.
   */
  toString(): string {
    const { birth, machine, states } = this
    const emitted = (events: ReadonlyArray<Event>) => (events.length === 0 ? "" : `[${events.join(", ")}]`)
    const steps = this.steps.map(({ command, events, state: after }, index) => {
      const { [index]: before = this.born } = states
      return { command, before, after, outcome: emitted(events) }
    })
    const mattering = new Set<string>()
    const lines = tellScript(machine, {}, steps, mattering)
    const born = [birth.by, "→", birth.to, emitted(birth.emits), tellRecord(this.born, mattering)]
    return [born.filter((part) => part !== "").join(" "), ...lines].join("\n")
  }

  /** How fast-check shows a history that breaks a property. */
  [fc.toStringMethod](): string {
    return `\n${this.toString()}\n`
  }
}

/** The length of histories, and their beginnings. */
export interface HistoryOptions<State> {
  /** Records as they are born. When not given: the subject's states that have the status of a birth. */
  readonly births?: fc.Arbitrary<State>
  /** The most commands of a history; 8 when not given. */
  readonly maxLength?: number
}

/** Commands that are drawn for each one that a history may hold, as many are refused. */
const drawnPerStep = 4

/** Of so many commands, two are moved to the edge of what is accepted: just before, at, or just after a deadline or amount. */
const perEdge = 5

/**
 * The command at an edge of what the machine accepts of it in this state, from `now` on; as it is where there is no edge. A
 * drawn number says which edge; with a small one the command stays as it is, so that failures shrink to plain commands.
 */
const atEdge = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  state: State,
  command: Command,
  edge: number
): Command => {
  const row = rowOf(machine, command)
  if (row.guard === undefined || !row.from.includes(machine.statusOf(state))) return command
  if (edge % perEdge < perEdge - 2) return command
  const edges = commandsAtEdges(state, command, (...given) => Result.isSuccess(decide(machine, ...given)))
  const legal = edges.filter(Schema.is(machine.command))
  return legal[edge % Math.max(1, legal.length)] ?? command
}

/**
 * Legal histories of any machine, as a fast-check arbitrary: a birth, then commands that are all accepted, some of them at
 * the very deadline or amount from which on they are. Time never goes backwards, and begins at the record's `created_at`
 * where it has one. A failing history shrinks to fewer commands and simpler records, and is shown line by line.
 */
export const of = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  subject: Pick<Subject<State, Command>, "states" | "commands">,
  options: HistoryOptions<State> = {}
): fc.Arbitrary<History<State, Status, Command, Event>> => {
  checkGiven("Histories.of", { machine, subject })
  const { maxLength = 8 } = options
  const birthsOf = (state: State) => machine.births.filter(({ to }) => to === machine.statusOf(state))
  const born = (options.births ?? drawnOf("states", subject.states)).filter((state) => birthsOf(state).length > 0)
  const script = fc.array(fc.tuple(drawnOf("commands", subject.commands), fc.nat()), {
    maxLength: maxLength * drawnPerStep,
    size: "max"
  })
  // Without some of the commands, others come late: otherwise a record that lapses after days would always have ended
  // before.
  const omissions = fc.subarray(Object.keys(machine.table))
  return fc.tuple(born, fc.nat(), script, omissions).map(([start, pick, drawn, omitted]) => {
    const kept = drawn.filter(([{ _tag }]) => !omitted.includes(_tag))
    const edges = kept.map(([, edge]) => edge)
    const commands = inOrder(
      instantIn(start, "created_at"),
      kept.map(([command]) => command)
    )
    const births = birthsOf(start)
    const birth = births[pick % births.length]
    if (birth === undefined) throw new RangeError(`${machine.name} has no birth to ${machine.statusOf(start)}`)
    const steps: Array<HistoryStep<State, Command, Event>> = []
    let state = start
    let now = instantIn(start, "created_at")
    for (const [index, drawnCommand] of commands.entries()) {
      if (steps.length === maxLength) break
      const [command = drawnCommand] = inOrder(now, [atEdge(machine, state, drawnCommand, edges[index] ?? 0)])
      const decision = decide(machine, state, command)
      if (Result.isFailure(decision)) continue
      state = decision.success.state
      now = instantIn(command, "at")
      steps.push({ command, state, events: typesOf(decision.success.events) })
    }
    return new History(machine, birth, start, steps)
  })
}
