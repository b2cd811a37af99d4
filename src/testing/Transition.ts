import { DateTime, Equal, Predicate, Result, Schema } from "effect"
import {
  type AcceptedTransition,
  decide,
  destination,
  evolve,
  type Machine,
  type Refusal,
  type Row,
  rowOf,
  terminalStatuses,
  typesOf
} from "../domain/kernel/Machine.ts"
import { instantIn } from "./InTime.ts"
import { LawBroken, pure } from "./LawBroken.ts"
import {
  brokenInvariant,
  brokenStep,
  expectedOf,
  type Oracle,
  outcomeOf,
  type ToldEvent,
  wrongData,
  wrongField
} from "./Oracle.ts"
import { fieldSchemas, fieldsRefused, isPlain } from "./RecordFields.ts"
import { tellRecord, tellValue } from "./RecordText.ts"
import { fieldsChanged } from "./ScriptText.ts"

/** The result of a command that was accepted; the transition is held to it where there is one. */
export interface DecisionResult<State, Command> {
  readonly state: State
  readonly events: ReadonlyArray<ToldEvent>
  readonly transition?: AcceptedTransition<State, string, Command>
}

/** A function that decides a command: a new state with its events, or a refusal. */
export type Decide<State, Command> = (
  state: State,
  command: Command
) => Result.Result<DecisionResult<State, Command>, Refusal>

/** How one command ended. */
export interface Step<State> {
  readonly outcome: "taken" | "refused by the guard" | "refused by the status"
  readonly state: State
}

const freeze = <A>(value: A): A => {
  if (Array.isArray(value)) value.forEach(freeze)
  else if (isPlain(value)) {
    Object.values(value).forEach(freeze)
  } else return value
  return Object.freeze(value)
}

/** Whether a row's guard permits a command; a row without one permits everything. */
export const permits = <State, Command>(
  row: Row<State, string, Command, string>,
  state: State,
  command: Command
): boolean => row.guard?.(state, command) ?? true

const same = (a: unknown, b: unknown): boolean =>
  DateTime.isDateTime(a) && DateTime.isDateTime(b) ? DateTime.Equivalence(a, b) : a === b

const fieldOf = (record: unknown, field: string): unknown =>
  Predicate.hasProperty(record, field) ? record[field] : undefined

const checkMilestones = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  before: State,
  after: State,
  command: Command
): void => {
  const from = machine.statusOf(before)
  const to = machine.statusOf(after)
  const at = fieldOf(command, "at")
  const milestones: Readonly<Record<string, ReadonlyArray<Status> | undefined>> = machine.milestones ?? {}
  for (const [field, statuses] of Object.entries(milestones)) {
    const passed = from !== to && statuses?.includes(to) === true
    const expected = passed ? at : fieldOf(before, field)
    const value = fieldOf(after, field)
    if (!same(value, expected)) {
      throw new LawBroken(
        "milestones",
        `${field} should be ${tellValue(expected)} in ${to}, but is ${tellValue(value)}`,
        [field]
      )
    }
  }
}

export interface StepCheck<State, Command> extends Oracle<State, Command> {
  /** Whether the record's schema takes a state. */
  readonly accepts: (state: unknown) => boolean
  /** The function that decides; the library's `decide` when absent. */
  readonly decide?: Decide<State, Command> | undefined
}

/** Holds a record to the fields that it had or that its schema has, where that has fields: a schema overlooks all others. */
const checkOwnFields = (schema: unknown, before: unknown, after: unknown): void => {
  const known = { ...fieldSchemas(schema), ...Object(before) }
  const unknown = Object.keys(Object(after)).find((field) => !Object.hasOwn(known, field))
  if (unknown === undefined || Object.keys(fieldSchemas(schema)).length === 0) return
  throw new LawBroken("schema", `${unknown} is written, which no record has`, [unknown])
}

const checkExpected = (expected: Step<unknown>["outcome"], outcome: Step<unknown>["outcome"]): void => {
  if (expected !== outcome) {
    throw new LawBroken("expected", `should be ${expected}, but is ${outcome}`)
  }
}

