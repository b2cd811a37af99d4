import { type DateTime, Equal, Predicate, Result } from "effect"
import fc from "fast-check"
import { type Birth, decide, emissionsOf, type Machine, type Refusal, rowOf } from "../domain/kernel/Machine.ts"
import { checkGiven } from "./Doors.ts"
import { inOrder, instantIn } from "./InTime.ts"
import { differenceIn } from "./RecordFields.ts"
import { tellRecord, tellRow, tellValue } from "./RecordText.ts"
import { runsOf } from "./Runs.ts"
import { type ToldStep, tellScript } from "./ScriptText.ts"
import type { Decide, DecisionResult } from "./Transition.ts"

/** An event as the machine emits it, or as a service told it. */
export interface ModelEvent {
  readonly type: string
  readonly data?: unknown
}

/** One record of a real service, new for every script. */
export interface Real<State, Command> {
  /** The record as it was born, as a state of the machine. */
  readonly born: State
  /**
   * Makes what a command needs beside the record, at the command's time: another record, an account, a user. Answers the
   * command with what the service calls them; the command as it was drawn when absent.
   */
  readonly prepare?: (command: Command) => Promise<Command>
  /**
   * Has the service do what the command says, at the command's time. A refusal rejects with an error that has a `_tag`;
   * anything else that it rejects with is a failure.
   */
  readonly perform: (command: Command) => Promise<unknown>
  /** The record as the service shows it now. Instants may be ISO 8601 texts, dates or those of Effect. */
  readonly read: () => Promise<object>
  /** All events of the record so far, oldest first. */
  readonly events: () => Promise<ReadonlyArray<ModelEvent>>
  /** Called when the script has ended, however it did. */
  readonly close?: () => Promise<unknown>
}

/** A machine beside the service that is to be one. */
export interface Model<State, Status extends string, Command extends { readonly _tag: string }, Event extends string> {
  readonly machine: Machine<State, Status, Command, Event>
  /** How the record of {@link Real} is born; the machine's first birth when absent. */
  readonly birth?: Birth<Status, Event>
  /** The commands that the service has a use case for. Draw what conditions compare from small ranges. */
  readonly commands: fc.Arbitrary<Command>
  /** Makes the record that a script is about. */
  readonly open: () => Promise<Real<State, Command>>
  /**
   * The outcome of a command, where the service promises something beside the table: that a repetition is told again, or
   * that a change of nothing is nothing. `decides` asks the machine; without this it is asked as it is.
   */
  readonly answers?: (
    decides: Decide<State, Command>,
    state: State,
    command: Command
  ) => ReturnType<Decide<State, Command>>
  /** The events that the service publishes of all that the machine has emitted; all when absent. */
  readonly published?: (emitted: ReadonlyArray<ModelEvent>) => ReadonlyArray<ModelEvent>
  /** The tag with which the service tells of a refusal of the machine; the machine's own when absent. */
  readonly refusal?: (refused: Refusal, state: State, command: Command) => string
  /** The state as the service shows it at an instant; as it is when absent. */
  readonly shown?: (state: State, at: DateTime.Utc | undefined) => object
  /** The fields that are compared; all that the state has when absent. */
  readonly fields?: ReadonlyArray<string>
  /** The most commands of a script; 8 when not given. */
  readonly maxLength?: number
  /** How many scripts; 50 when not given. */
  readonly runs?: number
  /** Repeats the scripts of an earlier report. Random when not given. */
  readonly seed?: number
}

/** How often each command was accepted and refused, by both. */
export type Tally = Readonly<Record<string, { readonly accepted: number; readonly refused: number }>>

/** The service and the machine differ. */
export class ModelBroken extends Error {
  /** The number of the command at which they differ, from 1 on; 0 for the birth. */
  readonly step: number

  constructor(step: number, message: string) {
    super(message)
    this.step = step
  }
}

/** A difference at one step, in words. */
class Differs extends Error {
  /** The field that it is of. */
  readonly field: string | undefined
  /** Whether the words say why the machine does what it does, so that its row need not be told. */
  readonly isExplained: boolean

  constructor(words: string, known: { readonly field?: string; readonly isExplained?: boolean } = {}) {
    super(words)
    this.field = known.field
    this.isExplained = known.isExplained ?? false
  }
}

/** Values as JSON has them, instants as ISO 8601 in UTC, so that a record and a state can be compared. */
const plain = (value: unknown): unknown => {
  const text = JSON.stringify(value)
  return text === undefined ? undefined : JSON.parse(text)
}

