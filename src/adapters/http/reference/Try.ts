import { Effect } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiSwagger } from "effect/http-api"
import { Api } from "../Api.ts"
import { bytesOf } from "../pipeline/Answers.ts"
import type { Document } from "../server/Documents.ts"
import { hashOf, htmlType } from "../server/Pages.ts"
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
export const tryPage = (document: OpenApiDocument): Effect.Effect<Document> =>
  Effect.map(bundled, (given) => {
    const { after, before } = between(given, '<script id="swagger-spec" type="application/json">', "</script>")
    const page = `${before}${inScript(onSameHost(document))}${after}`.replace("<style>", `${icon}\n<style>`)
    return {
      contentType: htmlType,
      body: bytesOf(page),
      headers: { "content-security-policy": policyOf(page), "referrer-policy": "no-referrer" }
    }
  })
