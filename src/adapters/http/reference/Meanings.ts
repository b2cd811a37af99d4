import type { JsonSchema } from "effect"
import { commonMeanings } from "../../../domain/kernel/Fields.ts"
import { type Components, componentOf } from "./Spec.ts"

/** The annotation in which a record's schema says what its fields mean. */
export const isMeanings = (key: string): boolean => key === "meanings"

const asSchema = (value: unknown): JsonSchema.JsonSchema => ({ ...Object(value) })

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined)

/** A record's schema with what each field means, unless the field says it itself or is a record with a page of its own. */
export const withMeanings = (schema: JsonSchema.JsonSchema, components: Components): JsonSchema.JsonSchema => {
  const { meanings, ...rest } = schema
  const { properties } = rest
  if (properties === undefined) return rest
  const own = asSchema(meanings)
  const isRecord = (field: JsonSchema.JsonSchema): boolean =>
    components[componentOf(field) ?? ""]?.["properties"] !== undefined
  const fields = Object.entries(asSchema(properties)).map(([name, value]) => {
    const field = asSchema(value)
    const description = textOf(field["description"]) ?? textOf(own[name]) ?? commonMeanings[name]
    return [name, isRecord(field) || description === undefined ? field : { ...field, description }]
  })
  return { ...rest, properties: Object.fromEntries(fields) }
}
