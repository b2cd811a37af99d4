import { type DateTime, Schema } from "effect"
import { commandCheck, type InvalidCommand } from "./CommandCheck.ts"
import { Rejection } from "./Rejection.ts"
import type { AnyStarts, Birth, Births, DefinedRow, Row, Table, Wording } from "./Table.ts"

/** A command that is not allowed in the record's present status. */
export class IllegalTransition extends Rejection.extend<IllegalTransition>("IllegalTransition")({
  _tag: Schema.tag("IllegalTransition"),
  machine: Schema.String,
  command: Schema.String,
  status: Schema.String,
  message: Schema.String
}) {}

/** A command that its row's guard refused. `rule` is the condition that does not hold, in the table's words. */
export class GuardRefused extends Rejection.extend<GuardRefused>("GuardRefused")({
  _tag: Schema.tag("GuardRefused"),
  machine: Schema.String,
  command: Schema.String,
  rule: Schema.String,
  message: Schema.String
}) {}

/** Why a machine refuses a command: it is not well formed, its status does not allow it, or its guard does not. */
export type Refusal = InvalidCommand | IllegalTransition | GuardRefused

/** A command, by its tag. */
export type TaggedCommand = { readonly _tag: string }

/**
 * The data of one type of event: its schema, and how it follows from the record after the command that emits it, or after
 * the birth (`command` null). It says what the record knows; what lies outside (the address of a page, another record) is
 * added by whoever publishes it. A published event is for others to read: it is partial, and no source of the record's
 * state, which {@link Transition transitions} are.
 */
export interface EventOf<State, Command, Data> {
  readonly data: Schema.Schema<Data>
  of(state: State, command: Command | null): Data
}

/** The events of a machine, by their types. */
export type EventsOf<State, Command, Data> = {
  readonly [Type in keyof Data]: EventOf<State, Command, Data[Type]>
}

/** Data of which nothing is known but that there is some of each type. */
export type AnyData<Event extends string> = { readonly [Type in Event]: unknown }

/** The events of a machine as decisions emit them, by their types. */
export type EmissionMap<Data> = {
  readonly [Type in keyof Data & string]: { readonly type: Type; readonly data: Data[Type] }
}

/** An event that a decision emits. */
export type Emission<Data> = EmissionMap<Data>[keyof Data & string]

/** The birth of a record, as a value: the whole record as it was then. */
export interface Born<State, Status extends string> {
  readonly machine: string
  /** How it came to be, in the words of its birth. */
  readonly row: string
  /** The record's `created_at`, where it has one. */
  readonly at: DateTime.Utc | null
  readonly from: null
  readonly to: Status
  readonly command: null
  readonly changed: State
}

/** One accepted command, as a value. */
export interface AcceptedTransition<State, Status extends string, Command> {
  readonly machine: string
  /** The command whose row it is. */
  readonly row: string
  /** The command's `at`, where it has one. */
  readonly at: DateTime.Utc | null
  readonly from: Status
  readonly to: Status
  readonly command: Command
  /** The fields that its row wrote, those of the status included. */
  readonly changed: Partial<State>
}

/** One step of a record's history. All of them in order are its state: {@link replay}. */
export type Transition<State, Status extends string, Command> =
  | Born<State, Status>
  | AcceptedTransition<State, Status, Command>

/** The result of a decision: the state that follows, the events that it emits, in order, and the step as a value. */
export interface Decision<State, Event extends string, Data = AnyData<Event>, Step = unknown> {
  readonly state: State
  readonly events: ReadonlyArray<Emission<Data>>
  readonly transition: Step
}

/** A state machine as data. Made by {@link define}. */
export interface Machine<
  State,
  Status extends string,
  Command extends TaggedCommand,
  Event extends string,
  Data = AnyData<Event>,
  Starts extends AnyStarts<Status, Command> = AnyStarts<Status, Command>
