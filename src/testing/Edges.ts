import { DateTime, Predicate, Schema } from "effect"
import { instantAt } from "./InTime.ts"
import { fieldSchemas, fieldsRead } from "./RecordFields.ts"

/** The instants before the first and after the last of a record and a command that are looked at, ms: 400 days. */
const furthestMillis = 400 * 86_400_000

/** Numbers of a record that are added and taken from each other, at most. */
const mostNumbers = 6

/** A field's value as a number, null where it is none and no instant. */
const numberOf = (value: unknown): number | null => {
  if (DateTime.isDateTime(value)) return DateTime.toEpochMillis(value)
  return Number.isSafeInteger(value) ? Number(value) : null
}

const isPlain = (value: unknown): boolean =>
  Predicate.isObject(value) && Object.getPrototypeOf(value) === Object.prototype

const sameKind = (value: unknown, number: number): unknown => (DateTime.isDateTime(value) ? instantAt(number) : number)

const numbersOf = (record: unknown, like: unknown): ReadonlyArray<number> =>
  Object.values(Object(record))
    .filter((value) => DateTime.isDateTime(value) === DateTime.isDateTime(like))
    .flatMap((value) => numberOf(value) ?? [])

/** Numbers between which an answer may change: those of the record and the command, and far ones. */
const candidates = (state: unknown, command: unknown, value: unknown): ReadonlyArray<number> => {
  const near = [...numbersOf(state, value), ...numbersOf(command, value)]
  if (DateTime.isDateTime(value)) {
    return [...near, Math.min(...near) - furthestMillis, Math.max(...near) + furthestMillis]
  }
  const few = near.slice(0, mostNumbers)
  return [0, 1, ...near, ...few.flatMap((a) => few.flatMap((b) => [a + b, a - b])), 2 * Math.max(1, ...near) + 1]
}

/** The neighbours, in ascending order of `numbers`, between which an answer changes, to one. */
const changesBetween = (numbers: ReadonlyArray<number>, answer: (number: number) => boolean): ReadonlyArray<number> => {
  const sorted = [...new Set(numbers)].sort((a, b) => a - b)
  return sorted.slice(1).flatMap((above, index) => {
    let [low, high] = [sorted[index] ?? above, above]
    const first = answer(low)
    if (answer(high) === first) return []
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (answer(middle) === first) low = middle
      else high = middle
    }
    return [low - 1, low, high, high + 1]
  })
}

/**
 * Commands at the edges of a condition: the same command with each of its instants and integers, and those of what it holds,
 * just before and just after the condition's answer changes, to the millisecond and to one. The condition is asked, and nothing
 * has to be known of it; whether the schema accepts a case is for the caller to see. Records stay as they are drawn: which
 * there may be is said by whoever draws them.
 */
export const commandsAtEdges = <State, Command>(
  state: State,
  command: Command,
  holds: Holds<State, Command>
): ReadonlyArray<Command> => {
  // What is not read for an answer does not change it.
  const read = new Set(fieldsRead(command, [(each) => holds(state, each)]))
  const fieldsOf = (values: unknown, whole: (changed: object) => Command): ReadonlyArray<Command> =>
    Object.entries(Object(values)).flatMap(([field, value]) => {
      if (values === command && !read.has(field)) return []
      const at = (other: unknown): Command => whole({ ...Object(values), [field]: other })
      if (isPlain(value)) return fieldsOf(value, at)
      if (numberOf(value) === null) return []
      const number = (each: number): Command => at(sameKind(value, each))
      return changesBetween(candidates(state, values, value), (each) => holds(state, number(each))).map(number)
    })
  return fieldsOf(command, (changed) => Object.assign({}, command, changed))
}

const later = (value: unknown): unknown => {
  if (DateTime.isDateTime(value)) return instantAt(DateTime.toEpochMillis(value) + 1)
  if (Array.isArray(value)) return value.map(later)
  return isPlain(value) ? betweenSeconds(Object(value)) : value
}

/** The record with all of its instants a millisecond later: whoever draws whole hours sees no second that is cut off. */
export const betweenSeconds = <A extends object>(record: A): A =>
  Object.assign({}, record, Object.fromEntries(Object.entries(record).map(([field, value]) => [field, later(value)])))

type MakeText = (text: string) => string | null

const textFieldsOf = new WeakMap<object, ReadonlyMap<string, MakeText>>()

/** Texts between blanks, of small and capital letters, the longer first: whoever trims, folds or cuts a text is seen. */
const edges = [64, 2].map(
  (length) =>
    (text: string): string =>
      ` ${text}${"zZ".repeat(length / 2)} `
)

/** The fields of a schema that take any text, as far as one goes that is like no other, with such a text of another. */
const textFields = (schema: object): ReadonlyMap<string, MakeText> => {
  const known = textFieldsOf.get(schema)
  if (known !== undefined) return known
  const found = new Map(
    Object.entries(fieldSchemas(schema)).flatMap(([field, own]): ReadonlyArray<[string, MakeText]> => {
      const takes: (text: string) => boolean = Schema.isSchema(own) ? Schema.is(own) : () => false
      const make: MakeText = (text) => edges.map((edge) => edge(text)).find(takes) ?? null
      return make("") === null ? [] : [[field, make]]
    })
  )
  textFieldsOf.set(schema, found)
  return found
}

/**
 * The record as it is seldom drawn: a millisecond later, and with a long text between blanks in each field that takes one, as
 * far as there may be such a record.
 */
export const seldomDrawn = <A>(schema: object, record: A, isLegal: (record: A) => boolean): A => {
  const later: A = Object.assign({}, record, betweenSeconds(Object(record)))
  let made = isLegal(later) ? later : record
  for (const [field, make] of textFields(schema)) {
    const value: unknown = Reflect.get(Object(made), field)
    const text = typeof value === "string" ? make(value) : value === null ? make("") : null
    const other: A = Object.assign({}, made, text === null ? {} : { [field]: text })
    if (text !== null && isLegal(other)) made = other
  }
  return made
}

/** A condition of a row, or what is expected of one. */
export type Holds<State, Command> = (state: State, command: Command) => boolean

/** A record and a command. */
export type Pair<State, Command> = readonly [state: State, command: Command]
