import { catalogue, type EventSpec, eventTypes } from "../../../domain/outbox/Event.ts"
import { schemaNameOf } from "../../../domain/outbox/EventEnvelope.ts"
import { fieldsOf, typeOf } from "./Fields.ts"
import { type Html, html, jsonCode, paragraphs, section } from "./Html.ts"
import type { OpenApiDocument } from "./Spec.ts"
import { deliveredSchemas } from "./Webhooks.ts"

const asRecord = (value: unknown): Record<string, unknown> => ({ ...Object(value) })

const eventSection = (document: OpenApiDocument, type: (typeof eventTypes)[number]): Html => {
  const schema = document.components.schemas[schemaNameOf(type)] ?? {}
  const data = asRecord(asRecord(schema["properties"])["data"])
  const { once_per, when }: EventSpec = catalogue[type]
  const example = document.webhooks[type]?.post?.requestBody?.content["application/json"]?.example
  return section(
    `event-${type}`,
    3,
    html`<code>${type}</code>`,
    paragraphs(`Emitted when ${when}.${once_per === undefined ? "" : ` Delivered at most once for each ${once_per}.`}`),
    html`<p><code>data</code>: ${typeOf(data)}</p>`,
    html`<details><summary>Example of <code>${type}</code></summary>${jsonCode(example)}</details>`
  )
}

/** Every event type with its payload. */
export const eventsSection = (document: OpenApiDocument): Html =>
  section(
    "events",
    2,
    "Event types",
    paragraphs(
      "A delivery's body is `type`, `occurred_at`, `organisation_id` and `data`. Later versions may add fields: ignore those that you do not know."
    ),
    ...eventTypes.map((type) => eventSection(document, type))
  )

/** Every named schema but the envelopes of events, which all have the same shape. */
export const schemasSection = (document: OpenApiDocument): Html => {
  const envelopes = new Set(eventTypes.map(schemaNameOf))
  const delivered = deliveredSchemas(document.components.schemas)
  const named = Object.entries(document.components.schemas).filter(([name]) => !envelopes.has(name))
  const all = [...named.filter(([name]) => !delivered.has(name)), ...named.filter(([name]) => delivered.has(name))]
  return section(
    "schemas",
    2,
    "Records and payloads",
    ...all.map(([name, schema]) => section(`schema-${name}`, 3, name, fieldsOf(schema)))
  )
}
