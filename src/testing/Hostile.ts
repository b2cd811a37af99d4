import { Predicate, Schema, Struct } from "effect"
import fc from "fast-check"
import { checkGiven } from "./Doors.ts"
import { isPlain } from "./RecordFields.ts"

/** Values that fields seldom take. */
const strangers: ReadonlyArray<unknown> = [
  null,
  undefined,
  "",
  "2026-02-30",
  "\u0000",
  "x".repeat(5_000),
  -1,
  0,
  1.5,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.MAX_SAFE_INTEGER,
  true,
  [],
  [null],
  {},
  { at: "now" }
]

/** A value that is almost a command, and its field that is wrong. */
export interface HostileCase<Command> {
  /** It has the type of a command only, as a caller without types has it. */
  readonly command: Command
  readonly field: string
}

/** A field of a command, or of a record in it: its value, and the command with another, or without it. */
interface Place {
  readonly field: string
  readonly value: unknown
  with(value: unknown): object
  without(): object
}

const placesOf = (record: Readonly<Record<string, unknown>>): ReadonlyArray<Place> =>
  Object.entries(record).flatMap(([field, value]) => {
    const put = (other: unknown): object => ({ ...record, [field]: other })
    const inner = isPlain(value) ? placesOf(value) : []
    return [
      { field, value, with: put, without: () => Struct.omit(record, [field]) },
      ...inner.map((each) => ({
        ...each,
        field,
        with: (other: unknown) => put(each.with(other)),
        without: () => put(each.without())
      }))
    ]
  })

/** The last number from `good` towards `bad` that is accepted, and the next one. */
const lastAccepted = (good: number, bad: number, accepts: (number: number) => boolean): readonly [number, number] => {
  let [inside, beyond] = [good, bad]
  while (Math.abs(beyond - inside) > 1) {
    const middle = Math.trunc((inside + beyond) / 2)
    if (accepts(middle)) inside = middle
    else beyond = middle
  }
  return [inside, beyond]
}

/** Longer than any text of a command. */
const tooLong = 20_000

/** The values at the bounds of a whole number, or of a text's length, just inside and just outside of them. */
const atBounds = (value: unknown, accepts: (value: unknown) => boolean): ReadonlyArray<unknown> => {
  const grown = (length: number): unknown => `${value}${"x".repeat(length)}`
  // Of small and capital letters, between blanks: whoever trims or folds a text is seen, where it may be like that.
  const edged = (length: number): unknown => `${` ${value}${"xZ".repeat(length)}`.slice(0, length)} `
  const ends: ReadonlyArray<readonly [bad: number, make: (number: number) => unknown, good: number]> =
    Predicate.isNumber(value) && Number.isSafeInteger(value)
      ? [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER].map((bad) => [bad, (each) => each, value])
      : Predicate.isString(value)
        ? [[tooLong, grown, 0], ...(accepts(edged(3)) ? [[tooLong, edged, 3] as const] : [])]
        : []
  return ends.flatMap(([bad, make, good]) =>
    accepts(make(bad)) ? [] : lastAccepted(good, bad, (each) => accepts(make(each))).map(make)
  )
}

/** Spoils a command in one field at a time: it is gone, or holds what fields seldom do, or what is just outside its bounds. */
export const spoiltCommands = <Command extends { readonly _tag: string }>(
  schema: Schema.Schema<Command>,
  command: Command
): ReadonlyArray<HostileCase<Command>> => {
  const is: (value: unknown) => boolean = Schema.is(schema)
  return placesOf({ ...command }).flatMap((place) => {
    const values = [...strangers, ...atBounds(place.value, (value) => is(place.with(value)))]
    return [...values.map(place.with), place.without()]
      .filter((each) => !is(each))
      .map((each) => ({ field: place.field, command: each as Command }))
  })
}

/** The fields of a record that hold something, with those of the records in it. */
const pathsOf = (record: object): ReadonlyArray<string> =>
  Object.entries(record).flatMap(([field, value]) => {
    if (value === null || value === undefined) return []
    return [field, ...(isPlain(value) ? pathsOf(value).map((path) => `${field}.${path}`) : [])]
  })

/** How many commands are taken as they come, and among how many others are sought that have what none of these has. */
const [usual, among] = [4, 60]

/** A few commands of one kind that have a value in each field that may have one, those of records in them, too. */
export const variousCommands = <Command extends object>(at: (place: number) => Command): ReadonlyArray<Command> => {
  const seen = new Set<string>()
  return Array.from({ length: among }, (_, place) => at(place)).filter((command, place) => {
    const fresh = pathsOf(command).filter((path) => !seen.has(path))
    for (const path of fresh) seen.add(path)
    return place < usual || fresh.length > 0
  })
}

/** The command with one field at a time at the bounds of what its schema takes. */
export const commandsAtBounds = <Command extends { readonly _tag: string }>(
  schema: Schema.Schema<Command>,
  command: Command
): ReadonlyArray<Command> => {
  const is: (value: unknown) => value is Command = Schema.is(schema)
  return placesOf({ ...command }).flatMap((place) =>
    atBounds(place.value, (value) => is(place.with(value)))
      .map(place.with)
      .filter(is)
  )
}

/**
 * Values that are almost commands: one field is gone or holds what its schema does not take, or the tag is nobody's. They
 * have the type of commands only, as a caller without types has them.
 */
export const hostileCommands = <Command extends { readonly _tag: string }>(
  schema: Schema.Schema<Command>,
  commands: fc.Arbitrary<Command>
): fc.Arbitrary<Command> => {
  checkGiven("Laws.hostileCommands", { schema, commands })
  return commands.chain((command) => fc.constantFrom(...spoiltCommands(schema, command).map((each) => each.command)))
}
