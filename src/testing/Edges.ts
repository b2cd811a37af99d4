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
  holds: (state: State, command: Command) => boolean
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

type TakesText = (text: string) => boolean

const textFieldsOf = new WeakMap<object, ReadonlyMap<string, TakesText>>()

/** Between blanks, of small and capital letters: whoever trims or folds a text is seen. */
const edged = (text: string): string => ` ${text}zZ `

/** The fields of a schema that take any text, as far as one goes that is like no other. */
const textFields = (schema: object): ReadonlyMap<string, TakesText> => {
  const known = textFieldsOf.get(schema)
  if (known !== undefined) return known
  const fields = Object.entries(fieldSchemas(schema)).flatMap(([field, own]): ReadonlyArray<[string, TakesText]> => {
    const takes: TakesText = Schema.isSchema(own) ? Schema.is(own) : () => false
    return takes(edged("")) ? [[field, takes]] : []
  })
  const found = new Map(fields)
  textFieldsOf.set(schema, found)
  return found
}

/** The record with all of its free texts between blanks, and, where `fills` says so, with one in each field that has none. */
const withEdgedTexts = <A extends object>(schema: object, record: A, fills: boolean): A => {
  const changes = [...textFields(schema)].flatMap(([field, takes]) => {
    const value: unknown = Reflect.get(record, field)
    const text = typeof value === "string" ? edged(value) : fills && value === null ? edged("") : null
    return text !== null && takes(text) ? [[field, text] as const] : []
  })
  return Object.assign({}, record, Object.fromEntries(changes))
}

/**
 * The record as it is seldom drawn, the rarest first; which of them there may be is for the caller to see: a millisecond later,
 * with all texts that there may be, between blanks; with those that there are; and at other instants alone.
 */
export const seldomDrawn = <A>(schema: object, record: A): ReadonlyArray<A> => {
  const moved: A = Object.assign({}, record, betweenSeconds(Object(record)))
  const texts = [true, false].map((fills): A => Object.assign({}, moved, withEdgedTexts(schema, Object(moved), fills)))
  return [...texts, moved]
}
