import { either } from "../../../domain/kernel/Machine.ts"
import { InvalidInput, MalformedInput } from "../../../domain/kernel/Rejection.ts"

/** Where in a body something stands: names, and places in lists. */
export type Path = ReadonlyArray<PropertyKey>

/** What is wrong with a body at one place: it cannot be read, or it can and breaks a rule. decisions, section 1. */
export interface Finding {
  readonly kind: "malformed" | "invalid"
  readonly path: Path
  readonly message: string
}

/** `allocations[1].amount_cents`. decisions, section 1. */
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
  integer: "an integer",
  null: "null",
  number: "a number",
  object: "an object",
  string: "a string"
}

/** A value of another JSON type than its field takes. */
export const wrongType = (path: Path, expected: ReadonlyArray<string>, given: string): Finding => {
  const subject = path.length === 0 ? "The body" : paramOf(path)
  const taken = [...new Set(expected)].flatMap((type) => named[type] ?? [])
  const isNot = given === "boolean" ? "a boolean" : (named[given] ?? given)
  return malformed(path, `${subject} must be ${either(taken)}, not ${isNot}.`)
}

/** What a caller is told of a finding. */
export const rejectionOf = ({ kind, message, path }: Finding): InvalidInput | MalformedInput =>
  kind === "malformed" ? new MalformedInput({ message }) : new InvalidInput({ param: paramOf(path), message })
