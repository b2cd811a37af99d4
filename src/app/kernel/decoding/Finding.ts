import { either } from "../../../domain/kernel/Machine.ts"
import { InvalidInput, MalformedInput } from "../../../domain/kernel/Rejection.ts"

/** A place in a body: names of fields, and indexes of lists. */
export type Path = ReadonlyArray<PropertyKey>

/** The fault of a body at one place: it is malformed, or breaks a rule. decisions, section 1. */
export interface Finding {
  readonly kind: "malformed" | "invalid"
  readonly path: Path
  readonly message: string
}

/** A path as the `param` of an error: `allocations[1].amount_cents`. decisions, section 1. */
export const paramOf = (path: Path): string =>
  path.reduce<string>(
    (text, key) => (typeof key === "number" ? `${text}[${key}]` : text === "" ? String(key) : `${text}.${String(key)}`),
    ""
  )

export const malformed = (path: Path, message: string): Finding => ({ kind: "malformed", path, message })

export const invalid = (path: Path, message: string): Finding => ({ kind: "invalid", path, message })

const named: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "true or false",
  // The only values of a use case that JSON has no type for.
  declaration: "an instant",
  integer: "an integer",
  null: "null",
  number: "a number",
  object: "an object",
  string: "a string"
}

/** The finding of a value whose JSON type its field does not take. */
export const wrongType = (path: Path, expected: ReadonlyArray<string>, given: string): Finding => {
  const subject = path.length === 0 ? "The body" : paramOf(path)
  const taken = [...new Set(expected)].flatMap((type) => named[type] ?? [])
  const isNot = given === "boolean" ? "a boolean" : (named[given] ?? `a ${given}`)
  return malformed(path, `${subject} must be ${either(taken)}${given === "undefined" ? "" : `, not ${isNot}`}.`)
}

/** The failure that reports a finding. */
export const rejectionOf = ({ kind, message, path }: Finding): InvalidInput | MalformedInput =>
  kind === "malformed" ? new MalformedInput({ message }) : new InvalidInput({ param: paramOf(path), message })
