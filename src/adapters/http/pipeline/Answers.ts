import { createHash } from "node:crypto"
import type { BucketSize, TokenResult } from "../../../domain/access/RateLimit.ts"
import type { EdgeRequest, EdgeResponse } from "./Handler.ts"
import { envelopeOf, type Failure, type Problem, problemOf, problemStatus } from "./Problem.ts"
import { corsHeaders } from "./RequestChecks.ts"
import type { EdgeSettings } from "./Settings.ts"

/** The content type of every answer of the API. service-spec, Errors. */
export const jsonType = "application/json"

export const htmlType = "text/html; charset=utf-8"

/** The hash of a text, as a page's policy names it. */
export const hashOf = (text: string): string => `'sha256-${createHash("sha256").update(text).digest("base64")}'`

export const bytesOf = (text: string): Uint8Array => Buffer.from(text, "utf8")

/** The state of a request when it is answered. */
export interface Exchange {
  readonly request: EdgeRequest
  readonly request_id: string
  /** The organisation whose valid key the caller showed; null without one. */
  readonly organisation_id: string | null
  /** The bucket that the request drew on, and when: milliseconds since the epoch. */
  readonly rate: { readonly size: BucketSize; readonly taken: TokenResult; readonly now: number }
}

/**
 * The seven headers of nearly every answer. `now` is in milliseconds since the epoch; the bucket's own time may be
 * another clock's. service-spec, Limits: Rate-limit headers.
 */
const rateHeaders = (size: BucketSize, taken: TokenResult, now: number): Record<string, string> => {
  const limit = String(size.burst)
  const remaining = String(taken.remaining)
  return {
    "RateLimit-Limit": limit,
    "RateLimit-Remaining": remaining,
    "RateLimit-Reset": String(taken.resetSeconds),
    "RateLimit-Policy": `${size.perSecond};w=1;policy=token bucket`,
    "X-RateLimit-Limit": limit,
    "X-RateLimit-Remaining": remaining,
    "X-RateLimit-Reset": String(Math.ceil(now / 1000) + taken.resetSeconds)
  }
}

const isRateHeader = (name: string): boolean => /^(X-)?RateLimit-/.test(name)

const withoutRateHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !isRateHeader(name)))

/** An answer with the headers that all answers share. */
export const answer = (
  settings: EdgeSettings,
  exchange: Exchange,
  content: { readonly status: number; readonly contentType: string; readonly body: string | Uint8Array },
  more: Readonly<Record<string, string>> = {}
): EdgeResponse => {
  const headers = rateHeaders(exchange.rate.size, exchange.rate.taken, exchange.rate.now)
  headers["content-type"] = content.contentType
  headers["cache-control"] = "no-store"
  headers["x-content-type-options"] = "nosniff"
  headers["x-request-id"] = exchange.request_id
  if (settings.corsOrigins.length > 0) Object.assign(headers, corsHeaders(settings.corsOrigins, exchange.request))
  return {
    status: content.status,
    headers: Object.assign(headers, more),
    body: content.body,
    recognised: exchange.organisation_id !== null,
    organisation_id: exchange.organisation_id
  }
}

/** An answer with 204: it has no body, and no header that describes one. */
export const withoutContent = (
  settings: EdgeSettings,
  exchange: Exchange,
  more: Readonly<Record<string, string>>
): EdgeResponse => {
  const whole = answer(settings, exchange, { status: 204, contentType: jsonType, body: "" }, more)
  const { "content-type": _, ...headers } = whole.headers
  return { ...whole, headers }
}

/** The challenge of a 401. RFC 9110, section 11.6.1; RFC 6750, section 3. */
const challenge = { "WWW-Authenticate": "Bearer" }

export const refuse = (
  settings: EdgeSettings,
  exchange: Exchange,
  problem: Problem,
  more: Readonly<Record<string, string>> = {}
): EdgeResponse => {
  const refusal = answer(
    settings,
    exchange,
    {
      status: problemStatus(problem),
      contentType: jsonType,
      body: envelopeOf(problem, exchange.request_id, settings.apiBaseUrl)
    },
    problem.code === "unauthorized" ? { ...challenge, ...more } : more
  )
  const { lockedForSeconds, retryAfterSeconds } = problem
  if (lockedForSeconds !== undefined) {
    return { ...refusal, headers: { ...withoutRateHeaders(refusal.headers), "Retry-After": String(lockedForSeconds) } }
  }
  return retryAfterSeconds === undefined
    ? refusal
    : { ...refusal, headers: { ...refusal.headers, "Retry-After": String(retryAfterSeconds) } }
}

export const refuseFailure = (settings: EdgeSettings, exchange: Exchange, failure: Failure): EdgeResponse =>
  refuse(settings, exchange, problemOf(failure))

/** 405, with the verbs that the path has. */
export const refuseVerb = (settings: EdgeSettings, exchange: Exchange, allow: ReadonlyArray<string>): EdgeResponse =>
  refuse(
    settings,
    exchange,
    {
      code: "method_not_allowed",
      message: `${exchange.request.method} is not supported here; ${allow.join(", ")} are.`
    },
    { Allow: allow.join(", ") }
  )

/** Marks an answer as depending on a header of the request (`Vary`). */
export const varyOn = (response: EdgeResponse, header: string): EdgeResponse => {
  const { vary } = response.headers
  return { ...response, headers: { ...response.headers, vary: vary === undefined ? header : `${vary}, ${header}` } }
}

/** 429 with the time to wait. service-spec, Limits. */
export const tooManyRequests = (settings: EdgeSettings, exchange: Exchange, taken: TokenResult): EdgeResponse =>
  refuse(settings, exchange, {
    code: "rate_limited",
    message: `Too many requests. Try again in ${taken.retryAfterSeconds} s.`,
    retryAfterSeconds: taken.retryAfterSeconds
  })