const fieldOf = (record: unknown, field: string): unknown =>
  Predicate.hasProperty(record, field) ? record[field] : undefined

/** Holds one record to the other in these fields; `of` says which record it is. */
const compareFields = (of: string, fields: ReadonlyArray<string>, service: unknown, machine: unknown): void => {
  for (const field of fields) {
    const [ours, theirs] = [plain(fieldOf(machine, field)), plain(fieldOf(service, field))]
    if (Equal.equals(ours, theirs)) continue
    const { found, path, wanted } = differenceIn(field, ours, theirs)
    throw new Differs(`${of}${path} is ${tellValue(found)} in the service and ${tellValue(wanted)} in the machine`, {
      field
    })
  }
}

const tagOf = (cause: unknown): string | null =>
  Predicate.hasProperty(cause, "_tag") && Predicate.isString(cause._tag) ? cause._tag : null

const said = (cause: unknown): string => (cause instanceof Error ? cause.message : tellValue(cause))

const typesIn = (events: ReadonlyArray<ModelEvent>): string => `[${events.map(({ type }) => type).join(", ")}]`

/** One script on a service and its machine. */
class Walk<State, Status extends string, Command extends { readonly _tag: string }, Event extends string> {
  private readonly steps: Array<ToldStep<State, Command>> = []
  private readonly model: Model<State, Status, Command, Event>
  private readonly real: Real<State, Command>
  private readonly emitted: Array<ModelEvent>
  private last: ReadonlyArray<ModelEvent> = []
  private state: State

  constructor(model: Model<State, Status, Command, Event>, real: Real<State, Command>) {
    const { machine, birth = machine.births[0] } = model
    this.model = model
    this.real = real
    this.state = real.born
    this.emitted = birth === undefined ? [] : [...emissionsOf(machine, birth.emits, real.born, null)]
  }

  async born(): Promise<void> {
    const { machine, birth = machine.births[0] } = this.model
    const status = machine.statusOf(this.state)
    try {
      if (birth !== undefined && birth.to !== status) {
        throw new Differs(`is born ${status} in the service and ${birth.to} in the machine`)
      }
      await this.compare(instantIn(this.state, "created_at"))
    } catch (cause) {
      throw cause instanceof Differs ? this.broken(cause, null) : cause
    }
  }

  /** Has both take a command, and answers whether they accepted it. */
  async take(drawn: Command): Promise<boolean> {
    const before = this.state
    const step = (outcome: string) => ({ command: drawn, before, after: this.state, outcome })
    try {
      const refusal = await this.refusalOfBoth(drawn)
      this.steps.push(step(refusal ?? `→ ${this.model.machine.statusOf(this.state)} ${typesIn(this.last)}`))
      return refusal === null
    } catch (cause) {
      throw cause instanceof Differs ? this.broken(cause, step(cause.message)) : cause
    }
  }

  /** Has both take a command; the tag with which they refuse it, null where they accept it. */
  private async refusalOfBoth(drawn: Command): Promise<string | null> {
    const command = await this.prepare(drawn)
    const decision = this.decide(command)
    const refusal = Result.isFailure(decision) ? this.refusalOf(decision.failure, command) : null
    const answer = await this.perform(command)
    if (answer !== refusal) {
      const words = (tag: string | null) => (tag === null ? "accepted" : `refused with ${tag}`)
      const why = Result.isFailure(decision) ? `: ${decision.failure.message}` : ""
      throw new Differs(`is ${words(answer)} by the service and ${words(refusal)} by the machine${why}`, {
        isExplained: why !== ""
      })
    }
    if (Result.isSuccess(decision)) this.follow(decision.success)
    await this.compare(instantIn(command, "at"))
    return refusal
  }

  /** The failure at a command, or at the birth, with the script that leads there. */
  private broken({ field, isExplained, message }: Differs, at: ToldStep<State, Command> | null): ModelBroken {
    const { machine } = this.model
    const { born } = this.real
    const mattering = new Set(["id", ...(field === undefined ? [] : [field])])
    const steps = at === null ? [] : [...this.steps, at]
    const lines = tellScript(machine, {}, steps, mattering)
    const record = `${machine.statusOf(born)} ${tellRecord(born, mattering)}${at === null ? ` ${message}` : ""}`
    const row = at === null || isExplained ? [] : ["", tellRow(at.command._tag, rowOf(machine, at.command))]
    return new ModelBroken(steps.length, [record, ...lines, ...row].join("\n"))
  }

