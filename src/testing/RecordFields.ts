import { Equal, Predicate, Schema } from "effect"

export const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> =>
  Predicate.isObject(value) && Object.getPrototypeOf(value) === Object.prototype

/** A record that notes which of its fields are read. A plain one is copied: a frozen one can give nothing but its own values. */
const watched = (record: object, path: string, read: Set<string>): object =>
  new Proxy(isPlain(record) ? { ...record } : record, {
    get: (target, field) => {
      const value: unknown = Reflect.get(target, field)
      if (!Predicate.isString(field)) return value
      read.add(`${path}${field}`)
      return isPlain(record) && isPlain(value) ? watched(value, `${path}${field}.`, read) : value
    }
  })

/**
 * The fields of a record that some questions read, those of records in it as `field.field`; a question that throws has read
 * what it has.
 */
export const fieldsRead = <State>(
  record: State,
  questions: ReadonlyArray<(record: State) => unknown>
): ReadonlyArray<string> => {
  const read = new Set<string>()
  const given = Object(watched(Object(record), "", read))
  for (const ask of questions) {
    try {
      ask(given)
    } catch {
      // The law that is broken is told by whoever asks for the fields.
    }
  }
  return [...read]
}

/** Where two values first differ, and what is there: a field, or a place in it where both hold records or lists alike. */
export interface Difference {
  readonly path: string
  readonly wanted: unknown
  readonly found: unknown
}

const join = (path: string, part: string): string => (path === "" ? part : `${path}.${part}`)

/** The first difference between two values that are not equal. */
export const differenceIn = (path: string, wanted: unknown, found: unknown): Difference => {
  const areRecords = isPlain(wanted) && isPlain(found)
  const areLists = Array.isArray(wanted) && Array.isArray(found) && wanted.length === found.length
  if (!areRecords && !areLists) return { path, wanted, found }
  const [ours, theirs] = [wanted, found].map((each) => new Map(Object.entries(each)))
  const part = [...new Set([...Object.keys(wanted), ...Object.keys(found)])].find(
    (each) => !Equal.equals(ours?.get(each), theirs?.get(each))
  )
  return part === undefined
    ? { path, wanted, found }
    : differenceIn(join(path, part), ours?.get(part), theirs?.get(part))
}

/** The schemas of a record's fields, by their names; none where its schema is no struct. */
export const fieldSchemas = (schema: unknown): Readonly<Record<string, unknown>> =>
  Predicate.hasProperty(schema, "fields") ? Object(schema.fields) : {}

/** The fields of a record that are not what its schema says of them by themselves: wrong, missing, or nobody's. */
export const fieldsRefused = (schema: unknown, record: unknown): ReadonlyArray<string> => {
  const fields = fieldSchemas(schema)
  const values = new Map(Object.entries(Object(record)))
  const wrong = Object.entries(fields).flatMap(([field, own]) =>
    Schema.isSchema(own) && !Schema.is(own)(values.get(field)) ? [field] : []
  )
  return [...wrong, ...[...values.keys()].filter((field) => !Object.hasOwn(fields, field))]
}
