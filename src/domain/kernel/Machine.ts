import { DateTime, Option, Predicate, Result } from "effect"
import {
  type AcceptedTransition,
  type AnyData,
  type Born,
  type Decision,
  type Emission,
  type EmissionMap,
  type EventsOf,
  GuardRefused,
  IllegalTransition,
  type Machine,
  type Refusal,
  rowOf,
  type TaggedCommand,
  type Transition
} from "./Definition.ts"
import { type AnyStarts, type Birth, destination, either, type Row, type Wording } from "./Table.ts"

export { InvalidCommand } from "./CommandCheck.ts"
export type {
  AcceptedTransition,
  AnyData,
  Born,
  Decision,
  Emission,
  EventOf,
  EventsOf,
  Machine,
  MachineType,
  Refusal,
  Transition
} from "./Definition.ts"
export { byField, define, GuardRefused, IllegalTransition, rowOf } from "./Definition.ts"
export type { Birth, Births, Condition, Row, Table, Wording } from "./Table.ts"
export { destination, either, requires, toMermaid } from "./Table.ts"

/**
 * The refusal of a command by the status, with the advice for that status if there is one: `An introduction can be
 * resent only while it is PENDING or VIEWED; this one is LINKED.`
 */
const refusedByStatus = (
  { can, instead, record }: Wording<string, string>,
  command: string,
  from: ReadonlyArray<string>,
  status: string
): string =>
  [`${record} can ${can[command]} only while it is ${either(from)}; this one is ${status}.`, instead[status] ?? ""]
    .join(" ")
    .trimEnd()

const illegal = <State, Status extends string, Command extends TaggedCommand, Event extends string>(
  { name, wording }: Machine<State, Status, Command, Event>,
  command: string,
  from: ReadonlyArray<string>,
  status: string
): IllegalTransition => {
  const message = refusedByStatus(wording, command, from, status)
  return new IllegalTransition({ machine: name, command, status, message })
}

/** Why a command is refused; null where it is accepted. */
export const refusalOf = <State, Status extends string, Command extends TaggedCommand, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  state: State,
  command: NoInfer<Command>
): Refusal | null => {
  const invalid = machine.check(command)
  if (invalid !== null) return invalid
  const row = rowOf(machine, command)
  const status = machine.statusOf(state)
  if (!row.from.includes(status)) return illegal(machine, command._tag, row.from, status)
  if (row.guard === undefined || row.guard(state, command)) return null
  const rule = row.refusal?.(state, command) ?? row.when ?? row.rule
  const message = machine.wording.unless[rule] ?? `This is possible only when ${rule}.`
  return new GuardRefused({ machine: machine.name, command: command._tag, rule, message })
}

const instantIn = (record: unknown, field: string): DateTime.Utc | null => {
  const value = Predicate.hasProperty(record, field) ? record[field] : null
  return DateTime.isDateTime(value) && DateTime.isUtc(value) ? value : null
}

const emissionOf = <State, Command, Data, Type extends keyof Data & string>(
  events: EventsOf<State, Command, Data>,
  type: Type,
  state: State,
  command: Command | null
): EmissionMap<Data>[Type] => ({ type, data: events[type].of(state, command) })

/** A record's events of these types, after a command, or after its birth (`command` null). */
export const emissionsOf = <
  State,
  Status extends string,
  Command extends TaggedCommand,
  Event extends string,
  Data extends AnyData<Event>
>(
  { events }: Machine<State, Status, Command, Event, Data>,
  types: ReadonlyArray<NoInfer<Event>>,
  state: State,
  command: Command | null
): ReadonlyArray<Emission<Data>> => types.map((type) => emissionOf(events, type, state, command))

/** The types of events. */
export const typesOf = <Event extends string>(events: ReadonlyArray<{ readonly type: Event }>): ReadonlyArray<Event> =>
  events.map(({ type }) => type)

/** A command comes to a decision, or to a refusal. */
type Decided<State, Status extends string, Command, Event extends string, Data> = Result.Result<
  Decision<State, Event, Data, AcceptedTransition<State, Status, Command>>,
  Refusal
>

/** A record and what comes to it, or what comes to a record that is given later. */
type RecordFirst<State, Given> = [state: State, given: Given] | [given: Given]

/**
 * Decides a command: a new state with its events and the transition that leads there, or a refusal that names the field
 * or the rule that was broken. Pure: time and ids come with the command, and the given state is not changed. The record may
 * come last: `pipe(gift, decide(machine, command))`.
 */
