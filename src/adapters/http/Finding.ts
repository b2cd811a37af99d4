import { InvalidInput, MalformedInput } from "../../domain/Rejection.ts"

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

/** A value of another JSON type than its field takes. */
export const wrongType = (path: Path): Finding =>
  malformed(path, path.length === 0 ? "The body must be a JSON object." : `${paramOf(path)} has the wrong type.`)

/** What a caller is told of a finding. */
export const rejectionOf = ({ kind, message, path }: Finding): InvalidInput | MalformedInput =>
  kind === "malformed" ? new MalformedInput({ message }) : new InvalidInput({ param: paramOf(path), message })
