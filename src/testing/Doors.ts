import { Predicate, Schema } from "effect"
import { aFunction, checkOptions, type OptionRule } from "../app/kernel/host/InvalidOption.ts"

const partsOf = (value: unknown): Readonly<Record<string, unknown>> => (Predicate.isObject(value) ? { ...value } : {})

const aMachine: OptionRule = {
  holds: (value) => {
    const { births, check, command, enter, events, name, state, statuses, statusOf, table } = partsOf(value)
    return (
      Predicate.isString(name) &&
      [births, statuses].every(Array.isArray) &&
      [events, table].every(Predicate.isObject) &&
      [check, enter, statusOf].every(Predicate.isFunction) &&
      [command, state].every(Schema.isSchema)
    )
  },
  expected: "a machine, as define makes one"
}

const aSubject: OptionRule = { holds: Predicate.isObject, expected: "an object with states and commands" }

const anArbitrary: OptionRule = {
  holds: (value) => Predicate.hasProperty(value, "generate"),
  expected: "an arbitrary of fast-check"
}

/** What the tools of the kit are given, by name. */
const rules = {
  machine: aMachine,
  subject: aSubject,
  parts: {
    holds: (value) => Predicate.hasProperty(value, "rows") && Predicate.isString(value.rows),
    expected: "an object with the rows of a contract"
  },
  schema: { holds: Schema.isSchema, expected: "a schema" },
  commands: anArbitrary,
  open: aFunction("a function that makes the record of a script"),
  make: aFunction("a function that makes a system")
} satisfies Readonly<Record<string, OptionRule>>

/** Throws InvalidOption, a RangeError that names it, where what a tool is given is missing or nothing that it can use. */
export const checkGiven = (where: string, given: { readonly [Name in keyof typeof rules]?: unknown }): void => {
  const own = Object.entries(rules).filter(([name]) => Object.hasOwn(given, name))
  const required = Object.fromEntries(own.map(([name, rule]) => [name, { ...rule, required: true }]))
  checkOptions(where, required, given, Object.keys(given).join(", "))
}