> {
  readonly name: string
  /** The schema of the record. */
  readonly state: Schema.Schema<State>
  /** The schema of the commands: a value outside it is refused. */
  readonly command: Schema.Schema<Command>
  readonly events: EventsOf<State, Command, Data>
  readonly wording: Wording<string, string>
  readonly statuses: ReadonlyArray<Status>
  readonly births: ReadonlyArray<Birth<Status, Event>>
  readonly table: Table<State, Status, Command, Event, Starts>
  readonly statusOf: (state: State) => Status
  /** The fields that say a status, for machines whose status is not one field. */
  readonly enter: (status: Status, state: State, command: Command) => Partial<State>
  /**
   * Fields that hold when a status was entered, each with the statuses on whose entry it becomes the command's `at`. No
   * other transition writes them.
   */
  readonly milestones?: { readonly [Field in keyof State & string]?: ReadonlyArray<Status> }
  /** Refuses a value that is no command of this machine. */
  readonly check: (command: Command) => InvalidCommand | null
}

/** The parts that {@link define} makes a machine of. */
interface Definition<
  State,
  Status extends string,
  Command extends TaggedCommand,
  Data,
  Starts extends AnyStarts<Status, Command>
> {
  readonly name: string
  readonly state: Schema.Schema<State>
  readonly command: Schema.Schema<Command>
  readonly statuses: ReadonlyArray<Status>
  /** The section of the contract that sets its rows, but for those that name another. */
  readonly rule: string
  /** Its events; none when absent. */
  readonly events?: EventsOf<State, Command, Data>
  readonly births: Births<NoInfer<Status>, keyof NoInfer<Data> & string>
  readonly table: {
    readonly [Tag in keyof Starts]: DefinedRow<
      State,
      NoInfer<Status>,
      Extract<Command, { readonly _tag: Tag }>,
      keyof NoInfer<Data> & string,
      Starts[Tag] & string
    >
  }
  readonly statusOf: (state: State) => NoInfer<Status>
  readonly enter?: (status: NoInfer<Status>, state: State, command: Command) => Partial<State>
  readonly milestones?: { readonly [Field in keyof State & string]?: ReadonlyArray<NoInfer<Status>> }
  /** The words of refusals; plain ones, with the names of the commands, when absent. */
  readonly wording?: Wording<NoInfer<Status>, Command["_tag"]>
}

const plainWording = (name: string, tags: ReadonlyArray<string>): Wording<string, string> => ({
  record: `${/^[aeiou]/i.test(name) ? "An" : "A"} ${name.toLowerCase()}`,
  can: Object.fromEntries(tags.map((tag) => [tag, `take ${tag}`])),
  instead: {},
  unless: {}
})

/** The statuses of a machine whose records have theirs in the field `status`. */
export const byField = <const Status extends string>({ literals }: { readonly literals: ReadonlyArray<Status> }) => ({
  statuses: literals,
  statusOf: ({ status }: { readonly status: Status }) => status,
  enter: (status: Status) => ({ status })
})

/** What {@link define} made, for an interface that extends it: editors and declarations show that by its name. */
export type MachineType<M> = M

/** Makes a machine of its parts. Which commands are legal where is known to the compiler afterwards: `Machine.in`. */
export const define = <
  State,
  const Status extends string,
  Command extends TaggedCommand,
  const Starts extends AnyStarts<Status, Command>,
  Data = Record<never, never>
>(
  definition: Definition<State, Status, Command, Data, Starts>
): Machine<State, Status, Command, keyof Data & string, Data, Starts> => {
  const { births, command, events, name, rule, table, wording } = definition
  const rows = Object.entries<object>(table).map(([tag, row]) => [tag, { emits: [], rule, ...row }])
  return {
    enter: () => ({}),
    ...definition,
    events: Object.assign({}, events),
    births: Object.values(births),
    table: Object.fromEntries(rows),
    wording: wording ?? plainWording(name, Object.keys(table)),
    check: commandCheck(name, Object.keys(table), command)
  }
}

/** The row of a command. Throws a `RangeError` for a command that the machine does not have. */
export const rowOf = <State, Status extends string, Command extends TaggedCommand, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  command: Command
): Row<State, Status, Command, Event> => {
  const rows: Readonly<Record<string, Row<State, Status, Command, Event>>> = machine.table
  const row = rows[command._tag]
  if (row === undefined) throw new RangeError(`${machine.name} has no row for ${command._tag}`)
  return row
}
