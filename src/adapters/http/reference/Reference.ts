import { Buffer } from "node:buffer"
import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiSwagger } from "effect/http-api"
import { catalogue, type EventSpec, eventTypes } from "../../../domain/outbox/Event.ts"
import { schemaNameOf } from "../../../domain/outbox/EventEnvelope.ts"
import { Api } from "../Api.ts"
import { bytesOf, hashOf, htmlType, jsonType } from "../pipeline/Answers.ts"
import type { Document, Documents } from "../server/Documents.ts"
import { withEnumsInPlace } from "./Enums.ts"
import { fieldsOf, typeOf } from "./Fields.ts"
import { guidePlaces, guideSections } from "./Guide.ts"
import { type Html, html, jsonCode, nothing, paragraphs, prose, section } from "./Html.ts"
import { openApi, type ReferenceSettings } from "./OpenApi.ts"
import { operationSections, operationsOf } from "./Operations.ts"
import { script } from "./Script.ts"
import type { OpenApiDocument } from "./Spec.ts"
import { style } from "./Style.ts"
import { deliveredSchemas } from "./Webhooks.ts"

/** The path of the interactive reference. */
const tryPath = "/docs/try"

/** The page that the platform bundles, with script, styles and its own description of the API in it. */
const bundled: Effect.Effect<string> = Effect.promise(async () => {
  const { dispose, handler } = HttpRouter.toWebHandler(HttpApiSwagger.layer(Api, { path: tryPath }), {
    disableLogger: true
  })
  const answer = await handler(new Request(`http://localhost${tryPath}`))
  const page = await answer.text()
  await dispose()
  return page
})

interface Span {
  readonly before: string
  readonly inside: string
  readonly after: string
}

/** Splits the text at two marks. The page is the platform's: where it does not have the marks, it is not served. */
const between = (page: string, open: string, close: string): Span => {
  const start = page.indexOf(open) + open.length
  const end = page.indexOf(close, start)
  if (start < open.length || end === -1) throw new Error(`The interactive reference has no ${open}`)
  return { before: page.slice(0, start), inside: page.slice(start, end), after: page.slice(end) }
}

/** Makes requests go to the host that the page came from, so that no other origin has to allow them. */
const onSameHost = (document: OpenApiDocument): OpenApiDocument => {
  const url = document.servers[0]?.url ?? ""
  const path = URL.canParse(url) ? new URL(url).pathname : "/"
  return { ...document, servers: [{ url: path, description: "This service" }] }
}

const inScript = (document: OpenApiDocument): string => JSON.stringify(document).replaceAll("<", "\\u003c")

const icon = '<link rel="icon" href="/favicon.svg" type="image/svg+xml">'

/** The page's policy: scripts and styles are named by their hashes; requests go to this host alone. */
const policyOf = (page: string): string =>
  [
    "default-src 'none'",
    `script-src ${hashOf(between(page, "<script>", "</script>").inside)}`,
    `style-src ${hashOf(between(page, "<style>", "</style>").inside)}`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")

/**
 * The interactive reference: the platform's own, with this service's document in place of the platform's description of
 * the API. It is two megabytes and loads nothing from elsewhere.
 */
const tryPage = (document: OpenApiDocument): Effect.Effect<Document> =>
  Effect.map(bundled, (given) => {
    const { after, before } = between(given, '<script id="swagger-spec" type="application/json">', "</script>")
    const page = `${before}${inScript(onSameHost(document))}${after}`.replace("<style>", `${icon}\n<style>`)
    return {
      contentType: htmlType,
      body: bytesOf(page),
      headers: { "content-security-policy": policyOf(page), "referrer-policy": "no-referrer" }
    }
  })

const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0a5a4b"/><path d="M16 26C6 19 6 13 6 12a5 5 0 0 1 10-1 5 5 0 0 1 10 1c0 1 0 7-10 14z" fill="#fff"/></svg>'

/** The same icon, 32 by 32 pixels, for programs that ask for `/favicon.ico` by themselves. */
const ico = [
  "AAABAAEAICAAAAEAIAB3AwAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAgGAAAAc3p69AAAAyxJREFUeJzEl1tIFFEYx/9ndnLb",
  "za52wYqiMEHCtAyzwLCHErWHrkaGJhm9ZFF0QQLxUi95oUCJjG4UhmCFQaBBmJlrpg9t3lIzM628lW2m7mq7c5qzuFI6s+voqj/YnXPm",
  "++Z8/znnzMz38fiXXUHztJpZp0FogNjzBchiOAXaKf7pQUlZv7HvCvKKDDYLsTXUh0JCOIG7SQiWYhKhFN8ETjg6kJ2fPyxAHREWrAIK",
  "MIVYiBDKRBBEhM3XgtaIWtwxhbCZMJrN3pyG4vBUB2ewpdbwfBQ3tOGmBzE2Lx7sClBxHDat8cJmTy8Mms2o/NyEl7WVo8cSb2mrlzfW",
  "rVwNF56Hrr4G5R/qIVDB3vABPAFZKWddsXAxnsQlw9N9+X/n6762IuZaGvTNH6399as8cOf4OaxxXzbKb3dKAlq+d0qOz2ITbUQYlTK6",
  "uc6BPj0LC1xnS17cbviJwPhT4AiHkktXsWjOXEm/7t7f8DlzzHqUQjXD2zNRypAQHomgtT6Qw3Wmxro8bNoDxZ8cGhc1ONGvsOqtpJ2T",
  "u3Cnn+O9ud3HDzt8Nzr0C93gL2vj5QzL3RbCESP3hhzu89ygWAClcBq8Snai5Zeg3dANZ9H6owuKBZSKz7GzKHlfDcUCckuL4SxydC+g",
  "WECBvgLNne2YKFUtn6Crq1EugBGfcxcT5fz9G3btdgU8flOCopp3GC8PXxejuLYK4xbAiM5MQWePAUpp6mjDiVuZDv0cCujq+YXw9Iuw",
  "CALGSv/AAPamJqHH2O/Q16EARkVjPaIyLo9JhOnPIPalJaGh7QvGwpgEMPLKdVYR9r7vLPielETJfGHCAmwiojNTrYnJSHpNRuxPS1YU",
  "XLEAxqOyV9hy4aR1k9mobm2Gf1wsCqv1UArRHgxrF1OTJVCIVq1GRkws+kwmnL2XJTkrDqHoYBkRqweCMT084ygrmaYJFpujguW62Fb+",
  "ppk4BhabM+UUNFOBHMGUQ6NZbBVrmqsb6rh1HuWEkm1iej8bk8hQcXrA9CD/KeurbAZLVWOj2WPZ7Rm8y6BYsQyIp0QhZBacgrU814nl",
  "ebbR2BdpyX0+nKH8BQAA//+oZCtAAAAABklEQVQDAB8ZJmVT6aKrAAAAAElFTkSuQmCC"
].join("")

/** The service's icon, by path. */
const favicon: ReadonlyArray<readonly [path: string, document: Document]> = [
  ["/favicon.svg", { contentType: "image/svg+xml", body: bytesOf(svg) }],
  ["/favicon.ico", { contentType: "image/x-icon", body: Buffer.from(ico, "base64") }]
]

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

/** A group of links in the contents. Only the guide is open at first, which keeps the contents short. */
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

/** The page's policy: nothing is loaded from elsewhere or framed; its style sheet and script are named by hashes. */
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