const checkTransition = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  before: State,
  command: Command,
  { state, transition }: DecisionResult<State, Command>
): void => {
  if (transition === undefined) return
  const broken = (why: string) => new LawBroken("evolution", why)
  const [from, to] = [machine.statusOf(before), machine.statusOf(state)]
  if (transition.machine !== machine.name) throw broken(`the transition says it is of ${transition.machine}`)
  if (!Equal.equals(transition.command, command)) throw broken("the transition says another command")
  if (transition.row !== command._tag) throw broken(`the row is ${transition.row}`)
  if (!same(transition.at, instantIn(command, "at") ?? null)) {
    throw broken(`the transition says it was at ${tellValue(transition.at)}`)
  }
  const wrote = { ...rowOf(machine, command).patch?.(before, command), ...machine.enter(to, before, command) }
  const unwritten = Object.keys(transition.changed).find((field) => !(field in wrote))
  if (unwritten !== undefined) throw broken(`the transition says that ${unwritten} changed, which the row leaves alone`)
  if (transition.from !== from || transition.to !== to) {
    throw broken(`the transition says ${transition.from} → ${transition.to}, and it is ${from} → ${to}`)
  }
  if (!Equal.equals(evolve(machine, before, { ...transition, from, to }), state)) {
    throw broken(`${tellValue(transition.changed)} does not lead to the state that was decided`)
  }
}

/**
 * Holds events, after a command or a birth, to their schemas and to what is expected of their data.
 *
 * @throws LawBroken
 */
export const checkData = <
  State,
  Status extends string,
  Command extends { readonly _tag: string },
  Event extends string
>(
  machine: Machine<State, Status, Command, Event>,
  oracle: Oracle<State, Command>,
  events: ReadonlyArray<ToldEvent>,
  after: State,
  command: Command | null
): void => {
  const known: Readonly<Record<string, { readonly data: Schema.Schema<unknown> } | undefined>> = machine.events
  for (const told of events) {
    const { data, type } = told
    const schema = known[type]?.data
    if (data !== undefined && schema !== undefined && !Schema.is(schema)(data)) {
      const fields = fieldsRefused(schema, data)
      throw new LawBroken("events", `the schema of ${type} refuses ${tellRecord(data, new Set(fields))}`, fields)
    }
    const wrong = wrongData(oracle, told, after, command)
    if (wrong !== null) throw new LawBroken("expected", wrong.words, [wrong.field])
  }
}

/** Holds a command that was accepted against what is known of the machine without its table. */
const checkKnown = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  oracle: Oracle<State, Command>,
  taken: Parameters<typeof wrongField<State, Status, Command, Event>>[2]
): void => {
  const expected = expectedOf(oracle, taken.command._tag)
  if (expected !== undefined) {
    const [from, to] = [machine.statusOf(taken.before), machine.statusOf(taken.after)]
    const landing = expected.to === "same" ? from : expected.to
    if (to !== landing) throw new LawBroken("expected", `is expected to lead to ${landing}, but leads to ${to}`)
    const types = expected.events ?? []
    const emitted = typesOf(taken.events)
    if (emitted.join() !== types.join()) {
      throw new LawBroken("expected", `is expected to emit [${types}], but emits [${emitted}]`)
    }
    const wrong = wrongField(machine, expected, taken)
    if (wrong !== null) throw new LawBroken("expected", wrong.words, [wrong.field])
  }
  const invariant = brokenInvariant(oracle, taken.after)
  if (invariant !== undefined) {
    const { fields, said } = invariant
    throw new LawBroken("invariant", `${said}: not so of ${tellRecord(taken.after, new Set(fields))}`, fields)
  }
  const step = brokenStep(oracle, taken)
  if (step !== undefined) throw new LawBroken("step", `${step}: not so here`)
}

/** Holds a refusal to the record and the command that it is about, and its reason to the row. */
const checkRefusal = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  failure: Refusal,
  before: State,
  command: Command
): void => {
  const about = { machine: machine.name, command: command._tag, status: machine.statusOf(before) }
  for (const [field, wanted] of Object.entries(about)) {
    const said = fieldOf(failure, field)
    if (said !== undefined && said !== wanted) throw new LawBroken("refusal", `the refusal speaks of ${field} ${said}`)
  }
  if (failure.message.trim() === "") throw new LawBroken("refusal", "the refusal has no sentence")
  if (failure._tag !== "GuardRefused") return
  const { conditions, rule, when } = rowOf(machine, command)
  const whole = when ?? rule
  if (![whole, ...whole.split("; ")].includes(failure.rule)) {
    throw new LawBroken("refusal", `refused because of "${failure.rule}", which the row does not say`)
  }
  const named = conditions?.find(([words]) => words === failure.rule)
  if (named?.[1](before, command) === true) {
    throw new LawBroken("refusal", `refused because of "${failure.rule}", which holds here`)
  }
}

