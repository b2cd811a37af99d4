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

/** Whether a text has more code points than these; of a longer one no more are counted. decisions, section 1: Text. */
export const isLongerThan = (characters: number, text: string): boolean => {
  if (text.length <= characters) return false
  if (text.length > 2 * characters) return true
  return Array.from(text).length > characters
}
