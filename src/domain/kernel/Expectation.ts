import { Predicate, type SchemaIssue } from "effect"
import { originExpectation } from "./Origin.ts"

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** A bound on a length with its unit: of texts characters, of lists items. */
const counted = (bound: unknown, value: unknown): string =>
  Array.isArray(value) ? plural(Number(bound), "item") : plural(Number(bound), "character")

/** The expectations of the library's own checks, in words of this API. */
const phrases: Readonly<Record<string, (payload: Readonly<Record<string, unknown>>, value: unknown) => string>> = {
  "effect/schema/isMinLength": ({ minLength }, value) =>
    minLength === 1 ? "must not be empty" : `must have at least ${counted(minLength, value)}`,
  "effect/schema/isMaxLength": ({ maxLength }, value) => `must have at most ${counted(maxLength, value)}`,
  "effect/schema/isMaxCodePoints": ({ maxCodePoints }, value) => `must have at most ${counted(maxCodePoints, value)}`,
  "almoner/isOrigin": (_, value) => `must be ${originExpectation(String(value))}`,
  "almoner/noLongerTrimmed": ({ maxCodePoints }, value) => `must have at most ${counted(maxCodePoints, value)}`,
  "effect/schema/isBetween": ({ maximum, minimum }) => `must be from ${minimum} to ${maximum}`,
  "effect/schema/isGreaterThanOrEqualTo": ({ minimum }) => `must be at least ${minimum}`,
  "effect/schema/isUnique": () => "must not hold an item twice"
}

/**
 * The rule that `value` broke, to follow the name of the input: `must be from 1 to 90`.
 * @example
 * const filter = Schema.makeFilter<unknown>(() => false, { expected: "an ISO 4217 code" })
 * Expectation.expectationOf({ filter }, "aud") // => "must be an ISO 4217 code"
 */
export const expectationOf = ({ filter }: Pick<SchemaIssue.Filter, "filter">, value: unknown): string => {
  const { description, expected, representation } = filter.annotations ?? {}
  const phrase = representation === undefined ? undefined : phrases[representation.id]
  if (phrase !== undefined) return phrase(Object(representation?.payload), value)
  // A field's description replaces that of its last check, and says what the field is, not what its value must be.
  const own = expected?.startsWith("a string matching the RegExp") === true ? undefined : expected
  return `must be ${own ?? (Predicate.isString(description) ? description : "valid")}`
}
