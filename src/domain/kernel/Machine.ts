import { Result, Schema } from "effect"
import { Rejection } from "./Rejection.ts"

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

/**
 * The words in which a refused command is explained to people, who do not know the names of commands.
 * docs/decisions/0037.
 */
export interface Wording<Status extends string, Tag extends string> {
  /** The record with its article: `An introduction`. */
  readonly record: string
  /** Each command as a passive infinitive, to follow "can": `be resent`. */
  readonly can: { readonly [T in Tag]: string }
  /** The advice to a caller, for each status that refuses a command. */
  readonly instead: { readonly [S in Status]?: string }
  /** For each condition of the table, by its words: the problem where it does not hold, and what to do. */
  readonly unless: { readonly [condition: string]: string }
}

/**
 * One row of a machine: where a command may start, where it leads, what it emits and on what condition.
 *
 * `when` is the guard in words, for the printed table; `guard` is the same as a predicate; `refusal` returns the part
 * of `when` that a refused command breaks, where `when` has several; `patch` returns the fields that change beside the
 * status. A command that could end in two statuses is two commands.
 */
export interface Row<State, Status extends string, Command, Event extends string> {
  readonly from: ReadonlyArray<Status>
  /** `"same"` where the record stays in whichever status of `from` it has. */
  readonly to: Status | "same"
  readonly emits: ReadonlyArray<Event>
  readonly when?: string
  // Methods, whose parameters are bivariant, so that a row of one command can stand for a row of any: rowOf hands a
  // command only to its own row.
  guard?(self: State, command: Command): boolean
  refusal?(self: State, command: Command): string
  patch?(self: State, command: Command): Partial<State>
  /** The parts of the guard, where {@link requires} made it. */
  readonly conditions?: ReadonlyArray<Condition<State, Command>>
  /** The section of the contract that sets this row. */
  readonly rule: string
}

/** A predicate that is a method, whose parameters are bivariant like those of a {@link Row}. */
interface Predicate<State, Command> {
  holds(self: State, command: Command): boolean
}

/** One condition of a row: in words, and as a predicate. */
export type Condition<State, Command> = readonly [words: string, holds: Predicate<State, Command>["holds"]]

/**
 * A row's `when`, `guard` and `refusal`, all made of the same conditions. `refusal` names the first that does not hold.
 */
export const requires = <State, Command>(...conditions: ReadonlyArray<Condition<State, Command>>) => {
  const broken = (self: State, command: Command) => conditions.find(([, holds]) => !holds(self, command))
  const when = conditions.map(([words]) => words).join("; ")
  return {
    when,
    conditions,
    guard: (self: State, command: Command): boolean => broken(self, command) === undefined,
    refusal: (self: State, command: Command): string => broken(self, command)?.[0] ?? when
  }
}

/** The status in which a row leaves a record that is in `from`. */
export const destination = <Status extends string>(row: { readonly to: Status | "same" }, from: Status): Status =>
  row.to === "same" ? from : row.to

/** One row per command: a command without a row does not compile. */
export type Table<State, Status extends string, Command extends { readonly _tag: string }, Event extends string> = {
  readonly [Tag in Command["_tag"]]: Row<State, Status, Extract<Command, { readonly _tag: Tag }>, Event>
}

/** How a record comes to be. {@link birth} executes it; it prints as `[*] --> status`. */
export interface Birth<Status extends string, Event extends string> {
  readonly by: string
  readonly to: Status
  readonly emits: ReadonlyArray<Event>
  readonly rule: string
}

/** The births of a machine, by the names under which use cases execute them. */
export type Births<Status extends string, Event extends string> = { readonly [name: string]: Birth<Status, Event> }

/** The result of a decision: the state that follows and the event types it emits, in order. */
export interface Decision<State, Event extends string> {
  readonly state: State
  readonly events: ReadonlyArray<Event>
}

/** A state machine as data. */
export interface Machine<
  State,
  Status extends string,
  Command extends { readonly _tag: string },
  Event extends string
> {
  readonly name: string
  readonly wording: Wording<Status, Command["_tag"]>
  readonly statuses: ReadonlyArray<Status>
  readonly births: ReadonlyArray<Birth<Status, Event>>
  readonly table: Table<State, Status, Command, Event>
  readonly statusOf: (state: State) => Status
  /** The fields that say a status, for machines whose status is not one field. */
  readonly enter: (status: Status, state: State, command: Command) => Partial<State>
  /**
   * Fields that hold when a status was entered, each with the statuses on whose entry it becomes the command's `at`. No
   * other transition writes them.
   */
  readonly milestones?: { readonly [Field in keyof State & string]?: ReadonlyArray<Status> }
}

/** The row of a command. */
export const rowOf = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  command: Command
): Row<State, Status, Command, Event> => {
  const rows: Readonly<Record<string, Row<State, Status, Command, Event>>> = machine.table
  const row = rows[command._tag]
  if (row === undefined) throw new RangeError(`${machine.name} has no row for ${command._tag}`)
  return row
}

/** Statuses as an enumeration: `PENDING, VIEWED or ACCEPTED`. */
export const either = (statuses: ReadonlyArray<string>): string =>
  statuses.length < 2 ? statuses.join() : `${statuses.slice(0, -1).join(", ")} or ${statuses.at(-1)}`

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

/**
 * Decides a command: a new state with its events, or a refusal that names the rule that was broken. Pure: time and ids
 * come with the command, and the given state is not changed.
 */
export const decide = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  state: State,
  command: Command
): Result.Result<Decision<State, Event>, IllegalTransition | GuardRefused> => {
  const row = rowOf(machine, command)
  const status = machine.statusOf(state)
  if (!row.from.includes(status)) {
    const message = refusedByStatus(machine.wording, command._tag, row.from, status)
    return Result.fail(new IllegalTransition({ machine: machine.name, command: command._tag, status, message }))
  }
  if (row.guard !== undefined && !row.guard(state, command)) {
    const rule = row.refusal?.(state, command) ?? row.when ?? row.rule
    const message = machine.wording.unless[rule] ?? `This is possible only when ${rule}.`
    return Result.fail(new GuardRefused({ machine: machine.name, command: command._tag, rule, message }))
  }
  const patched = { ...state, ...row.patch?.(state, command) }
  const entered = machine.enter(destination(row, status), patched, command)
  return Result.succeed({ state: { ...patched, ...entered }, events: row.emits })
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
  Command extends { readonly _tag: string },
  Event extends string,
  First extends Status
>(
  machine: Machine<State, Status, Command, Event>,
  { emits, to }: Birth<First, NoInfer<Event>>,
  make: (status: First) => NoInfer<State>
): Decision<State, Event> => {
  const state = make(to)
  const status = machine.statusOf(state)
  if (status !== to) throw new RangeError(`${machine.name} is born ${to}, and this one was made ${status}`)
  return { state, events: emits }
}

/** The statuses that no row leaves. */
export const terminalStatuses = <
  State,
  Status extends string,
  Command extends { readonly _tag: string },
  Event extends string
>(
  machine: Machine<State, Status, Command, Event>
): ReadonlyArray<Status> => {
  const rows: ReadonlyArray<Row<State, Status, Command, Event>> = Object.values(machine.table)
  return machine.statuses.filter((status) => !rows.some((row) => row.from.includes(status)))
}
