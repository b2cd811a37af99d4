import { Predicate, Schema } from "effect"

/** The fields of a record that some questions read; one that throws has read what it has. */
export const fieldsRead = <State>(
  record: State,
  questions: ReadonlyArray<(record: State) => unknown>
): ReadonlyArray<string> => {
  const read = new Set<string>()
  const watched = new Proxy(Object(record), {
    get: (target, field) => {
      if (Predicate.isString(field)) read.add(field)
      return Reflect.get(target, field)
    }
  })
  for (const ask of questions) {
    try {
      ask(watched)
    } catch {
      // The law that is broken is told by whoever asks for the fields.
    }
  }
  return [...read]
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
