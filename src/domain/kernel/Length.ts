import { Schema } from "effect"

/**
 * The check that comes before a form which has a longest text of its own: what is longer is refused in the form's words,
 * unread. docs/decisions/0025.
 */
export const noLongerThan = (characters: number, expected: string) =>
  Schema.isMaxLength(characters, {
    expected,
    representation: { id: "almoner/noLongerThan", payload: { maxLength: characters } },
    // The form says it all.
    toJsonSchema: () => [{}, true]
  })

/** The check of a text that is trimmed when it is kept: what is trimmed is not counted. decisions, section 1: Text. */
export const noLongerTrimmed = (characters: number) =>
  Schema.makeFilter<string>((text) => !isLongerThan(characters, text.trim()), {
    expected: `text of at most ${characters} characters`,
    representation: { id: "almoner/noLongerTrimmed", payload: { maxCodePoints: characters } },
    // JSON Schema cannot say that white space around a text does not count.
    toJsonSchema: () => [{ maxLength: characters }, true],
    arbitraryConstraint: { maxCodePoints: characters }
  })

/** Whether a text has more code points than these; of a longer one no more are counted. decisions, section 1: Text. */
export const isLongerThan = (characters: number, text: string): boolean => {
  if (text.length <= characters) return false
  if (text.length > 2 * characters) return true
  return Array.from(text).length > characters
}
