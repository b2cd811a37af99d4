import { Equal } from "effect"
import { destination, type Machine, rowOf } from "../domain/kernel/Machine.ts"
import { pure } from "./LawBroken.ts"
import { differenceIn, fieldsRead } from "./RecordFields.ts"
import { tellValue } from "./RecordText.ts"

type TagOf<Command> = Command extends { readonly _tag: infer Tag extends string } ? Tag : never

/** A command that was accepted: what the record was, what it became, and the events. */
export interface AcceptedCommand<State, Command> {
  readonly before: State
  readonly command: Command
  readonly after: State
  readonly events: ReadonlyArray<{ readonly type: string; readonly data?: unknown }>
}

/** An expectation of a command, said without the table. Wherever it is not expected it must be refused. */
export interface Expectation<State, Command> {
  /** The statuses that allow the command; every other one refuses it. */
  readonly from: ReadonlyArray<string>
  /** The status that follows; `"same"` where it stays. */
  readonly to: string
  /** The types of its events, in order; none when absent. */
  readonly events?: ReadonlyArray<string>
  /** The condition on which it is accepted, as a predicate of its own; every record meets it when absent. */
  when?(before: State, command: Command): boolean
  /** The fields that change beside the status, all of them; nothing is said of the fields when absent. */
  changes?(before: State, command: Command): Partial<State>
}

/** How a record is expected to be born. */
export interface ExpectedBirth {
  readonly to: string
  /** The types of its events, in order. */
  readonly events: ReadonlyArray<string>
}

/** The data of an event, said without the table: of the record after a command, or after its birth (`command` null). */
export type ExpectedData<State, Command> = (after: State, command: Command | null) => object

/** The knowledge of a machine that needs no look at its table. */
export interface Oracle<State, Command> {
  /** Conditions of every state, by the sentence that says them. */
  readonly invariants?: Readonly<Record<string, (state: State) => boolean>>
  /** Conditions of every command that is accepted, by the sentence that says them. */
  readonly steps?: Readonly<Record<string, (taken: AcceptedCommand<State, Command>) => boolean>>
  /** How records are born, in the order of the machine's births; nothing is said of them when absent. */
  readonly births?: ReadonlyArray<ExpectedBirth>
  /** The data of events, by their types. Of an event that is not listed nothing is said. */
  readonly data?: Readonly<Record<string, ExpectedData<State, Command>>>
  /** The effects of commands. Of a command that is not listed nothing is expected. */
  readonly expect?: {
    readonly [Tag in TagOf<Command>]?: Expectation<State, Extract<Command, { readonly _tag: Tag }>>
  }
}

/** The expectation of a command, if there is one. */
export const expectedOf = <State, Command extends { readonly _tag: string }>(
  { expect = {} }: Oracle<State, Command>,
  tag: string
): Expectation<State, Command> | undefined => {
  const expectations: Readonly<Record<string, Expectation<State, Command> | undefined>> = expect
  return expectations[tag]
}

/** Whether a command meets the condition on which it is expected to be accepted. */
export const meets = <State, Command extends { readonly _tag: string }>(
  expected: Expectation<State, Command>,
  before: State,
  command: Command
): boolean =>
  pure(`the condition expected of ${command._tag}`, () => expected.when?.(before, command) ?? true, "expected")

/** Whether a command is expected to be accepted. */
export const outcomeOf = <State, Command extends { readonly _tag: string }>(
  expected: Expectation<State, Command>,
  status: string,
  before: State,
  command: Command
): "taken" | "refused by the guard" | "refused by the status" => {
  if (!expected.from.includes(status)) return "refused by the status"
  return meets(expected, before, command) ? "taken" : "refused by the guard"
}

/** An event of a decision. A decision of one's own may leave the data out. */
export interface ToldEvent {
  readonly type: string
  readonly data?: unknown
}

interface WrongField {
  readonly field: string
  readonly words: string
}

/** The first of the fields that an event tells otherwise than is expected, and that in words; null when there is none. */
export const wrongData = <State, Command>(
  { data = {} }: Oracle<State, Command>,
  { data: told, type }: ToldEvent,
  after: State,
  command: Command | null
): WrongField | null => {
  const expected = pure(`what is expected of ${type}`, () => data[type]?.(after, command), "expected")
  if (expected === undefined || told === undefined) return null
  const [wanted, found] = [entriesOf(expected), entriesOf(Object(told))]
  for (const field of new Set([...wanted.keys(), ...found.keys()])) {
    if (Equal.equals(found.get(field), wanted.get(field))) continue
    const difference = differenceIn(field, wanted.get(field), found.get(field))
    const [should, does] = [tellValue(difference.wanted), tellValue(difference.found)]
    return { field, words: `${type} should tell ${difference.path} ${should}, but tells ${does}` }
  }
  return null
}

const entriesOf = (record: object): ReadonlyMap<string, unknown> => new Map(Object.entries(record))

/** Whether a record would have another status, if a field had stayed: such fields need not be said beside the status. */
const saysStatus = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  { statusOf }: Machine<State, Status, Command, Event>,
  field: string,
  before: State,
  after: State
): boolean => statusOf(Object.assign({}, after, { [field]: Reflect.get(Object(before), field) })) !== statusOf(after)

/** The first field that is not what the expectation says, and that in words; null when all are. */
export const wrongField = <
  State,
  Status extends string,
  Command extends { readonly _tag: string },
  Event extends string
>(
  machine: Machine<State, Status, Command, Event>,
  expected: Expectation<State, Command>,
  { after, before, command }: AcceptedCommand<State, Command>
): WrongField | null => {
  if (expected.changes === undefined) return null
  const said = `the changes expected of ${command._tag}`
  const changes = entriesOf(pure(said, () => expected.changes?.(before, command) ?? {}, "expected"))
  const ofStatus = machine.enter(destination(rowOf(machine, command), machine.statusOf(before)), before, command)
  const [old, now] = [entriesOf(Object(before)), entriesOf(Object(after))]
  for (const field of new Set([...old.keys(), ...now.keys(), ...changes.keys()])) {
    if (field in ofStatus && !changes.has(field) && saysStatus(machine, field, before, after)) continue
    const [value, wanted] = [now.get(field), changes.has(field) ? changes.get(field) : old.get(field)]
    if (!Equal.equals(value, wanted)) {
      const { found, path, wanted: should } = differenceIn(field, wanted, value)
      return { field, words: `${path} should be ${tellValue(should)}, but is ${tellValue(found)}` }
    }
  }
  return null
}

/** The first sentence that a record breaks, and the fields that it speaks of. */
export const brokenInvariant = <State>(
  { invariants = {} }: Oracle<State, never>,
  state: State
): { readonly said: string; readonly fields: ReadonlyArray<string> } | undefined => {
  const broken = Object.entries(invariants).find(([said, holds]) => !pure(said, () => holds(state), "invariant"))
  return broken === undefined ? undefined : { said: broken[0], fields: fieldsRead(state, [broken[1]]) }
}

/** The first sentence that a step breaks. */
export const brokenStep = <State, Command>(
  { steps = {} }: Oracle<State, Command>,
  taken: AcceptedCommand<State, Command>
): string | undefined => Object.entries(steps).find(([said, holds]) => !pure(said, () => holds(taken), "step"))?.[0]
