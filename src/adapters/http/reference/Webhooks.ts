import type { JsonSchema } from "effect"
import { catalogue, type EventType, eventTypes } from "../../../domain/Event.ts"
import { schemaNameOf } from "../../../domain/EventEnvelope.ts"
import { Limits } from "../../../domain/Limits.ts"
import { deliveryParameters } from "./Parameters.ts"
import { sampleOf } from "./Samples.ts"
import { componentOf, type OperationSpec, type PathItem, pointer } from "./Spec.ts"

type Components = Readonly<Record<string, JsonSchema.JsonSchema>>

const seconds = Limits.webhookTimeoutMillis / 1_000

const operationOf = (type: EventType, schemas: Components): OperationSpec => {
  const name = schemaNameOf(type)
  const schema = pointer("schemas", name)
  return {
    operationId: `webhook_${type.replaceAll(".", "_")}`,
    tags: ["webhooks"],
    summary: type,
    description: `Emitted when ${catalogue[type].when}.`,
    security: [],
    parameters: Object.keys(deliveryParameters).map((parameter) => pointer("parameters", parameter)),
    requestBody: {
      required: true,
      content: { "application/json": { schema: { ...schema }, example: sampleOf(schemas[name] ?? {}, schemas) } }
    },
    responses: {
      "2XX": { description: `Received. Answer within ${seconds} seconds; the body is ignored.` },
      "4XX": { description: "Not received: the delivery is tried again on its schedule." },
      default: { description: "Not received: the delivery is tried again on its schedule." }
    }
  }
}

/** The deliveries that a receiver gets, one for each type of the catalogue. */
export const webhooksOf = (schemas: Components): Readonly<Record<string, PathItem>> =>
  Object.fromEntries(eventTypes.map((type) => [type, { post: operationOf(type, schemas) }]))

const refersTo = (value: unknown): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(refersTo)
  if (typeof value !== "object" || value === null) return []
  const component = componentOf({ ...value })
  return component === undefined ? Object.values(value).flatMap(refersTo) : [component]
}

const reachedFrom = (names: ReadonlyArray<string>, schemas: Components, seen: Set<string>): Set<string> => {
  for (const name of names) {
    if (seen.has(name)) continue
    seen.add(name)
    reachedFrom(refersTo(schemas[name]), schemas, seen)
  }
  return seen
}

/** The names of the schemas that deliveries are made of. */
export const deliveredSchemas = (schemas: Components): ReadonlySet<string> =>
  reachedFrom(eventTypes.map(schemaNameOf), schemas, new Set())
