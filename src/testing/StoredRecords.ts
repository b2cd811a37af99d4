import { DateTime, Predicate, type Schema } from "effect"
import fc from "fast-check"
import { arbitraryOf, earliestMillis, latestMillis } from "./Arbitraries.ts"
import { character } from "./Characters.ts"
import { inLife } from "./InTime.ts"
import type { ContractSubject } from "./SubjectOf.ts"

/** Text that is stored and read back as it is: no U+0000, no half of a surrogate pair; all planes of Unicode. */
export const text = (maxLength = 20): fc.Arbitrary<string> =>
  fc.string({ unit: character, maxLength }).map((each) => each.replaceAll("\u0000", ""))

const storedInstant = (given: DateTime.DateTime): DateTime.Utc => {
  const span = latestMillis - earliestMillis
  const offset = (DateTime.toEpochMillis(given) - earliestMillis) % span
  return DateTime.makeUnsafe(earliestMillis + (offset < 0 ? offset + span : offset))
}

const stored = (value: unknown): unknown => {
  if (typeof value === "string") return value.replaceAll("\u0000", "").toWellFormed()
  if (DateTime.isDateTime(value)) return storedInstant(value)
  if (Array.isArray(value)) return value.map(stored)
  return Predicate.isObject(value) ? storedRecord(value) : value
}

/**
 * The record with values that every store can keep: well-formed text, and instants of this century. What happened to one that
 * says when it was made happened after that, in its order, and before it was last changed.
 */
export const storedRecord = <A extends object>(record: A): A => {
  const copy = { ...record }
  for (const [field, value] of Object.entries(record)) Object.assign(copy, { [field]: stored(value) })
  return inLife(copy)
}

/** The records that a contract's subject draws, with values that every store can keep. */
export const recordsOf = <State extends object, Command>(
  subject: ContractSubject<State, Command>,
  schema: Schema.Schema<State>
): fc.Arbitrary<State> => subject.conform(arbitraryOf(schema)).map(storedRecord)

/** A value of a counter that fits into a database's integer. */
export const counter = fc.integer({ min: 1, max: 1_000_000 })
