import { Effect } from "effect"
import { catalogue, type EventSpec, eventTypes } from "../../../domain/outbox/Event.ts"
import { schemaNameOf } from "../../../domain/outbox/EventEnvelope.ts"
import { bytesOf, jsonType } from "../pipeline/Answers.ts"
import type { Document, Documents } from "../server/Documents.ts"
import { favicon } from "../server/Favicon.ts"
import { hashOf, htmlType } from "../server/Pages.ts"
import { withEnumsInPlace } from "./Enums.ts"
import { fieldsOf, typeOf } from "./Fields.ts"
import { guidePlaces, guideSections } from "./Guide.ts"
import { type Html, html, jsonCode, nothing, paragraphs, prose, section } from "./Html.ts"
import { openApi, type ReferenceSettings } from "./OpenApi.ts"
import { operationSections, operationsOf } from "./Operations.ts"
import { script } from "./Script.ts"
import type { OpenApiDocument } from "./Spec.ts"
import { style } from "./Style.ts"
import { tryPage, tryPath } from "./Try.ts"
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

const eventsSection = (document: OpenApiDocument): Html =>
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
const schemasSection = (document: OpenApiDocument): Html => {
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

const openState: Html = { html: " open" }

const place = (anchor: string, title: Html): Html => html`<li><a href="#${anchor}">${title}</a></li>`

/**
 * A group of links in the contents. Only the guide is open at first, so that the contents stay short however many
 * operations there are.
 */
const places = (heading: string, items: ReadonlyArray<Html>, state: "open" | "closed" = "closed"): Html =>
  html`<details${state === "open" ? openState : nothing}><summary>${heading}</summary><ul>${items}</ul></details>`

const navigation = (document: OpenApiDocument): Html =>
  html`<nav id="contents" aria-label="Contents">${[
    places(
      "Guide",
      guidePlaces.map(([anchor, title]) => place(anchor, html`${title}`)),
      "open"
    ),
    ...document.tags.map(({ name }) =>
      places(
        name,
        operationsOf(document, name).map(({ operation }) =>
          place(`operation-${operation.operationId}`, html`${operation.summary}`)
        )
      )
    ),
    places("Events", [
      place("events", html`Event types`),
      ...eventTypes.map((type) => place(`event-${type}`, html`<code>${type}</code>`))
    ]),
    places("Schemas", [place("schemas", html`Records and payloads`)])
  ]}</nav>`

/** The reference as one page. It is complete without its script, and loads nothing from elsewhere. */
export const referencePage = (published: OpenApiDocument): string => {
  const document = withEnumsInPlace(published)
  const { info, servers } = document
  const title = `${info.title} API reference`
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${{ html: style }}</style>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<a class="back" href="#contents">Contents</a>
<div class="page">
<header><h1>${title}</h1>
<p>Version ${info.version}. ${prose(info.description)}</p>
<p>Base address: <code>${servers[0]?.url ?? ""}</code>. As OpenAPI 3.1, which Postman,
Bruno and Insomnia import: <a href="/openapi.json">openapi.json</a>. To send requests from the browser:
<a href="${tryPath}">the interactive reference</a>.</p></header>
${navigation(document)}
<div class="content">
<main id="content" tabindex="-1">
${[...guideSections(document), ...operationSections(document), eventsSection(document), schemasSection(document)]}
</main>
<footer><p>${info.title} ${info.version}, licensed under ${info.license.name}.</p></footer>
</div>
</div>
<script>${{ html: script }}</script>
</body>
</html>
`
  return page.html
}

/**
 * The page's policy: nothing may be loaded from elsewhere or framed; the one style sheet and the one script are named
 * by their hashes.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  `script-src ${hashOf(script)}`,
  `style-src ${hashOf(style)}`,
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

const pageHeaders = { "content-security-policy": contentSecurityPolicy, "referrer-policy": "no-referrer" }

const leadingTo = (location: string): Document => ({
  contentType: "text/plain; charset=utf-8",
  body: bytesOf(`See ${location}.\n`),
  location
})

/** Makes a value when it is first asked for. */
const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/**
 * The documents beside the API: `/openapi.json`, `/docs`, `/docs/try`, the icon, and the paths that lead to one of these. To describe the API takes longer than anything else at the start, and few ask for it: each is made
 * at its first request.
 */
export const documents = (settings: ReferenceSettings): Documents => {
  const described = once(() => openApi(settings))
  const made = (make: (described: OpenApiDocument) => Document) => Effect.sync(() => make(described()))
  return new Map<string, Document | Effect.Effect<Document>>([
    ["/openapi.json", made((api) => ({ contentType: jsonType, body: bytesOf(JSON.stringify(api)) }))],
    ["/docs", made((api) => ({ contentType: htmlType, body: bytesOf(referencePage(api)), headers: pageHeaders }))],
    [tryPath, Effect.suspend(() => tryPage(described()))],
    [`${tryPath}/`, leadingTo(tryPath)],
    ["/docs/", leadingTo("/docs")],
    ["/", leadingTo("/docs")],
    ...favicon
  ])
}