  private async prepare(command: Command): Promise<Command> {
    try {
      return (await this.real.prepare?.(command)) ?? command
    } catch (cause) {
      throw new Differs(`cannot be prepared: ${said(cause)}`)
    }
  }

  private decide(command: Command): ReturnType<Decide<State, Command>> {
    const { answers, machine } = this.model
    const decides: Decide<State, Command> = (state, given) => decide(machine, state, given)
    try {
      return answers === undefined ? decides(this.state, command) : answers(decides, this.state, command)
    } catch (cause) {
      throw new Differs(`fails in the machine: ${said(cause)}`)
    }
  }

  private refusalOf(refused: Refusal, command: Command): string {
    return this.model.refusal?.(refused, this.state, command) ?? refused._tag
  }

  private follow({ events, state }: DecisionResult<State, Command>): void {
    this.state = state
    this.last = events
    this.emitted.push(...events)
  }

  /** The tag of the service's refusal, null where it accepts. */
  private async perform(command: Command): Promise<string | null> {
    try {
      await this.real.perform(command)
      return null
    } catch (cause) {
      const tag = tagOf(cause)
      if (tag === null) throw new Differs(`fails in the service: ${said(cause)}`)
      return tag
    }
  }

  private async compare(at: DateTime.Utc | undefined): Promise<void> {
    const { shown } = this.model
    const state: unknown = shown === undefined ? this.state : shown(this.state, at)
    const fields = this.model.fields ?? Object.keys(Object(state))
    compareFields("", fields, await this.real.read(), state)
    this.compareEvents(await this.real.events())
  }

  private compareEvents(told: ReadonlyArray<ModelEvent>): void {
    const expected = this.model.published?.(this.emitted) ?? this.emitted
    const same = told.length === expected.length && told.every(({ type }, index) => type === expected[index]?.type)
    if (!same) throw new Differs(`has told ${typesIn(told)} in the service and ${typesIn(expected)} in the machine`)
    for (const [index, { data, type }] of expected.entries()) {
      if (data === undefined) continue
      compareFields(`event ${index + 1}, ${type}: `, Object.keys(Object(data)), told[index]?.data, data)
    }
  }
}

const walk = async <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  model: Model<State, Status, Command, Event>,
  script: ReadonlyArray<Command>,
  count: (command: Command, accepted: boolean) => void
): Promise<void> => {
  const real = await model.open()
  try {
    const walking = new Walk(model, real)
    await walking.born()
    for (const command of inOrder(instantIn(real.born, "created_at"), script)) {
      count(command, await walking.take(command))
    }
  } finally {
    await real.close?.()
  }
}

/**
 * Runs random scripts of commands on a real service and on its machine, side by side, and compares after each command: it
 * is accepted or refused, with the same tag; the record, field by field; and all events so far, in order, with the data
 * that the machine knows. Time never goes backwards, and begins at the record's `created_at` where it has one. A failure
 * is shrunk to a short script. Works in any test runner; `Mappings` has records of `Almoner` to start from.
 *
 * @returns how often each command was accepted and refused
 * @throws ModelBroken with the script, the step, what differs and the seed
 */
export const run = async <
  State,
  Status extends string,
  Command extends { readonly _tag: string },
  Event extends string
>(
  model: Model<State, Status, Command, Event>
): Promise<Tally> => {
  const given: Partial<Model<State, Status, Command, Event>> = Object(model)
  checkGiven("Models.run", { machine: given.machine, commands: given.commands, open: given.open })
  const { commands, machine, maxLength = 8, seed } = model
  const tally: Record<string, { accepted: number; refused: number }> = {}
  const count = ({ _tag }: Command, accepted: boolean) => {
    const { [_tag]: before = { accepted: 0, refused: 0 } } = tally
    const [more, less] = accepted ? [1, 0] : [0, 1]
    tally[_tag] = { accepted: before.accepted + more, refused: before.refused + less }
  }
  const scripts = fc.array(commands, { maxLength, size: "max" })
  const property = fc.asyncProperty(scripts, (script) => walk(model, script, count))
  const outcome = await fc.check(property, { numRuns: runsOf(model, 50), ...(seed === undefined ? {} : { seed }) })
  if (!outcome.failed) return tally
  const { errorInstance } = outcome
  if (!(errorInstance instanceof ModelBroken)) throw errorInstance
  throw new ModelBroken(
    errorInstance.step,
    `${machine.name}: the service is not the machine, step ${errorInstance.step}.\n\n${errorInstance.message}\n\nSeed ${outcome.seed}, ${outcome.numShrinks} shrinks.`
  )
}
