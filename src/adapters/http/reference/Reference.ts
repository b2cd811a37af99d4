import { Buffer } from "node:buffer"
import { gunzipSync } from "node:zlib"
import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiSwagger } from "effect/http-api"
import { Api } from "../Api.ts"
import { bytesOf, hashOf, htmlType, jsonType } from "../pipeline/Answers.ts"
import type { Document, Documents } from "../server/Documents.ts"
import { openApi, type ReferenceSettings } from "./OpenApi.ts"
import type { OpenApiDocument } from "./Spec.ts"

/** The path of the interactive reference. */
export const tryPath = "/docs/try"

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

/** A page with its policy: its script and its style sheet are named by hashes, and nothing else is loaded or framed. */
const guarded = (page: string, ...allowed: ReadonlyArray<string>): Document => {
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(between(page, "<script>", "</script>").inside)}`,
    `style-src ${hashOf(between(page, "<style>", "</style>").inside)}`,
    ...allowed,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
  return {
    contentType: htmlType,
    body: bytesOf(page),
    headers: { "content-security-policy": policy, "referrer-policy": "no-referrer" }
  }
}

/**
 * The interactive reference: the platform's own, with this service's document in place of the platform's description of
 * the API. It is two megabytes and loads nothing from elsewhere.
 */
const tryPage = (document: OpenApiDocument): Effect.Effect<Document> =>
  Effect.map(bundled, (given) => {
    const { after, before } = between(given, '<script id="swagger-spec" type="application/json">', "</script>")
    const page = `${before}${inScript(onSameHost(document))}${after}`.replace("<style>", `${icon}\n<style>`)
    return guarded(page, "img-src 'self' data:", "connect-src 'self'")
  })

/** The settings that the printed page has in the place of a service's own. */
export const unset: ReferenceSettings = { apiBaseUrl: "https://address.invalid", version: "0.0.0-printed" }

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)

/** The reference as the build printed it, with what this service's settings say. */
const referenceOf = ({ apiBaseUrl, version }: ReferenceSettings): Effect.Effect<Document> =>
  Effect.map(
    Effect.promise(() => import("./generated/Page.ts")),
    ({ page }) =>
      guarded(
        gunzipSync(Buffer.from(page, "base64"))
          .toString("utf8")
          .replaceAll(unset.apiBaseUrl, () => escaped(apiBaseUrl))
          .replaceAll(unset.version, () => escaped(version)),
        "img-src 'self'"
      )
  )

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
 * The documents beside the API: `/openapi.json`, `/docs`, `/docs/try`, the icon, and the paths that lead to one of these. To
 * describe the API takes longer than anything else at the start, and few ask for it: each is made at its first request.
 */
export const documents = (settings: ReferenceSettings): Documents => {
  const described = once(() => openApi(settings))
  return new Map<string, Document | Effect.Effect<Document>>([
    ["/openapi.json", Effect.sync(() => ({ contentType: jsonType, body: bytesOf(JSON.stringify(described())) }))],
    ["/docs", referenceOf(settings)],
    [tryPath, Effect.suspend(() => tryPage(described()))],
    [`${tryPath}/`, leadingTo(tryPath)],
    ["/docs/", leadingTo("/docs")],
    ["/", leadingTo("/docs")],
    ...favicon
  ])
}
