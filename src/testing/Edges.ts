import { DateTime, Predicate, Schema } from "effect"
import { instantAt } from "./InTime.ts"
import { fieldSchemas, fieldsRead, isPlain } from "./RecordFields.ts"

/** The instants before the first and after the last of a record and a command that are looked at, ms: 400 days. */
const furthestMillis = 400 * 86_400_000

/** Numbers of a record that are added and taken from each other, at most. */
const mostNumbers = 6

/** A field's value as a number, null where it is none and no instant. */
const numberOf = (value: unknown): number | null => {
  if (DateTime.isDateTime(value)) return DateTime.toEpochMillis(value)
  return Number.isSafeInteger(value) ? Number(value) : null
}

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

/** Texts between blanks, of small and capital letters, the longer first: whoever trims, folds or cuts a text is seen. */
const edges = [64, 2].map(
  (length) =>
    (text: string): string =>
      ` ${text}${"zZ".repeat(length / 2)} `
)

type MakeText = (text: string) => string | null

const makersOf = new WeakMap<object, MakeText>()

/** What makes such a text of another, as far as the schema takes any text that is like no other. */
const makerOf = (schema: Schema.Top): MakeText => {
  const known = makersOf.get(schema)
  if (known !== undefined) return known
  const takes: (text: string) => boolean = Schema.is(schema)
  const make: MakeText = (text) => edges.map((edge) => edge(text)).find(takes) ?? null
  const maker = make("") === null ? () => null : make
  makersOf.set(schema, maker)
  return maker
}

/** The schemas that a value may have, of those of a union. */
const choicesOf = (schema: Schema.Top): ReadonlyArray<unknown> =>
  Predicate.hasProperty(schema, "members") && Array.isArray(schema.members) ? schema.members : [schema]

/** A value with such a text wherever one may be, in lists and records, too. */
const withTexts = (schema: unknown, value: unknown): unknown => {
  if (!Schema.isSchema(schema)) return value
  if (value === null || Predicate.isString(value)) return makerOf(schema)(value ?? "") ?? value
  const choices = choicesOf(schema)
  if (Array.isArray(value)) {
    const list = choices.find((each) => Predicate.hasProperty(each, "value"))
    return Predicate.hasProperty(list, "value") ? value.map((each) => withTexts(list.value, each)) : value
  }
  if (!isPlain(value)) return value
  const fields = fieldSchemas(choices.find((each) => Predicate.hasProperty(each, "fields")))
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, withTexts(fields[field], each)]))
}

/**
 * The record as it is seldom drawn: a millisecond later, and with a long text between blanks in each field that takes one, as
 * far as there may be such a record.
 */
export const seldomDrawn = <A>(schema: object, record: A, isLegal: (record: A) => boolean): A => {
  const later: A = Object.assign({}, record, betweenSeconds(Object(record)))
  let made = isLegal(later) ? later : record
  for (const [field, own] of Object.entries(fieldSchemas(schema))) {
    const value: unknown = Reflect.get(Object(made), field)
    const text = withTexts(own, value)
    if (text === value) continue
    const other: A = Object.assign({}, made, { [field]: text })
    if (isLegal(other)) made = other
  }
  return made
}

/** A condition of a row, or what is expected of one. */
export type Holds<State, Command> = (state: State, command: Command) => boolean

/** A record and a command. */
export type Pair<State, Command> = readonly [state: State, command: Command]
