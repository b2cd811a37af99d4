import { Schema } from "effect"

/**
 * A check of length to put before a check of form that bounds the length itself, like a date's: a longer text is
 * refused with the same words, and the form is not tried on it. docs/decisions/0025.
 * @example
 * const Code = Schema.String.check(Length.noLongerThan(3, "a code"))
 * Schema.is(Code)("AUDX") // => false
 */
export const noLongerThan = (characters: number, expected: string) =>
  Schema.isMaxLength(characters, {
    expected,
    representation: { id: "almoner/noLongerThan", payload: { maxLength: characters } },
    // JSON Schema gets no maxLength: the check of form that follows describes the text.
    toJsonSchema: () => ({})
  })

/**
 * The check of length for a text that is stored trimmed: white space around it is not counted. decisions, section 1:
 * Text.
 * @example
 * const Label = Schema.String.check(Length.noLongerTrimmed(4))
 * Schema.is(Label)("  Mary  ") // => true
 */
export const noLongerTrimmed = (characters: number) =>
  Schema.makeFilter<string>((text) => !isLongerThan(characters, text.trim()), {
    expected: `text of at most ${characters} characters`,
    representation: { id: "almoner/noLongerTrimmed", payload: { maxCodePoints: characters } },
    // JSON Schema cannot say that white space around a text does not count.
    toJsonSchema: () => [{ maxLength: characters }, true],
    arbitraryConstraint: { maxCodePoints: characters }
  })

/**
 * Whether a text has more than `characters` code points. They are counted no further than that. decisions, section 1: Text.
 * @example Length.isLongerThan(2, "👍👍") // => false
 */
export const isLongerThan = (characters: number, text: string): boolean => {
  let count = 0
  for (const _ of text) if (++count > characters) return true
  return false
}