export function decide<
  State,
  Status extends string,
  Command extends TaggedCommand,
  Event extends string,
  Data extends AnyData<Event>
>(
  machine: Machine<State, Status, Command, Event, Data>,
  command: NoInfer<Command>
): (state: State) => Decided<State, Status, Command, Event, Data>
export function decide<
  State,
  Status extends string,
  Command extends TaggedCommand,
  Event extends string,
  Data extends AnyData<Event>
>(
  machine: Machine<State, Status, Command, Event, Data>,
  state: State,
  command: NoInfer<Command>
): Decided<State, Status, Command, Event, Data>
export function decide<
  State,
  Status extends string,
  Command extends TaggedCommand,
  Event extends string,
  Data extends AnyData<Event>
>(
  machine: Machine<State, Status, Command, Event, Data>,
  ...given: RecordFirst<State, Command>
): Decided<State, Status, Command, Event, Data> | ((state: State) => Decided<State, Status, Command, Event, Data>) {
  if (given.length === 1) return (each) => decide(machine, each, given[0])
  const [state, command] = given
  const refusal = refusalOf(machine, state, command)
  if (refusal !== null) return Result.fail(refusal)
  const row = rowOf(machine, command)
  const from = machine.statusOf(state)
  const to = destination(row, from)
  const patch = row.patch?.(state, command)
  const patched = { ...state, ...patch }
  const entered = machine.enter(to, patched, command)
  const after = { ...patched, ...entered }
  const transition: AcceptedTransition<State, Status, Command> = {
    machine: machine.name,
    row: command._tag,
    at: instantIn(command, "at"),
    from,
    to,
    command,
    changed: { ...patch, ...entered }
  }
  return Result.succeed({ state: after, events: emissionsOf(machine, row.emits, after, command), transition })
}

/**
 * Executes a birth: `make` builds the record in its first status, and the birth names the events. Pure: time and ids
 * are known to `make`.
 *
 * @throws RangeError when the record that was made is not in the birth's status.
 */
export const birth = <
  State,
  Status extends string,
  Command extends TaggedCommand,
  Event extends string,
  Data extends AnyData<Event>,
  First extends Status
>(
  machine: Machine<State, Status, Command, Event, Data>,
  { by, emits, to }: Birth<First, NoInfer<Event>>,
  make: (status: First) => NoInfer<State>
): Decision<State, Event, Data, Born<State, Status>> => {
  const state = make(to)
  const status = machine.statusOf(state)
  if (status !== to) throw new RangeError(`${machine.name} is born ${to}, and this one was made ${status}`)
  const at = instantIn(state, "created_at")
  const transition = { machine: machine.name, row: by, at, from: null, to, command: null, changed: state } as const
  return { state, events: emissionsOf(machine, emits, state, null), transition }
}

/**
 * The record after a transition, without asking whether it is allowed: it has happened.
 *
 * @throws RangeError for a transition of another machine, or from another status than the record has
 */
export function evolve<State, Status extends string, Command extends TaggedCommand, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  transition: AcceptedTransition<NoInfer<State>, NoInfer<Status>, NoInfer<Command>>
): (state: State) => State
export function evolve<State, Status extends string, Command extends TaggedCommand, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  state: State,
  transition: AcceptedTransition<State, Status, Command>
): State
export function evolve<State, Status extends string, Command extends TaggedCommand, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  ...given: RecordFirst<State, AcceptedTransition<State, Status, Command>>
): State | ((state: State) => State) {
  if (given.length === 1) return (each) => evolve(machine, each, given[0])
  const [state, { changed, from, machine: name, row }] = given
  const status = machine.statusOf(state)
  if (name !== machine.name) throw new RangeError(`${row} is a transition of ${name}, and not of ${machine.name}`)
  if (from !== status) throw new RangeError(`${row} leaves ${from}, and this record is ${status}`)
  return { ...state, ...changed }
}

const isBirth = <State, Status extends string, Command>(
  transition: Transition<State, Status, Command>
): transition is Born<State, Status> => transition.from === null

/**
 * The record that a history leads to, from its birth on; what happened after `until` is left out, and none is left where
 * the birth is. Events are not enough for this: they are what others are told.
 *
 * @throws RangeError where the transitions are not one history of one record
 */
