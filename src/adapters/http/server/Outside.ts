import { createHash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { Array as Arr, Duration, Effect, Exit, Record } from "effect"
import { Regimes } from "../../../app/compliance/Regimes.ts"
import { makeMonotonic } from "../../../app/kernel/time/Monotonic.ts"
import { countedAs } from "../../../domain/access/ClientAddress.ts"
import { databaseAway, Readiness, type ReadinessChecks, type ReadinessState } from "../../../ports/kernel/Readiness.ts"
import { weightsOf } from "../pipeline/Accept.ts"
import { answer, bytesOf, type Exchange, jsonType, refuse, refuseVerb, varyOn } from "../pipeline/Answers.ts"
import type { makeBodyBudget } from "../pipeline/BodyMemory.ts"
import { type EdgeRequest, type EdgeResponse, headerOf } from "../pipeline/Handler.ts"
import { type PageRequest, type PageState, Pages } from "../pipeline/PageHandler.ts"
import type { Problem } from "../pipeline/Problem.ts"
import type { EdgeSettings } from "../pipeline/Settings.ts"
import type { Document, Documents } from "./Documents.ts"

/** The content codings of an answer, best first. */
const codings = ["br", "gzip", "identity"] as const

type Coding = (typeof codings)[number]

interface Representation {
  readonly coding: Coding
  readonly body: Uint8Array
  /** Strong: of exactly these bytes. */
  readonly etag: string
}

/** A document in every coding; each is made at its first request and then kept. */
interface DocumentForms {
  readonly document: Document
  readonly in: (coding: Coding) => Effect.Effect<Representation>
}

/** How hard a coder tries. */
interface Effort {
  readonly br: number
  readonly gzip: number
}

// Within a twentieth of the smallest, in a tenth of its time.
const keptEffort: Effort = { br: 9, gzip: 9 }

// A page of 8 KB gets half a percent smaller by brotli's 9, which takes a hundred times as long: 17 ms in place of 0.2.
const onceEffort: Effort = { br: 5, gzip: 6 }

const compressed = (coding: Coding, body: Uint8Array, effort: Effort): Promise<Uint8Array> => {
  switch (coding) {
    case "br":
      return promisify(brotliCompress)(body, {
        params: {
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          [constants.BROTLI_PARAM_QUALITY]: effort.br,
          [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength
        }
      })
    case "gzip":
      return promisify(gzip)(body, { level: effort.gzip })
    case "identity":
      return Promise.resolve(body)
  }
}

/** The smallest body that is compressed, bytes: a smaller one fits in a packet anyway. */
const compressedFrom = 1_024

/** Keeps an effect's result; runs it again after a failure. */
const kept = <A>(effect: Effect.Effect<A>): Effect.Effect<Effect.Effect<A>> =>
  Effect.cachedWithTTL(effect, (exit) => (Exit.isSuccess(exit) ? Duration.infinity : Duration.zero))

const represent = ({ body }: Document, coding: Coding): Effect.Effect<Representation> =>
  Effect.map(
    Effect.promise(() => compressed(coding, body, keptEffort)),
    (bytes) => ({ coding, body: bytes, etag: `"${createHash("sha256").update(bytes).digest("base64url")}"` })
  )

const representedOf = Effect.fnUntraced(function* (document: Document) {
  const br = yield* kept(represent(document, "br"))
  const gzip = yield* kept(represent(document, "gzip"))
  const identity = yield* kept(represent(document, "identity"))
  const isSmall = document.body.byteLength < compressedFrom
  const all = isSmall ? { br: identity, gzip: identity, identity } : { br, gzip, identity }
  const represented: DocumentForms = { document, in: (coding) => all[coding] }
  return represented
})

/** Prepares a document for serving. The inner effect makes each representation once. */
const representations = (document: Document | Effect.Effect<Document>): Effect.Effect<Effect.Effect<DocumentForms>> =>
  kept(Effect.flatMap(Effect.isEffect(document) ? document : Effect.succeed(document), representedOf))

/** The coding that a request prefers; among equals the first of {@link codings}. RFC 9110, section 12.5.3. */
const codingFor = (accepted: string | undefined): Coding => {
  if (accepted === undefined) return "identity"
  const weights = weightsOf(accepted)
  const any = weights.get("*") ?? 0
  const compressing = codings.filter((each) => each !== "identity")
  const [best] = compressing
    .map((coding) => ({ coding, weight: weights.get(coding) ?? any }))
    .sort((a, b) => b.weight - a.weight)
  const plain = weights.get("identity") ?? 0
  return best === undefined || best.weight === 0 || best.weight < plain ? "identity" : best.coding
}

/** Whether the client already has these bytes. RFC 9110, section 13.1.2: tags are compared weakly. */
const isCurrent = (ifNoneMatch: string | undefined, { etag }: Representation): boolean =>
  ifNoneMatch
    ?.split(",")
    .map((each) => each.trim().replace(/^W\//, ""))
    .some((each) => each === etag || each === "*") === true

/** The path at which the process reports that it is up. */
export const healthPath = "/api/v1/health"

/** The path at which an orchestrator asks whether to send requests. It is no operation of the API. */
export const readyPath = "/ready"

/** How long a result is kept, milliseconds: however often the path is asked, the database is asked once in that time. */
const heldMillis = 1_000

const isOk = (standing: ReadinessState): boolean => standing === "ok"

/** What is counted beside the checks, and makes nothing unready. */
interface Counts {
  readonly [name: string]: { readonly [part: string]: number }
}

const responseOf = (
  settings: EdgeSettings,
  exchange: Exchange,
  needs: ReadinessChecks,
  counts: Counts
): EdgeResponse => {
  const checks = { ...needs, server: exchange.request.isDraining?.() === true ? "draining" : "ok" }
  const isReady = Object.values(needs).every(isOk) && checks.server === "ok"
  const body = { status: isReady ? "ready" : "unavailable", checks, ...counts, request_id: exchange.request_id }
  return answer(
    settings,
    exchange,
    { status: isReady ? 200 : 503, contentType: jsonType, body: JSON.stringify(body) },
    isReady ? {} : { "Retry-After": "1" }
  )
}

/** Runs one check at a time and keeps its result for a second: requests in the meantime share it. */
const sharing = Effect.fnUntraced(function* (look: Effect.Effect<ReadinessChecks>) {
  const now = yield* makeMonotonic
  let isLooking = false
  let heldUntil = Number.NEGATIVE_INFINITY
  const looked = Effect.onExit(look, (exit) =>
    Effect.sync(() => {
      isLooking = false
      heldUntil = Exit.hasInterrupts(exit) ? Number.NEGATIVE_INFINITY : now() + heldMillis
    })
  )
  const [latest, forget] = yield* Effect.cachedInvalidateWithTTL(looked, Duration.infinity)
  return Effect.suspend(() => {
    if (isLooking || now() < heldUntil) return latest
    isLooking = true
    return Effect.andThen(forget, latest)
  })
})

const isReading = ({ headers, method }: EdgeRequest): boolean =>
  (method === "GET" || method === "HEAD") && headers["x-org-slug"] === undefined

/** Answers the orchestrator's probes: 200 while requests can be served, and 503 with the obstacle. */
interface Probe {
  readonly isAt: (path: string) => boolean
  /**
   * Whether a path is asked by whatever watches the service: it is answered even when a flood has emptied the bucket of
   * its address.
   */
  readonly isWatched: (path: string) => boolean
  /** The answer to a request; undefined where the request is not a read. */
  readonly answer: (request: EdgeRequest, exchange: Effect.Effect<Exchange>) => Effect.Effect<EdgeResponse> | undefined
}

export const makeProbe = Effect.fnUntraced(function* (settings: EdgeSettings) {
  const look = yield* Readiness
  if (look === undefined) {
    const none: Probe = { isAt: () => false, isWatched: (path) => path === healthPath, answer: () => undefined }
    return none
  }
  const pages = yield* Pages
  const { check } = yield* Regimes
  const counts = Effect.map(
    check,
    (due): Counts => ({
      regimes_to_review: Record.map(
        Arr.groupBy(due, ({ jurisdiction }) => jurisdiction),
        ({ length }) => length
      ),
      ...(pages === undefined ? {} : { policy_violations: pages.policyViolations() })
    })
  )
  const latest = yield* sharing(Effect.catchDefect(look, () => Effect.succeed(databaseAway)))
  const probe: Probe = {
    isAt: (path) => path === readyPath,
    isWatched: (path) => path === healthPath || path === readyPath,
    answer: (request, exchange) =>
      request.path === readyPath && isReading(request)
        ? Effect.flatMap(exchange, (known) =>
            Effect.zipWith(latest, counts, (needs, counted) => responseOf(settings, known, needs, counted))
          )
        : undefined
  }
  return probe
})

/** The answer of a path that is not declared. */
export const notFound: Problem = {
  code: "not_found",
  message: "There is nothing at this address. /openapi.json lists what there is."
}

const apiRoot = "/api/v1"

/** Whether a path is below the API's root, declared or not. */
export const isApiPath = (path: string): boolean => path.startsWith(`${apiRoot}/`) || path === apiRoot

const documentVerbs = ["GET", "HEAD"]

/** Whether a request names HTML among the types that it accepts: browsers do when they ask for a page, programs do not. */
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

/** A page, compressed as its reader asks for. */
const inCoding = Effect.fnUntraced(function* (request: EdgeRequest, response: EdgeResponse) {
  const { body } = response
  const coding = codingFor(headerOf(request, "accept-encoding"))
  const bytes = typeof body === "string" ? bytesOf(body) : body
  const varied = varyOn(response, "Accept-Encoding")
  if (coding === "identity" || bytes.byteLength < compressedFrom) return varied
  const smaller = yield* Effect.promise(() => compressed(coding, bytes, onceEffort))
  return { ...varied, headers: { ...varied.headers, "content-encoding": coding }, body: smaller }
})

const notModified = (whole: EdgeResponse): EdgeResponse => {
  const { "content-encoding": _, "content-type": __, ...headers } = whole.headers
  return { ...whole, status: 304, headers, body: "" }
}

interface Outside {
  readonly answer: (exchange: Exchange) => Effect.Effect<EdgeResponse>
  /** The answer in place of a refusal, where something broke, or too much was asked for. */
  readonly broken: (exchange: Exchange, refusal: EdgeResponse) => EdgeResponse
  readonly tooMany: (exchange: Exchange, refusal: EdgeResponse) => EdgeResponse
}

/**
 * Answers requests outside `/api/v1`, which need no key: pages, the documents, and 404, for browsers as a page where this host
 * has pages. decisions, section 3.
 */
export const makeOutside = Effect.fnUntraced(function* (
  settings: EdgeSettings,
  documents: Documents,
  bodies: ReturnType<typeof makeBodyBudget>
) {
  const pages = yield* Pages
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

  const pageOf = (exchange: Exchange): PageRequest => ({
    exchange,
    settings,
    openBody: () => bodies.open(`pages ${countedAs(exchange.request.clientAddress)}`)
  })

  /** A refusal of anything outside the API: for a browser as a page where this host has pages. */
  const refusedWith =
    (state: PageState) =>
    (exchange: Exchange, refusal: EdgeResponse): EdgeResponse => {
      const { request } = exchange
      if (isApiPath(request.path)) return refusal
      const isPage = pages !== undefined && wantsHtml(request)
      const kept = Object.fromEntries(Object.entries(refusal.headers).filter(([name]) => /^retry-after$/i.test(name)))
      return varyOn(isPage ? pages.state(pageOf(exchange), state, kept) : refusal, "Accept")
    }

  const nothing = refusedWith("nothing")

  const answerTo = (exchange: Exchange): Effect.Effect<EdgeResponse> => {
    const { method, path } = exchange.request
    const shown = pages?.answer(pageOf(exchange))
    if (shown !== undefined) return Effect.flatMap(shown, (answered) => inCoding(exchange.request, answered))
    const document = ready.get(path)
    if (document === undefined) return Effect.succeed(nothing(exchange, refuse(settings, exchange, notFound)))
    return documentVerbs.includes(method)
      ? documentAt(exchange, document)
      : Effect.succeed(refuseVerb(settings, exchange, documentVerbs))
  }

  const outside: Outside = { answer: answerTo, broken: refusedWith("broken"), tooMany: refusedWith("crowded") }
  return outside
})
