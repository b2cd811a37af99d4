import { Schema } from "effect"
import { OrganisationId } from "../kernel/Ids.ts"
import { Instant } from "../kernel/Timestamp.ts"
import { catalogue, type EventType } from "./Event.ts"

const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/**
 * The name of an event type's schema: `donor.created` is `DonorCreatedEvent`.
 * @example EventEnvelope.schemaNameOf("donor.created") // => "DonorCreatedEvent"
 */
export const schemaNameOf = (type: EventType): string => `${type.split(/[._]/).map(capitalised).join("")}Event`

/**
 * The body of a delivery of this type, as it is sent. service-spec, Delivery shape.
 * @example Schema.is(EventEnvelope.envelopeOf("donor.created").fields.type)("donor.archived") // => false
 */
export const envelopeOf = (type: EventType) =>
  Schema.Struct({
    type: Schema.Literal(type),
    occurred_at: Instant,
    organisation_id: OrganisationId,
    data: catalogue[type].data
  }).annotate({ identifier: schemaNameOf(type), description: `Emitted when ${catalogue[type].when}.` })

/**
 * Whether a key of an annotation is printed beside JSON Schema's own.
 * @example EventEnvelope.isPrintedAnnotation("deprecated") // => true
 */
export const isPrintedAnnotation = (key: string): boolean => key === "deprecated"

/**
 * A delivery's body as JSON Schema, draft 2020-12. It leaves objects open: later versions may add fields.
 * @example EventEnvelope.jsonSchemaOf("donor.created").title // => "donor.created"
 */
export const jsonSchemaOf = (type: EventType) => {
  const name = schemaNameOf(type)
  const { definitions } = Schema.toJsonSchemaDocument(envelopeOf(type), {
    includeAnnotationKey: isPrintedAnnotation,
    onExcessProperty: "ignore"
  })
  const { [name]: envelope, ...rest } = definitions
  return { $schema: "https://json-schema.org/draft/2020-12/schema", title: type, ...envelope, $defs: rest }
}
