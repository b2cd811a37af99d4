import { Equal, Formatter } from "effect"
import { type Machine, type Row, rowOf } from "../domain/kernel/Machine.ts"
import { expectedOf, type Oracle } from "./Oracle.ts"
import { fieldsRead } from "./RecordFields.ts"

/** The fields of a record that a command's row, and what is expected of it, look at or write. */
export const fieldsReadBy = <
  State,
  Status extends string,
  Command extends { readonly _tag: string },
  Event extends string
>(
  machine: Machine<State, Status, Command, Event>,
  oracle: Oracle<State, Command>,
  state: State,
  command: Command
): ReadonlyArray<string> => {
  const row = rowOf(machine, command)
  const expected = expectedOf(oracle, command._tag)
  return fieldsRead(state, [
    (each) => row.guard?.(each, command),
    (each) => Object.keys(row.patch?.(each, command) ?? {}).map((field) => Reflect.get(Object(each), field)),
    (each) => expected?.when?.(each, command),
    (each) => expected?.changes?.(each, command)
  ])
}

/** The fields that differ between two records. */
export const fieldsChanged = (before: unknown, after: unknown): ReadonlyArray<string> => {
  const old = new Map(Object.entries(Object(before)))
  return Object.entries(Object(after)).flatMap(([field, value]) => (Equal.equals(old.get(field), value) ? [] : [field]))
}

/** A record by the fields that matter, and how many others it has; all of it where none is known to matter. */
export const tellRecord = (record: unknown, mattering: ReadonlySet<string>): string => {
  const fields = Object.entries(Object(record))
  const told = fields.filter(([field]) => mattering.has(field))
  if (told.length === 0 || told.length === fields.length) return Formatter.format(record)
  const others = fields.length - told.length
  return `${Formatter.format(Object.fromEntries(told))} and ${others} other field${others === 1 ? "" : "s"}`
}

/** A row as a report tells it. */
export const tellRow = <State, Command>(
  tag: string,
  { emits, from, rule, to, when }: Row<State, string, Command, string>
): string => {
  const condition = when === undefined ? "" : `, when ${when}`
  return `Row ${tag}: ${from.join(", ")} → ${to} [${emits.join(", ")}]${condition} (${rule}).`
}
