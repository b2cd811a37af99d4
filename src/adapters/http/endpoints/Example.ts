import { Predicate, Schema } from "effect"
import { idPrefixes } from "../../../domain/kernel/Ids.ts"

export interface Example {
  readonly request?: unknown
  readonly answer: unknown
}

const suffix = "01jqz6x8h4e5vb9m2k7ncw3t5d"

export const exampleId = (prefix: string): string => `${prefix}_${suffix}`

export const idOf = (kind: keyof typeof idPrefixes): string => exampleId(idPrefixes[kind])

/** The instant at which examples happen. */
export const instant = "2026-04-01T02:30:00.000Z"

/** When a record of the examples is changed. */
export const later = "2026-04-02T00:00:00.000Z"

/** When something ends that a request names: it must lie ahead on the day that somebody sends the example. */
export const farAhead = "2099-12-31T00:00:00.000Z"

/** The only page of a list with one record. */
export const page = (record: unknown) => ({ data: [record], has_more: false })

const completed = (schema: Schema.Top, value: unknown): unknown => {
  if (Array.isArray(value)) {
    return "value" in schema ? value.map((each) => completed(schema.value as Schema.Top, each)) : value
  }
  if (!Predicate.isObject(value) || !("fields" in schema)) return value
  const fields = Object.entries(schema.fields as Readonly<Record<string, Schema.Top>>)
  const nulls = fields.filter(([name, field]) => !Object.hasOwn(value, name) && Schema.is(field)(null))
  const given = Object.entries(value).map(([name, each]) => {
    const [, field] = fields.find(([known]) => known === name) ?? []
    return [name, field === undefined ? each : completed(field, each)]
  })
  return Object.fromEntries([...given, ...nulls.map(([name]) => [name, null])])
}

/** An example of an operation that gives this: what its answer leaves out is null, where it may be. */
export const exampleOf = (output: Schema.Top, { answer, ...rest }: Example): Example => ({
  ...rest,
  answer: completed(output, answer)
})
