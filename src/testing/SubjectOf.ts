import { type DateTime, Predicate, Schema } from "effect"
import fc from "fast-check"
import type { Machine } from "../domain/kernel/Machine.ts"
import { arbitraryOf } from "./Arbitraries.ts"
import { type ContractRows, type ContractTerms, contractOf, type FieldPresence } from "./ContractRows.ts"
import { checkGiven } from "./Doors.ts"
import type { Subject } from "./Laws.ts"
import { fieldSchemas } from "./RecordFields.ts"
import { instant } from "./subjects/Month.ts"

type FieldValues = Readonly<Record<string, fc.Arbitrary<unknown>>>

/** The parts of a subject. */
export interface SubjectParts<State, Command>
  extends ContractTerms<State, Command>,
    Pick<Subject<State, Command>, "invariants" | "steps"> {
  /** The contract's rows. */
  readonly rows: ContractRows
  /** States of every status; all that the machine's schema accepts when absent. */
  readonly states?: fc.Arbitrary<State>
  /** Values of fields of states that conditions compare, instead of everything that the schema accepts. */
  readonly stateFields?: FieldValues
  /** The same for the fields of commands, each where a command has it; `at` is of one month when absent. */
  readonly commandFields?: FieldValues
}

/** A subject of a contract, which says what a record of each status has. */
export interface ContractSubject<State, Command> extends Subject<State, Command> {
  /** Records that have what the contract says of their status, and nothing of another one. */
  readonly conform: (records: fc.Arbitrary<State>) => fc.Arbitrary<State>
}

/** Values of a field that are not null. */
const valuesOf = (schema: unknown, field: string): fc.Arbitrary<unknown> => {
  const own = fieldSchemas(schema)[field]
  if (!Schema.isSchema(own)) throw new RangeError(`A contract speaks of ${field}, which there is not.`)
  return arbitraryOf(own).filter((value) => value !== null)
}

/** Records with other fields; they must be what the schema accepts all the same. */
const changed = <A>(
  schema: Schema.Schema<A>,
  given: fc.Arbitrary<A>,
  values: FieldValues,
  change: (record: A, drawn: Readonly<Record<string, unknown>>) => object
): fc.Arbitrary<A> => {
  if (Object.keys(values).length === 0) return given
  const accepts = Schema.is(schema)
  return fc.tuple(given, fc.record(values)).map(([record, drawn]) => {
    const other: unknown = { ...record, ...change(record, drawn) }
    if (!accepts(other)) throw new RangeError(`These fields make no record: ${JSON.stringify(other)}`)
    return other
  })
}

/** Records whose fields are drawn from these values, where they have them. */
const withFields = <A>(schema: Schema.Schema<A>, given: fc.Arbitrary<A>, values: FieldValues): fc.Arbitrary<A> =>
  changed(schema, given, values, (record, drawn) =>
    Object.fromEntries(Object.entries(drawn).filter(([field]) => Predicate.hasProperty(record, field)))
  )

/** States whose fields go with their status, as the contract says. */
const fitting = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  { state: schema, statusOf }: Machine<State, Status, Command, Event>,
  states: fc.Arbitrary<State>,
  fields: ReadonlyArray<FieldPresence>
): fc.Arbitrary<State> => {
  const values = Object.fromEntries(fields.map(({ field }) => [field, valuesOf(schema, field)]))
  return changed(schema, states, values, (state, drawn) => {
    const status: string = statusOf(state)
    const given: Readonly<Record<string, unknown>> = Object(state)
    return Object.fromEntries(
      fields.map(({ field, isOptional, statuses }) => {
        if (!statuses.includes(status)) return [field, null]
        return [field, isOptional ? given[field] : (given[field] ?? drawn[field])]
      })
    )
  })
}

const sentenceOf = ({ field, isOptional, statuses }: FieldPresence): string =>
  `${field} has a value ${isOptional ? "only" : "exactly"} in ${statuses.join(", ")}`

const holds =
  <State>(statusOf: (state: State) => string, { field, isOptional, statuses }: FieldPresence) =>
  (state: State): boolean => {
    const hasValue = Predicate.hasProperty(state, field) && state[field] !== null
    const isThere = statuses.includes(statusOf(state))
    return isOptional ? isThere || !hasValue : isThere === hasValue
  }

/**
 * A subject of a machine's contract: states and commands are any that the machine's schemas accept, or what is given; the
 * fields of each state go with its status.
 *
 * @throws RangeError where the contract cannot be read, or speaks of other commands than the machine has
 */
export const subjectOf = <
  State,
  Status extends string,
  Command extends { readonly _tag: string; readonly at: DateTime.Utc },
  Event extends string
>(
  machine: Machine<State, Status, Command, Event>,
  parts: SubjectParts<State, Command>
): ContractSubject<State, Command> => {
  checkGiven("subjectOf", { machine, parts })
  const { command, state, statusOf } = machine
  const { commandFields, rows, stateFields = {}, states = arbitraryOf(state) } = parts
  const { births, data, expect, fields } = contractOf(machine, rows, parts)
  const always = fields.map((each) => [sentenceOf(each), holds<State>(statusOf, each)] as const)
  const conform = (records: fc.Arbitrary<State>) => fitting(machine, records, fields)
  return {
    schema: state,
    conform,
    states: conform(withFields(state, states, stateFields)),
    commands: withFields(command, arbitraryOf(command), { at: instant, ...commandFields }),
    births,
    data,
    expect,
    invariants: { ...Object.fromEntries(always), ...parts.invariants },
    steps: parts.steps ?? {}
  }
}
