import { Formatter, Predicate } from "effect"
import type { Row } from "../domain/kernel/Machine.ts"
import { isPlain } from "./RecordFields.ts"

/** A text as it stands in a value, without quotes. */
class Text {
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toString(): string {
    return this.text
  }
}

/** A text and a list are told whole up to so much, and by so much of their beginning beyond. */
const longestText = 80
const [longestList, listed] = [5, 3]

/** A record within another is told whole up to so many fields; beyond, by those that matter, or by its first ones. */
const [widest, firstFields] = [6, 3]

/** A command is told whole up to so many fields. */
const widestCommand = 8

/** The characters that the fields of a record, and of one within another, may take; at least one is told. */
const [spaceOfRecord, spaceWithin] = [180, 80]

type Fields = ReadonlyArray<readonly [field: string, value: unknown]>

const withOthers = (told: unknown, others: number, what: string): unknown =>
  others === 0 ? told : new Text(`${Formatter.format(told)} and ${others} other ${what}${others === 1 ? "" : "s"}`)

const shortOf = (value: unknown, path: string, mattering: ReadonlySet<string>): unknown => {
  if (Predicate.isString(value)) {
    if (value.length <= longestText) return value
    return new Text(`${Formatter.format(`${value.slice(0, longestText)}…`)} of ${value.length} characters`)
  }
  if (Array.isArray(value)) {
    const some = value.length <= longestList ? value : value.slice(0, listed)
    const told = some.map((each) => shortOf(each, path, mattering))
    return withOthers(told, value.length - some.length, "element")
  }
  if (!isPlain(value)) return value
  const fields = shortFields(Object.entries(value), `${path}.`, mattering)
  if (fields.length <= widest) return Object.fromEntries(fields)
  const some = matteringOf(fields, `${path}.`, mattering, spaceWithin)
  return onlyOf(fields, some.length > 0 ? some : fields.slice(0, firstFields))
}

const shortFields = (fields: Fields, path: string, mattering: ReadonlySet<string>): Fields =>
  fields.map(([field, value]) => [field, shortOf(value, `${path}${field}`, mattering)])

/** The fields that matter, the first of them that have the space. */
const matteringOf = (fields: Fields, path: string, mattering: ReadonlySet<string>, space: number): Fields => {
  const values = new Map(fields)
  let left = space
  return [...mattering].flatMap((each) => {
    const field = each.slice(path.length)
    if (!each.startsWith(path) || !values.has(field)) return []
    const value = values.get(field)
    const isFirst = left === space
    left -= field.length + Formatter.format(value).length
    return isFirst || left >= 0 ? [[field, value]] : []
  })
}

/** Some of a record's fields, in its order, and how many others it has. */
const onlyOf = (fields: Fields, some: Fields): unknown => {
  const told = new Map(some)
  return withOthers(Object.fromEntries(fields.filter(([field]) => told.has(field))), fields.length - told.size, "field")
}

const nothing: ReadonlySet<string> = new Set()

/** A value as a report tells it: long texts, long lists and wide records in it by their beginning. */
export const tellValue = (value: unknown): string => Formatter.format(shortOf(value, "", nothing))

/**
 * A record by the fields that matter, the first of them where they are many, and how many others it has; where none is known
 * to matter, by those that hold something.
 */
export const tellRecord = (record: unknown, mattering: ReadonlySet<string>): string => {
  const fields = shortFields(Object.entries(Object(record)), "", mattering)
  const some = matteringOf(fields, "", mattering, spaceOfRecord)
  return Formatter.format(onlyOf(fields, some.length > 0 ? some : fields.filter(([, value]) => value !== null)))
}

/** A command: all its fields, or those that matter where they are many. */
export const tellCommand = (command: object, mattering: ReadonlySet<string> = nothing): string => {
  const fields = shortFields(Object.entries(command), "", mattering)
  if (fields.length <= widestCommand) return Formatter.format(Object.fromEntries(fields))
  return Formatter.format(onlyOf(fields, matteringOf(fields, "", new Set(["_tag", "at", ...mattering]), spaceOfRecord)))
}

/** A row as a report tells it. */
export const tellRow = <State, Command>(
  tag: string,
  { emits, from, rule, to, when }: Row<State, string, Command, string>
): string => {
  const condition = when === undefined ? "" : `, when ${when}`
  return `Row ${tag}: ${from.join(", ")} → ${to} [${emits.join(", ")}]${condition} (${rule}).`
}
