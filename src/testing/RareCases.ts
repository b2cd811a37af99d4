import { Schema } from "effect"
import type { Machine } from "../domain/kernel/Machine.ts"
import { betweenSeconds, commandsAtEdges, type Holds, type Pair, seldomDrawn } from "./Edges.ts"
import { brokenInvariant, type Oracle } from "./Oracle.ts"
import { fieldsRead } from "./RecordFields.ts"
import type { SamplePool } from "./SamplePool.ts"

/** Pairs of a record and a command whose edges are tried, of each status and command; searched among so many. */
const [edgeRuns, edgeSearches] = [12, 60]

/** Records, and commands, each of which is tried with each, and how many disputes are looked at. */
const [crossedStates, crossedCommands, disputesTried] = [40, 300, 3]

/** Whether two answers are the same; where one of them throws, whoever decides the case says so. */
const agree = (ask: () => boolean): boolean => {
  try {
    return ask()
  } catch {
    return false
  }
}

/** Records and commands that are seldom drawn: made of those that are, where the machine's schemas take them. */
export class RareCases<State, Status extends string, Command extends { readonly _tag: string }> {
  private readonly seldomDrawn = new Map<State, State>()
  private readonly schema: Schema.Schema<State>
  private readonly isLegal: (state: State) => boolean
  private readonly isCommand: (command: Command) => boolean
  private readonly states: SamplePool<State>
  private readonly commands: SamplePool<Command>

  constructor(
    machine: Pick<Machine<State, Status, Command, string>, "command" | "state">,
    oracle: Oracle<State, Command> & { readonly schema?: Schema.Schema<State> },
    states: SamplePool<State>,
    commands: SamplePool<Command>
  ) {
    this.schema = oracle.schema ?? machine.state
    const accepts = Schema.is(this.schema)
    this.isLegal = (state) => accepts(state) && brokenInvariant(oracle, state) === undefined
    this.isCommand = Schema.is(machine.command)
    this.states = states
    this.commands = commands
  }

  /** A record as drawn, or, every other time, as it seldom is. */
  stateAt(status: Status, at: number): State {
    const drawn = this.states.at(status, at)
    if (at % 2 === 0) return drawn
    const known = this.seldomDrawn.get(drawn) ?? seldomDrawn(this.schema, drawn, this.isLegal)
    this.seldomDrawn.set(drawn, known)
    return known
  }

  /** Pairs at instants that are no whole seconds, with texts between blanks. */
  *seldom(
    status: Status,
    tag: string,
    conditions: ReadonlyArray<Holds<State, Command>>
  ): Iterable<Pair<State, Command>> {
    for (let at = 1; at < 2 * edgeRuns; at += 2) yield this.pairAt(status, tag, at, conditions)
  }

  /** Pairs just before and just after each moment, and each number, from which on a condition answers otherwise. */
  *atEdges(
    status: Status,
    tag: string,
    conditions: ReadonlyArray<Holds<State, Command>>
  ): Iterable<Pair<State, Command>> {
    let met = 0
    for (let at = 0; met < edgeRuns && at < edgeSearches; at++) {
      const [state, command] = this.pairAt(status, tag, at, conditions)
      const cases = conditions.flatMap((holds) => commandsAtEdges(state, command, holds)).filter(this.isCommand)
      for (const each of cases) yield [state, each]
      if (cases.length > 0) met++
    }
  }

  /** Pairs about which two conditions disagree, among some records with each of some commands. */
  *disputes(
    status: Status,
    tag: string,
    [one, other]: readonly [Holds<State, Command>, Holds<State, Command>]
  ): Iterable<Pair<State, Command>> {
    let met = 0
    for (let at = 0; at < crossedStates * crossedCommands && met < disputesTried; at++) {
      const pair = [
        this.states.at(status, at % crossedStates),
        this.commands.at(tag, Math.floor(at / crossedStates))
      ] as const
      if (agree(() => one(...pair) === other(...pair))) continue
      met++
      yield pair
    }
  }

  /** A pair, of which every other one is rare; texts that conditions compare stay as they were drawn. */
  private pairAt(
    status: Status,
    tag: string,
    at: number,
    conditions: ReadonlyArray<Holds<State, Command>>
  ): Pair<State, Command> {
    const [drawn, command] = [this.states.at(status, at), this.commands.at(tag, at)]
    if (at % 2 === 0) return [drawn, command]
    const moved = betweenSeconds(command)
    const read = fieldsRead(
      drawn,
      conditions.map((holds) => (each) => holds(each, command))
    )
    const texts = Object.entries(Object(drawn)).filter(
      ([field, value]) => typeof value === "string" && read.includes(field)
    )
    const rare = this.stateAt(status, at)
    const state: State = Object.assign({}, rare, Object.fromEntries(texts))
    return [this.isLegal(state) ? state : rare, this.isCommand(moved) ? moved : command]
  }
}