export const replay = <State, Status extends string, Command extends TaggedCommand, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  transitions: Iterable<Transition<State, Status, Command>>,
  { until }: { readonly until?: DateTime.Utc } = {}
): Option.Option<State> => {
  let state = Option.none<State>()
  for (const transition of transitions) {
    const { at } = transition
    if (until !== undefined && at !== null && DateTime.isGreaterThan(at, until)) break
    if (isBirth(transition)) {
      if (Option.isSome(state)) throw new RangeError(`${transition.row}: this record is born already`)
      state = Option.some(transition.changed)
    } else if (Option.isSome(state)) state = Option.some(evolve(machine, state.value, transition))
    else throw new RangeError(`${transition.row}: this record is not born yet`)
  }
  return state
}

/** The statuses that no row leaves. */
export const terminalStatuses = <State, Status extends string, Command extends TaggedCommand, Event extends string>(
  machine: Machine<State, Status, Command, Event>
): ReadonlyArray<Status> => {
  const rows: ReadonlyArray<Row<State, Status, Command, Event>> = Object.values(machine.table)
  return machine.statuses.filter((status) => !rows.some((row) => row.from.includes(status)))
}

/** Whether a record takes a command now. */
export function can<State, Status extends string, Command extends TaggedCommand, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  command: NoInfer<Command>
): (state: State) => boolean
export function can<State, Status extends string, Command extends TaggedCommand, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  state: State,
  command: NoInfer<Command>
): boolean
export function can<State, Status extends string, Command extends TaggedCommand, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  ...given: RecordFirst<State, Command>
): boolean | ((state: State) => boolean) {
  if (given.length === 1) return (state) => can(machine, state, given[0])
  return refusalOf(machine, ...given) === null
}

/** Whether a record takes a kind of command. */
export interface Permission<Tag extends string> {
  readonly command: Tag
  /** `depends` where the status allows it and it has a condition that only a whole command can meet. */
  readonly answer: "yes" | "no" | "depends"
  /** The refusal as a sentence, or the condition in the table's words; null for yes. */
  readonly why: string | null
}

/**
 * Which commands a record takes now, and why not: one answer for each command of the machine. Conditions are asked of
 * the commands in `given`; of the others it is said that they depend.
 */
export const permittedCommands = <State, Status extends string, Command extends TaggedCommand, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  state: State,
  given: ReadonlyArray<Command> = []
): ReadonlyArray<Permission<Command["_tag"]>> => {
  const { table } = machine
  const status = machine.statusOf(state)
  return Object.keys(table)
    .filter((tag): tag is Command["_tag"] => tag in table)
    .map((tag) => {
      const { from, guard, rule, when } = table[tag]
      const whole = given.find((each) => each._tag === tag)
      if (whole !== undefined) {
        const refusal = refusalOf(machine, state, whole)
        return { command: tag, answer: refusal === null ? "yes" : "no", why: refusal?.message ?? null }
      }
      const starts: ReadonlyArray<Status> = from
      if (!starts.includes(status))
        return { command: tag, answer: "no", why: illegal(machine, tag, from, status).message }
      return guard === undefined
        ? { command: tag, answer: "yes", why: null }
        : { command: tag, answer: "depends", why: when ?? rule }
    })
}

/** The tags of the commands that may start in a status. */
export type StartingIn<Starts, Status> = {
  readonly [Tag in keyof Starts]: Status extends Starts[Tag] ? Tag : never
}[keyof Starts]

const inStatus = <
  State,
  Status extends string,
  Command extends TaggedCommand,
  Event extends string,
  Data extends AnyData<Event>,
  Starts extends AnyStarts<Status, Command>,
  In extends Status
>(
  machine: Machine<State, Status, Command, Event, Data, Starts>,
  status: In
) => ({
  /** Decides a command that the status allows; any other does not compile. A record in another status is refused. */
  decide: (
    state: State,
    command: Command & { readonly _tag: StartingIn<Starts, In> }
  ): ReturnType<typeof decide<State, Status, Command, Event, Data>> => {
    const found = machine.statusOf(state)
    return found === status
      ? decide(machine, state, command)
      : Result.fail(illegal(machine, command._tag, [status], found))
  }
})

export {
  /**
   * A machine as it is in one status, which takes only commands that are legal there: `Machine.in(machine,
   * "PENDING").decide(gift, { _tag: "Settle", … })`.
   */
  inStatus as in
}
