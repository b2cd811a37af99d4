import type { Taken } from "../../domain/RateLimit.ts"
import { corsHeaders } from "./Cors.ts"
import type { EdgeRequest, EdgeResponse } from "./Exchange.ts"
import { envelopeOf, type Problem, problemStatus } from "./Problem.ts"
import type { EdgeSettings } from "./Settings.ts"

const utf8 = new TextEncoder()

/** The content type of every answer of the API. service-spec, Errors. */
export const jsonType = "application/json"

/** The bytes of a text. */
export const bytesOf = (text: string): Uint8Array => utf8.encode(text)

/** What is known of a request by the time that it is answered. */
export interface Exchange {
  readonly request: EdgeRequest
  readonly request_id: string
  /** The rate-limit headers, null for the one answer that carries none. */
  readonly rate: Record<string, string> | null
}

/** An answer with the headers that all answers share. */
export const answer = (
  settings: EdgeSettings,
  exchange: Exchange,
  content: { readonly status: number; readonly contentType: string; readonly body: string | Uint8Array },
  more: Readonly<Record<string, string>> = {}
): EdgeResponse => ({
  status: content.status,
  headers: {
    "content-type": content.contentType,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": exchange.request_id,
    ...exchange.rate,
    ...corsHeaders(settings.corsOrigins, exchange.request),
    ...more
  },
  body: content.body
})

/** 204: it has no body, and no header that describes one. */
export const withoutContent = (
  settings: EdgeSettings,
  exchange: Exchange,
  more: Readonly<Record<string, string>>
): EdgeResponse => {
  const whole = answer(settings, exchange, { status: 204, contentType: jsonType, body: "" }, more)
  const { "content-type": _, ...headers } = whole.headers
  return { ...whole, headers }
}

/** An error as the contract's envelope. */
export const refuse = (
  settings: EdgeSettings,
  exchange: Exchange,
  problem: Problem,
  more: Readonly<Record<string, string>> = {}
): EdgeResponse =>
  answer(
    settings,
    exchange,
    {
      status: problemStatus(problem),
      contentType: jsonType,
      body: envelopeOf(problem, exchange.request_id, settings.apiBaseUrl)
    },
    more
  )

/** 429 with the time to wait. service-spec, Limits. */
export const throttled = (settings: EdgeSettings, exchange: Exchange, taken: Taken): EdgeResponse =>
  refuse(
    settings,
    exchange,
    {
      code: "rate_limited",
      message: `Too many requests. Try again in ${taken.retryAfterSeconds} s.`
    },
    { "Retry-After": String(taken.retryAfterSeconds) }
  )
