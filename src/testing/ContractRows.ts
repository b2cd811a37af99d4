import { Predicate } from "effect"
import type { Machine } from "../domain/kernel/Machine.ts"
import type { Expectation, ExpectedBirth, ExpectedData, Oracle } from "./Oracle.ts"

/**
 * A machine's rows as its contract has them, in plain text: births, then one row for each command, then the fields that
 * go with a status.
 *
 *     * → ACTIVE [thing.created]
 *     Raise: ACTIVE → same [thing.raised] ?; count + 1, raised_at = at
 *     End: ACTIVE → ENDED; ended_at = at
 *     ended_at, ended_by: ENDED
 *     note: ENDED or none
 *     [*]: id, count, since = its raised_at
 *
 * A `?` says that a condition stands before a command; the condition itself is a predicate beside the text. After the
 * semicolon follow the fields that change beside the status:
 *
 * - `field` takes the command's value of the same name, `field = name` its value of another name;
 * - `field = its name` takes another field of the record, `field = null`, `0`, `true`, `false` or `"text"` that value;
 * - `field + 1`, `field + name`, `field - name` counts from the value before;
 * - `...name` takes all fields that the command holds under that name;
 * - `*` stands for the fields that a function beside the text says;
 * - `undated` leaves `updated_at` as it was. Without it, a record that has one is dated by the command's `at`.
 *
 * A line in brackets says all that events of these types tell, `*` those of every type: `field` and `field = its name` of the
 * record after the command, values as above, `...record` all of its fields, `-field` all but this one, and `*` what a
 * function beside the text says.
 *
 * Fields have a value exactly in the statuses after their colon, and `or none` says that there they may have one. A line
 * that begins with none of these goes on with the line before.
 */
export type ContractRows = string

/** The functions that the text of {@link ContractRows} leaves open, by commands. */
export interface ContractTerms<State, Command> {
  readonly when?: {
    readonly [Tag in Tags<Command>]?: Expectation<State, Extract<Command, { readonly _tag: Tag }>>["when"]
  }
  readonly changes?: {
    readonly [Tag in Tags<Command>]?: Expectation<State, Extract<Command, { readonly _tag: Tag }>>["changes"]
  }
  /** The data of events that the text leaves open with `*`, by what its line has in the brackets. */
  readonly data?: Readonly<Record<string, ExpectedData<State, Command>>>
}

type Tags<Command> = Command extends { readonly _tag: infer Tag extends string } ? Tag : never

/** The statuses in which a field has a value. */
export interface FieldPresence {
  readonly field: string
  readonly statuses: ReadonlyArray<string>
  /** Whether it may lack the value even there. */
  readonly isOptional: boolean
}

const row =
  /^(?<tag>\*|\w+:) ?(?<from>[\w, ]*?) ?→ (?<to>\w+)(?: \[(?<events>[^\]]*)\])?(?<condition> \?)?(?:; (?<changes>.*))?$/

const presence = /^(?<fields>[\w, ]+): (?<statuses>[\w, ]+?)(?<optional> or none)?$/

const change = /^(?<field>\w+)(?: (?<sign>[=+-]) (?<source>its \w+|"\w+"|\w+))?$/

const teller = /^\[(?<types>[^\]]+)\]: (?<told>.+)$/

/** The lines of a text; one that begins nothing new goes on with the line before. */
const linesOf = (text: ContractRows): ReadonlyArray<string> =>
  text
    .trim()
    .split(/\n\s*(?=\* |[\w, ]+: |\[[^\]]+\]: )/)
    .map((line) => line.replaceAll(/\s+/g, " "))

const partsOf = (pattern: RegExp, line: string): Readonly<Record<string, string | undefined>> => {
  const parts = pattern.exec(line)?.groups
  if (parts === undefined) throw new RangeError(`This is no line of a contract: ${line}`)
  return parts
}

const listed = (text = ""): ReadonlyArray<string> => (text === "" ? [] : text.split(", "))

const constants: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["null", null],
  ["0", 0],
  ["true", true],
  ["false", false]
])

const read = (record: unknown, name: string): unknown => {
  if (Predicate.hasProperty(record, name)) return record[name]
  throw new RangeError(`A contract speaks of ${name}, which there is not.`)
}

const valueOf = (source: string, before: unknown, command: unknown): unknown => {
  if (source.startsWith('"')) return source.slice(1, -1)
  if (source.startsWith("its ")) return read(before, source.slice("its ".length))
  return constants.has(source) ? constants.get(source) : read(command, source)
}

const writtenBy = (text: string, before: unknown, command: unknown): object => {
  if (text.startsWith("...")) return Object(read(command, text.slice("...".length)))
  const { field = "", sign = "=", source = field } = partsOf(change, text)
  if (sign === "=") return { [field]: valueOf(source, before, command) }
  const amount = Number(/^\d+$/.test(source) ? source : read(command, source))
  return { [field]: Number(read(before, field)) + (sign === "+" ? amount : -amount) }
}

