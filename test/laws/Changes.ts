import { assert } from "@effect/vitest"
import { Predicate, Result } from "effect"
import fc from "fast-check"
import { decide, destination, type Machine } from "../../src/domain/kernel/Machine.ts"
import type { Subject } from "../../src/testing/Laws.ts"
import { hold } from "./Suites.ts"

/**
 * Changes of a command beside the status, one after another, separated by commas:
 *
 * - `field` takes the command's value of the same name, `field = name` its value of another name;
 * - `field = its name` takes another field of the record, `field = null`, `0`, `true`, `false` or `"text"` that value;
 * - `field + 1`, `field + name`, `field - name` counts from the value before;
 * - `...name` takes all fields that the command holds under that name;
 * - `field = *` is said by a law of its own;
 * - `undated` leaves `updated_at` as it was. Without it, a record that has one is dated by the command's `at`.
 */
export type Change = string

type Fields = ReadonlyMap<string, unknown>

/** A change of which only the field is said. */
const anything = Symbol("anything")

const pattern = /^(?<field>\w+)(?: (?<sign>[=+-]) (?<source>its \w+|"\w+"|\w+|\*))?$/

const constants: Fields = new Map<string, unknown>([
  ["null", null],
  ["0", 0],
  ["true", true],
  ["false", false],
  ["*", anything]
])

const read = (fields: Fields, name: string): unknown =>
  fields.has(name) ? fields.get(name) : assert.fail(`there is no ${name}`)

const valueOf = (source: string, before: Fields, command: Fields): unknown => {
  if (source.startsWith('"')) return source.slice(1, -1)
  if (source.startsWith("its ")) return read(before, source.slice("its ".length))
  return constants.has(source) ? constants.get(source) : read(command, source)
}

const entriesOf = (change: string, before: Fields, command: Fields): ReadonlyArray<readonly [string, unknown]> => {
  if (change.startsWith("...")) {
    const fields = read(command, change.slice("...".length))
    return Predicate.isObject(fields) ? Object.entries(fields) : assert.fail(`${change} holds no fields`)
  }
  const { field = "", sign = "=", source = field } = pattern.exec(change)?.groups ?? assert.fail(change)
  if (sign === "=") return [[field, valueOf(source, before, command)]]
  const amount = Number(/^\d+$/.test(source) ? source : read(command, source))
  return [[field, Number(read(before, field)) + (sign === "+" ? amount : -amount)]]
}

const expectedOf = (change: Change, before: Fields, command: Fields): Fields => {
  const parts = change === "" ? [] : change.split(", ")
  const changes = parts.filter((part) => part !== "undated").flatMap((part) => entriesOf(part, before, command))
  const dated = before.has("updated_at") && !parts.includes("undated")
  for (const [field] of changes) assert.isTrue(before.has(field), `the record has no ${field}`)
  return new Map([...before, ...changes, ...(dated ? ([["updated_at", read(command, "at")]] as const) : [])])
}

/** The record's fields without those that say its status, and those of which nothing is said here. */
const compared = (fields: Fields, expected: Fields, ofStatus: object) =>
  Object.fromEntries([...fields].filter(([field]) => expected.get(field) !== anything && !(field in ofStatus)))

/**
 * Holds a row against what the contract says that its command changes. The record may have been through commands that
 * leave it where the row starts.
 */
export const changesLaw = <
  State extends object,
  Status extends string,
  Command extends { readonly _tag: string },
  Event extends string
>(
  machine: Machine<State, Status, Command, Event>,
  { commands, states }: Subject<State, Command>,
  tag: Command["_tag"],
  change: Change
): void => {
  const { from, to } = machine.table[tag]
  const starts = (state: State) => from.includes(machine.statusOf(state))
  const own = commands.filter(({ _tag }) => _tag === tag)
  hold(
    "changes",
    fc.property(states.filter(starts), fc.array(commands, { maxLength: 2 }), own, (start, script, command) => {
      const before = script.reduce((state, each) => {
        const decision = decide(machine, state, each)
        return Result.isSuccess(decision) && starts(decision.success.state) ? decision.success.state : state
      }, start)
      const decision = decide(machine, before, command)
      fc.pre(Result.isSuccess(decision))
      const after = Result.getOrThrow(decision).state
      const expected = expectedOf(change, new Map(Object.entries(before)), new Map(Object.entries(command)))
      const status = destination({ to }, machine.statusOf(before))
      const ofStatus = machine.enter(status, before, command)
      assert.deepStrictEqual(
        compared(new Map(Object.entries(after)), expected, ofStatus),
        compared(expected, expected, ofStatus)
      )
    }),
    20
  )
}
