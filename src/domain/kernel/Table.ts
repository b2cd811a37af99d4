/** The words in which a refused command is explained to people, who do not know the names of commands. docs/decisions/0037. */
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
 * status. A command that could end in two statuses is two commands. `From` are the statuses of `from`, where they are
 * known one by one.
 */
export interface Row<State, Status extends string, Command, Event extends string, From extends string = Status>
  extends QuietRow<State, Status, Command, From> {
  readonly emits: ReadonlyArray<Event>
  /** The section of the contract that sets this row. */
  readonly rule: string
}

/** A row as it is defined, which emits nothing where it does not say what, and is set where its machine is. */
export interface DefinedRow<State, Status extends string, Command, Event extends string, From extends string = Status>
  extends QuietRow<State, Status, Command, From> {
  readonly emits?: ReadonlyArray<Event>
  readonly rule?: string
}

interface QuietRow<State, Status extends string, Command, From extends string> {
  readonly from: ReadonlyArray<From>
  /** `"same"` where the record stays in whichever status of `from` it has. */
  readonly to: Status | "same"
  readonly when?: string
  // Methods, whose parameters are bivariant, so that a row of one command can stand for a row of any: rowOf hands a
  // command only to its own row.
  guard?(self: State, command: Command): boolean
  refusal?(self: State, command: Command): string
  patch?(self: State, command: Command): Partial<State>
  /** The parts of the guard, where {@link requires} made it. */
  readonly conditions?: ReadonlyArray<Condition<State, Command>>
}

/** A predicate that is a method, whose parameters are bivariant like those of a {@link Row}. */
interface Predicate<State, Command> {
  holds(self: State, command: Command): boolean
}

/** One condition of a row: in words, and as a predicate. */
export type Condition<State, Command> = readonly [words: string, holds: Predicate<State, Command>["holds"]]

/** A row's `when`, `guard` and `refusal`, all made of the same conditions. `refusal` names the first that does not hold. */
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

/** The statuses in which each command may start, by its tag. */
export type AnyStarts<Status extends string, Command extends { readonly _tag: string }> = {
  readonly [Tag in Command["_tag"]]: Status
}

/** One row per command: a command without a row does not compile. */
export type Table<
  State,
  Status extends string,
  Command extends { readonly _tag: string },
  Event extends string,
  Starts extends AnyStarts<Status, Command> = AnyStarts<Status, Command>
> = {
  readonly [Tag in Command["_tag"]]: Row<State, Status, Extract<Command, { readonly _tag: Tag }>, Event, Starts[Tag]>
}

/** How a record comes to be. `birth` executes it; it prints as `[*] --> status`. */
export interface Birth<Status extends string, Event extends string> {
  readonly by: string
  readonly to: Status
  readonly emits: ReadonlyArray<Event>
  readonly rule: string
}

/** The births of a machine, by the names under which use cases execute them. */
export type Births<Status extends string, Event extends string> = { readonly [name: string]: Birth<Status, Event> }

/** Statuses as an enumeration: `PENDING, VIEWED or ACCEPTED`. */
export const either = (statuses: ReadonlyArray<string>): string =>
  statuses.length < 2 ? statuses.join() : `${statuses.slice(0, -1).join(", ")} or ${statuses.at(-1)}`

/** The parts of a machine that a diagram shows. */
export interface Diagram {
  readonly statuses: ReadonlyArray<string>
  readonly births: ReadonlyArray<{ readonly by: string; readonly to: string }>
  readonly table: Readonly<Record<string, { readonly from: ReadonlyArray<string>; readonly to: string }>>
}

/** A machine as a diagram of Mermaid: births, commands, and the statuses that no command leaves. */
export const toMermaid = ({ births, statuses, table }: Diagram): string => {
  const rows = Object.entries(table)
  const terminal = statuses.filter((status) => !rows.some(([, { from }]) => from.includes(status)))
  return [
    "stateDiagram-v2",
    ...births.map(({ by, to }) => `  [*] --> ${to}: ${by}`),
    ...rows.flatMap(([command, { from, to }]) =>
      from.map((status) => `  ${status} --> ${destination({ to }, status)}: ${command}`)
    ),
    ...terminal.map((status) => `  ${status} --> [*]`)
  ].join("\n")
}
