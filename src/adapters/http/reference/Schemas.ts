import type { JsonSchema } from "effect"
import { codes, statusOf } from "../ErrorEnvelope.ts"
import { explained } from "./Meanings.ts"
import { deliveredSchemas } from "./Webhooks.ts"

type Components = Readonly<Record<string, JsonSchema.JsonSchema>>

const mapped = (value: unknown, change: (record: Record<string, unknown>) => Record<string, unknown>): unknown => {
  if (Array.isArray(value)) return value.map((each) => mapped(each, change))
  if (typeof value !== "object" || value === null) return value
  return change(Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapped(each, change)])))
}

/** A choice between one is no choice; the largest safe integer is a limit of JavaScript, not of the contract. */
const simplified = (record: Record<string, unknown>): Record<string, unknown> => {
  const { anyOf, ...rest } = record
  if (Array.isArray(anyOf) && anyOf.length === 1) return simplified({ ...Object(anyOf[0]), ...rest })
  const { maximum, ...unlimited } = record
  return maximum === Number.MAX_SAFE_INTEGER ? unlimited : record
}

/** Later versions may add fields to an event: receivers get open objects. */
const opened = (record: Record<string, unknown>): Record<string, unknown> => {
  const { additionalProperties, ...open } = record
  return additionalProperties === false ? open : record
}

const changed = (
  schema: JsonSchema.JsonSchema,
  change: (record: Record<string, unknown>) => Record<string, unknown>
): JsonSchema.JsonSchema => ({ ...Object(mapped(schema, change)) })

const methodNotAllowed = (unauthorized: JsonSchema.JsonSchema): JsonSchema.JsonSchema =>
  changed(unauthorized, (record) =>
    Array.isArray(record["enum"])
      ? { ...record, enum: codes.filter((code) => statusOf[code] === statusOf.method_not_allowed) }
      : record["description"] === "unauthorized"
        ? { ...record, description: "method_not_allowed" }
        : record
  )

/** The named schemas as they are published, in alphabetical order. */
export const schemasOf = (raw: Components): Components => {
  const delivered = deliveredSchemas(raw)
  const entries = Object.entries(raw).map(([name, schema]) => {
    const simple = changed(schema, simplified)
    return [name, delivered.has(name) ? changed(simple, opened) : explained(name, simple)] as const
  })
  const all = Object.fromEntries(entries)
  const complete = { ...all, Error405: methodNotAllowed(all["Error401"] ?? {}) }
  return Object.fromEntries(Object.entries(complete).sort(([a], [b]) => (a < b ? -1 : 1)))
}
