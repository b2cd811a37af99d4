import { DateTime, Predicate } from "effect"
import type { Machine, Row } from "../../../src/domain/kernel/Machine.ts"
import type { Subject } from "../../../src/testing/Laws.ts"

/** A record, or a part of one, of which nothing is known but that it has fields. */
export type Fields = Readonly<Record<string, unknown>>

/** A command of any machine. */
export interface AnyCommand extends Fields {
  readonly _tag: string
}

/** A machine whose types are forgotten: operators know of fields and values alone. */
export type AnyMachine = Machine<Fields, string, AnyCommand, string>

export type AnyRow = Row<Fields, string, AnyCommand, string>

export type AnySubject = Subject<Fields, AnyCommand>

/** A function that decides, where a mutant brings one of its own. */
export type AnyDecide = NonNullable<AnySubject["decide"]>

/** What has one mistake: the kind of mistake, and where it is. */
export type Alteration<A> = readonly [operator: string, place: string, changed: A]

/** A machine with one mistake, or with a reading of its table that has one. */
export interface Mutant {
  readonly operator: string
  /** Where the mistake is: a command and a field, a type of event, a status. */
  readonly place: string
  readonly machine: AnyMachine
  readonly decide?: AnyDecide
  /** The command whose row, check or event it is; none where it is of the whole machine. */
  readonly tag?: string
  /** What shows the mistake: a decision, a birth's event, or what is no decision of a legal command. */
  readonly shownBy: "decision" | "birth" | "nothing"
}

/** Records and commands that operators learn from, and what is read off them. */
export class Samples {
  readonly machine: AnyMachine
  readonly states: ReadonlyArray<Fields>
  readonly commands: ReadonlyArray<AnyCommand>
  readonly rows: ReadonlyArray<readonly [tag: string, row: AnyRow]>
  /** The fields of the records. */
  readonly fields: ReadonlyArray<string>
  /** The fields that say a status. */
  readonly statusFields: ReadonlyArray<string>
  private readonly kinds: ReadonlyMap<string, ReadonlySet<string>>

  constructor(machine: AnyMachine, states: ReadonlyArray<Fields>, commands: ReadonlyArray<AnyCommand>) {
    this.machine = machine
    this.states = states
    this.commands = commands
    this.rows = Object.entries<AnyRow>(machine.table)
    this.fields = fieldsIn(states)
    this.kinds = new Map(this.fields.map((field) => [field, kindsIn(this.valuesOf(field))]))
    const [state, command] = [states[0] ?? {}, commands[0]]
    const [status = ""] = machine.statuses
    this.statusFields = command === undefined ? [] : Object.keys(machine.enter(status, state, command))
  }

  valuesOf(field: string): ReadonlyArray<unknown> {
    return this.states.map((state) => state[field])
  }

  commandsOf(tag: string): ReadonlyArray<AnyCommand> {
    return this.commands.filter((each) => each._tag === tag)
  }

  kindsOf(field: string): ReadonlySet<string> {
    return this.kinds.get(field) ?? new Set()
  }

  /** The other fields of records that hold the same kind of values. */
  alike(field: string, kinds: ReadonlySet<string>): ReadonlyArray<string> {
    return this.fields.filter((other) => other !== field && overlap(kinds, this.kindsOf(other)))
  }
}

export const millisOf = (instant: DateTime.DateTime): number => DateTime.toEpochMillis(instant)

export const isPlain = (value: unknown): value is Fields =>
  Predicate.isObject(value) && Object.getPrototypeOf(value) === Object.prototype

/** What a value is: `instant`, `number`, `day`, `id don`, `text`, and so on. */
export const kindOf = (value: unknown): string => {
  if (value === null) return "null"
  if (DateTime.isDateTime(value)) return "instant"
  if (Array.isArray(value)) return "list"
  if (typeof value !== "string") return typeof value
  if (/^\d{4}-\d\d-\d\d$/.test(value)) return "day"
  const [id] = /^[a-z]+(?=_[0-9a-z]{26})/.exec(value) ?? []
  return id === undefined ? "text" : `id ${id}`
}

/** The kinds of those values that are there. */
export const kindsIn = (values: ReadonlyArray<unknown>): ReadonlySet<string> =>
  new Set(values.map(kindOf).filter((kind) => kind !== "null" && kind !== "undefined"))

export const fieldsIn = (records: ReadonlyArray<object>): ReadonlyArray<string> => [
  ...new Set(records.flatMap((record) => Object.keys(record)))
]

export const overlap = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  [...one].some((kind) => other.has(kind))
