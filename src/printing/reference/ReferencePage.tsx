import type { Child } from "hono/jsx"
import { withEnumsInPlace } from "../../adapters/http/reference/Enums.ts"
import { tryPath } from "../../adapters/http/reference/Reference.ts"
import type { OpenApiDocument } from "../../adapters/http/reference/Spec.ts"
import { deliveredSchemas } from "../../adapters/http/reference/Webhooks.ts"
import { catalogue, type EventSpec, type EventType, eventTypes } from "../../domain/outbox/Event.ts"
import { schemaNameOf } from "../../domain/outbox/EventEnvelope.ts"
import { fieldsOf, typeOf } from "./Fields.tsx"
import { guideOf } from "./Guide.tsx"
import { jsonCode, paragraphs, prose, section } from "./Markup.tsx"
import { operationSections, operationsOf } from "./Operations.tsx"
import { script } from "./Script.ts"
import { style } from "./Style.ts"

const asRecord = (value: unknown): Record<string, unknown> => ({ ...Object(value) })

const eventSection = (document: OpenApiDocument, type: EventType): Child => {
  const schema = document.components.schemas[schemaNameOf(type)] ?? {}
  const data = asRecord(asRecord(schema["properties"])["data"])
  const { once_per, when }: EventSpec = catalogue[type]
  const example = document.webhooks[type]?.post?.requestBody?.content["application/json"]?.example
  return section(
    `event-${type}`,
    3,
    <code>{type}</code>,
    paragraphs(`Emitted when ${when}.${once_per === undefined ? "" : ` Delivered at most once for each ${once_per}.`}`),
    <p>
      <code>data</code>: {typeOf(data)}
    </p>,
    <details>
      <summary>
        Example of <code>{type}</code>
      </summary>
      {jsonCode(example)}
    </details>
  )
}

const eventsSection = (document: OpenApiDocument): Child =>
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
const schemasSection = (document: OpenApiDocument): Child => {
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

const place = (anchor: string, title: Child): Child => (
  <li>
    <a href={`#${anchor}`}>{title}</a>
  </li>
)

/** A group of links in the contents. Only the guide is open at first, which keeps the contents short. */
const places = (heading: string, items: Array<Child>, open = false): Child => (
  <details open={open}>
    <summary>{heading}</summary>
    <ul>{items}</ul>
  </details>
)

const navigation = (document: OpenApiDocument): Child => (
  <nav id="contents" aria-label="Contents">
    {places(
      "Guide",
      guideOf(document).map(([anchor, title]) => place(anchor, title)),
      true
    )}
    {document.tags.map(({ name }) =>
      places(
        name,
        operationsOf(document, name).map(({ operation }) =>
          place(`operation-${operation.operationId}`, operation.summary)
        )
      )
    )}
    {places("Events", [
      place("events", "Event types"),
      ...eventTypes.map((type) => place(`event-${type}`, <code>{type}</code>))
    ])}
    {places("Schemas", [place("schemas", "Records and payloads")])}
  </nav>
)

/** The reference as one page. It is complete without its script, and loads nothing from elsewhere. */
export const referencePage = (published: OpenApiDocument): string => {
  const document = withEnumsInPlace(published)
  const { info, servers } = document
  const title = `${info.title} API reference`
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{title}</title>
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to content
        </a>
        <a class="back" href="#contents">
          Contents
        </a>
        <div class="page">
          <header>
            <h1>{title}</h1>
            <p>
              Version {info.version}. {prose(info.description)}
            </p>
            <p>
              Base address: <code>{servers[0]?.url ?? ""}</code>. As OpenAPI 3.1, which Postman, Bruno and Insomnia
              import: <a href="/openapi.json">openapi.json</a>. To send requests from the browser:{" "}
              <a href={tryPath}>the interactive reference</a>.
            </p>
          </header>
          {navigation(document)}
          <div class="content">
            <main id="content" tabindex={-1}>
              {guideOf(document).map(([anchor, heading, ...content]) => section(anchor, 2, heading, ...content))}
              {operationSections(document)}
              {eventsSection(document)}
              {schemasSection(document)}
            </main>
            <footer>
              <p>
                {info.title} {info.version}, licensed under {info.license.name}.
              </p>
            </footer>
          </div>
        </div>
        <script dangerouslySetInnerHTML={{ __html: script }} />
      </body>
    </html>
  )
  return `<!doctype html>\n${String(page)}\n`
}
