import { Equal } from "effect"
import { type Machine, rowOf } from "../domain/kernel/Machine.ts"
import { expectedOf, type Oracle } from "./Oracle.ts"
import { fieldsRead } from "./RecordFields.ts"
import { tellCommand } from "./RecordText.ts"

/** The fields of a record, and those of its command, that the command's row, and what is expected of it, look at or write. */
const fieldsReadBy = <State, Status extends string, Command extends { readonly _tag: string }, Event extends string>(
  machine: Machine<State, Status, Command, Event>,
  oracle: Oracle<State, Command>,
  state: State,
  command: Command
): { readonly ofState: ReadonlyArray<string>; readonly ofCommand: ReadonlySet<string> } => {
  const row = rowOf(machine, command)
  const expected = expectedOf(oracle, command._tag)
  const questions: ReadonlyArray<(each: State, given: Command) => unknown> = [
    (each, given) => row.guard?.(each, given),
    (each, given) => Object.keys(row.patch?.(each, given) ?? {}).map((field) => Reflect.get(Object(each), field)),
    (each, given) => expected?.when?.(each, given),
    (each, given) => expected?.changes?.(each, given)
  ]
  return {
    ofState: fieldsRead(
      state,
      questions.map((ask) => (each) => ask(each, command))
    ),
    ofCommand: new Set(
      fieldsRead(
        command,
        questions.map((ask) => (given) => ask(state, given))
      )
    )
  }
}

/** The fields that differ between two records. */
export const fieldsChanged = (before: unknown, after: unknown): ReadonlyArray<string> => {
  const old = new Map(Object.entries(Object(before)))
  return Object.entries(Object(after)).flatMap(([field, value]) => (Equal.equals(old.get(field), value) ? [] : [field]))
}

/** A command of a script: the record before and after it, and what came of it. */
export interface ToldStep<State, Command> {
  readonly command: Command
  readonly before: State
  readonly after: State
  readonly outcome: string
}

/**
 * A script line by line. The fields of the record that its commands change or read are added to those that matter: first what
 * changes, last what is read and holds nothing.
 */
export const tellScript = <
  State,
  Status extends string,
  Command extends { readonly _tag: string },
  Event extends string
>(
  machine: Machine<State, Status, Command, Event>,
  oracle: Oracle<State, Command>,
  steps: ReadonlyArray<ToldStep<State, Command>>,
  mattering: Set<string>
): ReadonlyArray<string> => {
  const [held, empty] = [new Set<string>(), new Set<string>()]
  const lines = steps.map(({ after, before, command, outcome }, index) => {
    const { ofCommand, ofState } = fieldsReadBy(machine, oracle, before, command)
    for (const field of fieldsChanged(before, after)) mattering.add(field)
    for (const field of ofState) (Reflect.get(Object(before), field) === null ? empty : held).add(field)
    return `  ${index + 1}. ${tellCommand(command, new Set([...mattering, ...ofCommand]))} ${outcome}`.trimEnd()
  })
  for (const field of [...held, ...empty]) mattering.add(field)
  return lines
}
