import type { JsonSchema } from "effect"
import { withMeanings } from "./Meanings.ts"
import { type Components, mapObjects } from "./Spec.ts"
import { deliveredSchemas, eventUnions } from "./Webhooks.ts"

/** Merges a reference and a description, which the printer of schemas writes as an intersection. */
const described = ({ allOf, ...rest }: Record<string, unknown>): Record<string, unknown> | undefined => {
  const [named, words, ...more] = Array.isArray(allOf) ? allOf.map((part) => ({ ...Object(part) })) : []
  const isPlain =
    named?.["$ref"] !== undefined && more.length === 0 && Object.keys(words ?? {}).join() === "description"
  return isPlain ? { ...named, ...words, ...rest } : undefined
}

/**
 * Simplifies a schema: a choice between one member is no choice, and the largest safe integer is a limit of JavaScript,
 * not of the contract.
 */
const simplified = (record: Record<string, unknown>): Record<string, unknown> => {
  const { anyOf, ...rest } = record
  if (Array.isArray(anyOf) && anyOf.length === 1) return simplified({ ...Object(anyOf[0]), ...rest })
  const reference = described(record)
  if (reference !== undefined) return reference
  const { maximum, ...unlimited } = record
  return maximum === Number.MAX_SAFE_INTEGER ? unlimited : record
}

/** Later versions may add fields to an event: receivers get open objects, whose fields the catalogue explains. */
const opened = ({ meanings: _, ...record }: Record<string, unknown>): Record<string, unknown> => {
  const { additionalProperties, ...open } = record
  return additionalProperties === false ? open : record
}

const changed = (
  schema: JsonSchema.JsonSchema,
  change: (record: Record<string, unknown>) => Record<string, unknown>
): JsonSchema.JsonSchema => ({ ...Object(mapObjects(schema, change)) })

/** A named schema as it is published, beside those that it refers to. */
export const publishedSchema = (schema: JsonSchema.JsonSchema, components: Components): JsonSchema.JsonSchema =>
  withMeanings(changed(schema, simplified), components)

/** The named schemas as they are published, in alphabetical order. */
export const schemasOf = (raw: Components): Components => {
  const delivered = deliveredSchemas(raw)
  const entries = Object.entries(raw).map(([name, schema]) => {
    const simple = changed(schema, simplified)
    return [name, delivered.has(name) ? changed(simple, opened) : withMeanings(simple, raw)] as const
  })
  const all = Object.fromEntries(entries)
  const complete = { ...all, ...eventUnions(all) }
  return Object.fromEntries(Object.entries(complete).sort(([a], [b]) => (a < b ? -1 : 1)))
}
