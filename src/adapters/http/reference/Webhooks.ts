import { Limits } from "../../../domain/kernel/Limits.ts"
import { catalogue, type EventType, eventTypes } from "../../../domain/outbox/Event.ts"
import { schemaNameOf } from "../../../domain/outbox/EventEnvelope.ts"
import { deliveryParameters } from "./Parameters.ts"
import { sampleOf } from "./Samples.ts"
import { type Components, componentOf, type OperationSpec, type PathItem, pointer } from "./Spec.ts"

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

/**
 * The schemas of a delivered event of any type, and of an event as the API shows it: `type` tells which data it has.
 * The declaration has one schema for all stored events, since they are kept as text.
 */
export const eventUnions = (schemas: Components): Components => {
  const { created_at, id } = Object(schemas["Event"]?.["properties"])
  const members = eventTypes.map((type) => [type, pointer("schemas", schemaNameOf(type)).$ref] as const)
  return {
    WebhookEvent: {
      description: "A delivery's body: `type` tells which data it has. Later versions may send types beyond these.",
      oneOf: members.map(([, $ref]) => ({ $ref })),
      discriminator: { propertyName: "type", mapping: Object.fromEntries(members) }
    },
    Event: {
      description: "An event as it was delivered, with its id.",
      allOf: [
        { ...pointer("schemas", "WebhookEvent") },
        { type: "object", properties: { id, created_at }, required: ["id", "created_at"] }
      ]
    }
  }
}

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

export const deliveredSchemas = (schemas: Components): ReadonlySet<string> =>
  reachedFrom(eventTypes.map(schemaNameOf), schemas, new Set())