/**
 * Decides one command on a frozen state and checks the decision against every law of a single step, and against what is
 * known without the table.
 *
 * @throws LawBroken
 */
export const step = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  asked: StepCheck<State, Command>,
  before: State,
  command: Command
): Step<State> => {
  const row = rowOf(machine, command)
  freeze(before)
  freeze(command)
  const status = machine.statusOf(before)
  const starts = row.from.includes(status)
  const permitted = starts && pure("the guard", () => permits(row, before, command))
  const deciding: Decide<State, Command> = asked.decide ?? ((state, given) => decide(machine, state, given))
  const decision = pure("the decision", () => deciding(before, command))
  const expected = expectedOf(asked, command._tag)
  const should = expected === undefined ? undefined : outcomeOf(expected, status, before, command)
  if (Result.isFailure(decision)) {
    const { failure } = decision
    if (failure._tag === "InvalidCommand") throw new LawBroken("refusal", failure.message)
    if (permitted || (failure._tag === "IllegalTransition") === starts) {
      throw new LawBroken("refusal", `refused with ${failure._tag}`)
    }
    const outcome = starts ? "refused by the guard" : "refused by the status"
    if (should !== undefined) checkExpected(should, outcome)
    checkRefusal(machine, failure, before, command)
    return { outcome, state: before }
  }
  if (terminalStatuses(machine).includes(status))
    throw new LawBroken("terminal", `${status} is terminal, yet it leaves`)
  if (!permitted) throw new LawBroken("refusal", "should be refused, but is not")
  if (should !== undefined) checkExpected(should, "taken")
  const { events, state } = decision.success
  const to = machine.statusOf(state)
  const landing = destination(row, status)
  if (to !== landing) throw new LawBroken("landing", `should lead to ${landing}, but the state says ${to}`)
  const types = typesOf(events)
  if (types.join() !== row.emits.join()) throw new LawBroken("events", `emits [${types}] instead of [${row.emits}]`)
  checkMilestones(machine, before, state, command)
  if (!asked.accepts(state)) {
    const refused = fieldsRefused(machine.state, state)
    const fields = refused.length === 0 ? fieldsChanged(before, state) : refused
    throw new LawBroken("schema", `the schema refuses ${tellRecord(state, new Set(fields))}`, fields)
  }
  checkOwnFields(machine.state, before, state)
  checkData(machine, asked, events, state, command)
  checkTransition(machine, before, command, decision.success)
  checkKnown(machine, asked, { before, command, after: state, events })
  return { outcome: "taken", state }
}

/**
 * Decides a value that is no command of the machine, and checks that it is refused with the name of the field.
 *
 * @throws LawBroken
 */
export const refuseHostile = <
  State,
  Status extends string,
  Command extends { readonly _tag: string },
  Event extends string
>(
  machine: Machine<State, Status, Command, Event>,
  asked: Pick<StepCheck<State, Command>, "decide">,
  state: State,
  command: Command,
  field: string
): void => {
  const deciding: Decide<State, Command> = asked.decide ?? ((...given) => decide(machine, ...given))
  const decision = pure("the decision", () => deciding(state, command), "hostile")
  const broken = (why: string) => new LawBroken("hostile", why)
  if (Result.isSuccess(decision)) throw broken("is not refused")
  const { failure } = decision
  if (failure._tag !== "InvalidCommand") throw broken(`refused with ${failure._tag}`)
  const [named] = failure.param.split(/[.[]/)
  if (named !== field) throw broken(`the refusal names ${failure.param === "" ? "no field" : failure.param}`)
  if (failure.machine !== machine.name) throw broken(`the refusal is of ${failure.machine}`)
  if (field !== "_tag" && failure.command !== command._tag) throw broken(`the refusal speaks of ${failure.command}`)
  if (failure.message.trim() === "") throw broken("the refusal has no sentence")
}
