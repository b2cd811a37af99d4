import { DateTime, Predicate, Schema } from "effect"
import fc from "fast-check"
import { Limits } from "../domain/kernel/Limits.ts"

/** Whether a value may stand in the place of another. */
type Fits = (value: unknown) => boolean

/** The greatest numbers of characters of texts that only their input bounds, where that is more than of an e-mail address. */
const boundsOf: Readonly<Record<string, number>> = {
  description: Limits.textCharacters,
  disclaimer_text: Limits.textCharacters,
  in_kind_description: Limits.inKindDescriptionCharacters,
  invitee_message: Limits.textCharacters,
  notes: Limits.textCharacters,
  reason: Limits.textCharacters,
  thank_you_message: Limits.textCharacters,
  url: Limits.urlCharacters
}

const alphabetOf = (characters: string): ReadonlyArray<string> => {
  const each = Array.from(characters)
  return Array.from({ length: Limits.textCharacters + 1 }, (_, place) => each[place % each.length] ?? "")
}

/**
 * What texts consist of, the rarest first: letters that are written in more than one way, line ends, what databases quote
 * and match by, characters of all planes; without line ends; and letters alone.
 */
const alphabets = ["ae\u0301 \u00e9\r\n'%_\\\ufb01\u{1f600}\u200bZ\u0130\u00df", "aZ'%_\\ e\u0301\u{1f600}", "a"].map(
  alphabetOf
)

/** What texts begin and end with: a blank, which whoever trims takes away, where it may stand there. */
const edges = [" ", ""]

const textOf = (characters: ReadonlyArray<string>, length: number, edge: string): string =>
  `${edge}${characters.slice(0, Math.max(0, length - 1 - 2 * edge.length)).join("")}z${edge}`

/** The greatest length up to this one that is taken; 0 where none is. */
const longestOf = (most: number, fits: (length: number) => boolean): number => {
  if (fits(most)) return most
  let [taken, refused] = [0, most]
  while (refused - taken > 1) {
    const length = Math.floor((taken + refused) / 2)
    if (fits(length)) taken = length
    else refused = length
  }
  return taken
}

/** A text as long as it may be, of the rarest characters that it may have; the given one where it is no free text. */
const longText = (given: string, bound: number | undefined, fits: Fits): string => {
  for (const [characters, edge] of alphabets.flatMap((each) => edges.map((edge) => [each, edge] as const))) {
    if (!fits(`${edge}${given}${characters[0]}${edge}`)) continue
    const isBounded = !fits(textOf(characters, Limits.textCharacters + 1, edge))
    const most = bound ?? (isBounded ? Limits.textCharacters : Limits.emailCharacters)
    const length = longestOf(most, (each) => fits(textOf(characters, each, edge)))
    if (length > given.length) return textOf(characters, length, edge)
  }
  return given
}

/** The value with each of its texts as long as it may be, where `fits` says what may stand in its place. */
const lengthened = (value: unknown, fits: Fits, bound?: number): unknown => {
  if (typeof value === "string") return longText(value, bound, fits)
  if (!(Array.isArray(value) || Predicate.isObject(value)) || DateTime.isDateTime(value)) return value
  const made = Array.isArray(value) ? [...value] : { ...value }
  for (const [field, each] of Object.entries(value)) {
    const fitting: Fits = (other) =>
      fits(Object.assign(Array.isArray(made) ? [...made] : { ...made }, { [field]: other }))
    Object.assign(made, { [field]: lengthened(each, fitting, boundsOf[field]) })
  }
  return made
}

const isAmount = (field: string, value: unknown): value is number =>
  typeof value === "number" && field.endsWith("_cents")

/** All amounts of a value. */
const amountsOf = (value: unknown): ReadonlyArray<number> => {
  if (Array.isArray(value)) return value.flatMap(amountsOf)
  if (!Predicate.isObject(value)) return []
  return Object.entries(value).flatMap(([field, each]) => (isAmount(field, each) ? [each] : amountsOf(each)))
}

/** The value with all of its amounts times a factor, so that those that go together still do. */
const multiplied = (value: unknown, factor: number): unknown => {
  if (Array.isArray(value)) return value.map((each) => multiplied(each, factor))
  if (!Predicate.isObject(value) || DateTime.isDateTime(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([field, each]) => [
      field,
      isAmount(field, each) ? each * factor : multiplied(each, factor)
    ])
  )
}

const enlarged = (record: unknown, fits: Fits): unknown => {
  const greatest = Math.max(1, ...amountsOf(record))
  const large = multiplied(record, Math.max(1, Math.floor((Limits.donationMaximumCents - 1) / greatest)))
  return fits(large) ? large : record
}

/**
 * The records, of which some have texts as long as they may be, of rare characters, and amounts as large as gifts may be: a
 * column that is too narrow for them, or that keeps them otherwise, is not seen by smaller ones.
 */
export const atBounds = <A>(schema: Schema.Schema<A>, records: fc.Arbitrary<A>): fc.Arbitrary<A> => {
  const fits = Schema.is(schema)
  const utmost = (record: A): A => {
    const made = lengthened(enlarged(record, fits), fits)
    return fits(made) ? made : record
  }
  return fc.oneof({ weight: 3, arbitrary: records }, { weight: 1, arbitrary: records.map(utmost) })
}
