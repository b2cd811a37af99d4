import { Effect } from "effect"
import { PublicUrlTemplate } from "../../../ports/kernel/PublicUrlTemplate.ts"
import { answer, type Exchange, refuse, refuseVerb, varyOn } from "../pipeline/Answers.ts"
import { type EdgeRequest, type EdgeResponse, headerOf } from "../pipeline/Exchange.ts"
import type { Problem } from "../pipeline/Problem.ts"
import type { EdgeSettings } from "../pipeline/Settings.ts"
import type { Documents } from "./Documents.ts"
import { hostedPages } from "./HostedPages.ts"
import { nothingHere, type Page, unavailable } from "./Pages.ts"
import {
  codingFor,
  type DocumentForms,
  isCurrent,
  type Representation,
  representations,
  weightsOf
} from "./Representations.ts"

/** The answer of a path that is not declared. */
export const notFound: Problem = {
  code: "not_found",
  message: "There is nothing at this address. /openapi.json lists what there is."
}

const apiRoot = "/api/v1"

/** Whether a path is below the API's root, declared or not. */
export const isApiPath = (path: string): boolean => path.startsWith(`${apiRoot}/`) || path === apiRoot

const documentVerbs = ["GET", "HEAD"]

/**
 * Whether a request names HTML among the types that it accepts: browsers do when they ask for a page, programs do not.
 */
const wantsHtml = (request: EdgeRequest): boolean =>
  (weightsOf(headerOf(request, "accept") ?? "").get("text/html") ?? 0) > 0

const sent = (
  settings: EdgeSettings,
  exchange: Exchange,
  { document }: DocumentForms,
  { body, coding, etag }: Representation
): EdgeResponse =>
  answer(
    settings,
    exchange,
    { status: document.location === undefined ? 200 : 303, contentType: document.contentType, body },
    {
      ...document.headers,
      // May be stored, but must be revalidated each time: another version may have been installed.
      "cache-control": "no-cache",
      etag,
      ...(coding === "identity" ? {} : { "content-encoding": coding }),
      ...(document.location === undefined ? {} : { location: document.location })
    }
  )

const notModified = (whole: EdgeResponse): EdgeResponse => {
  const { "content-encoding": _, "content-type": __, ...headers } = whole.headers
  return { ...whole, status: 304, headers, body: "" }
}

/**
 * Answers requests outside `/api/v1`, which need no key: the documents; a page that says so where pages for donors and
 * invitees will be; and 404, for browsers as a page. decisions, section 3.
 */
export const makeOutside = Effect.fnUntraced(function* (settings: EdgeSettings, documents: Documents) {
  const hostedAt = hostedPages(yield* PublicUrlTemplate)
  const ready = new Map<string, Effect.Effect<DocumentForms>>()
  for (const [path, document] of documents) ready.set(path, yield* representations(document))

  const documentAt = Effect.fnUntraced(function* (exchange: Exchange, of: Effect.Effect<DocumentForms>) {
    const { request } = exchange
    const represented = yield* of
    const representation = yield* represented.in(codingFor(headerOf(request, "accept-encoding")))
    const whole = varyOn(sent(settings, exchange, represented, representation), "Accept-Encoding")
    return whole.status === 200 && isCurrent(headerOf(request, "if-none-match"), representation)
      ? notModified(whole)
      : whole
  })

  const notFoundAt = (exchange: Exchange, page: Page): EdgeResponse =>
    answer(settings, exchange, { status: 404, ...page }, page.headers)

  return (exchange: Exchange): Effect.Effect<EdgeResponse> => {
    const { request } = exchange
    const hosted = hostedAt(headerOf(request, "host"), request.path)
    const document = ready.get(request.path)
    if (hosted === undefined && document === undefined) {
      const refusal = wantsHtml(request) ? notFoundAt(exchange, nothingHere) : refuse(settings, exchange, notFound)
      return Effect.succeed(varyOn(refusal, "Accept"))
    }
    if (!documentVerbs.includes(request.method)) return Effect.succeed(refuseVerb(settings, exchange, documentVerbs))
    if (hosted !== undefined) return Effect.succeed(notFoundAt(exchange, unavailable[hosted]))
    return document === undefined
      ? Effect.succeed(refuse(settings, exchange, notFound))
      : documentAt(exchange, document)
  }
})