/** The data that a line in brackets says. */
const toldBy =
  <State, Command>(
    texts: ReadonlyArray<string>,
    said: ExpectedData<State, Command> | undefined
  ): ExpectedData<State, Command> =>
  (after, command) => {
    const told: Record<string, unknown> = {}
    for (const text of texts) {
      if (text === "*") Object.assign(told, said?.(after, command))
      else if (text === "...record") Object.assign(told, after)
      else if (text.startsWith("-")) delete told[text.slice(1)]
      else {
        const { field = "", source = `its ${field}` } = partsOf(change, text)
        told[field] = valueOf(source, after, command)
      }
    }
    return told
  }

const arePart = <State>(fields: unknown, record: State): fields is Partial<State> =>
  Object.keys(Object(fields)).every((field) => field in Object(record))

const changesOf = <State, Command>(
  changes: ReadonlyArray<string>,
  said: Expectation<State, Command>["changes"]
): NonNullable<Expectation<State, Command>["changes"]> => {
  const texts = changes.filter((each) => each !== "undated" && each !== "*")
  const isDated = !changes.includes("undated")
  return (before, command) => {
    const dated = isDated && Predicate.hasProperty(before, "updated_at") ? { updated_at: read(command, "at") } : {}
    const written: unknown = Object.assign(
      {},
      ...texts.map((text) => writtenBy(text, before, command)),
      said?.(before, command),
      dated
    )
    if (!arePart(written, before)) throw new RangeError(`A contract speaks of a field that the record does not have.`)
    return written
  }
}

/** The functions of a command must be said exactly where the text leaves something to them. */
const held = <A>(tag: string, isNamed: boolean, said: A | undefined): A | undefined => {
  if (isNamed !== (said !== undefined)) throw new RangeError(`The text of ${tag} and what is said beside it differ.`)
  return said
}

const speaksOf = <State, Command>(
  { table }: Pick<Machine<never, string, never, string>, "table">,
  expect: object
): expect is NonNullable<Oracle<State, Command>["expect"]> =>
  Object.keys(expect).toSorted().join() === Object.keys(table).toSorted().join()

/** A text of a contract, read. */
export interface Contract<State, Command> {
  readonly births: ReadonlyArray<ExpectedBirth>
  readonly expect: NonNullable<Oracle<State, Command>["expect"]>
  readonly fields: ReadonlyArray<FieldPresence>
  readonly data: Readonly<Record<string, ExpectedData<State, Command>>>
}

/**
 * Reads the text of a machine's contract.
 *
 * @throws RangeError where a line cannot be read, or speaks of other commands than the machine has
 */
export const contractOf = <State, Status extends string, Command extends { readonly _tag: string }>(
  machine: Machine<State, Status, Command, string>,
  text: ContractRows,
  terms: ContractTerms<State, Command>
): Contract<State, Command> => {
  const conditions: Readonly<Record<string, Expectation<State, Command>["when"]>> = terms.when ?? {}
  const functions: Readonly<Record<string, Expectation<State, Command>["changes"]>> = terms.changes ?? {}
  const births: Array<ExpectedBirth> = []
  const fields: Array<FieldPresence> = []
  const expect: Record<string, Expectation<State, Command>> = {}
  const data: Record<string, ExpectedData<State, Command>> = {}
  for (const line of linesOf(text)) {
    if (line.startsWith("[")) {
      const { told, types = "" } = partsOf(teller, line)
      const texts = listed(told)
      const telling = toldBy(texts, held(types, texts.includes("*"), terms.data?.[types]))
      for (const type of types === "*" ? Object.keys(machine.events) : listed(types)) data[type] = telling
      continue
    }
    if (!line.includes("→")) {
      const { fields: names, optional, statuses } = partsOf(presence, line)
      const isOptional = optional !== undefined
      fields.push(...listed(names).map((field) => ({ field, statuses: listed(statuses), isOptional })))
      continue
    }
    const { changes, condition, events, from, tag = "", to = "" } = partsOf(row, line)
    if (tag === "*") {
      births.push({ to, events: listed(events) })
      continue
    }
    const command = tag.slice(0, -1)
    const written = listed(changes)
    const when = held(command, condition !== undefined, conditions[command])
    expect[command] = {
      from: listed(from),
      to,
      events: listed(events),
      ...(when === undefined ? {} : { when }),
      changes: changesOf(written, held(command, written.includes("*"), functions[command]))
    }
  }
  if (!speaksOf<State, Command>(machine, expect)) {
    const [said, there] = [expect, machine.table].map((each) => Object.keys(each).join(", ") || "none")
    throw new RangeError(`The rows of ${machine.name} speak of the commands ${said}, and its table has ${there}.`)
  }
  return { births, data, expect, fields }
}
