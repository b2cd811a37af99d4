import { Effect } from "effect"
import { isbot } from "isbot"
import { Limits } from "../../domain/kernel/Limits.ts"
import { answer, htmlType } from "../http/pipeline/Answers.ts"
import { type EdgeRequest, type EdgeResponse, headerOf } from "../http/pipeline/Handler.ts"
import type { PageRequest } from "../http/pipeline/PageHandler.ts"
import { embeddedForm } from "./EmbedFrame.ts"
import type { FieldValues } from "./GiftFields.ts"
import type { PageAddress } from "./PageAddress.ts"
import { policyOf } from "./PagePolicy.ts"
import type { Texts } from "./texts/English.ts"

/** A request for a page, with whose it is and in which language it is answered. */
export interface AskedPage extends PageRequest {
  readonly address: PageAddress
  readonly texts: Texts
  /** The path of the page that is answered with, where that is another one. */
  readonly path?: string
}

/** The headers of a page that search engines may show. */
export const forSearch: Readonly<Record<string, string>> = { "x-robots-tag": "all" }

/** A page with no button of its own in a frame: any site may show it, so that our words are seen there, and not the browser's. */
const framedPolicy = policyOf(null, null, "*")

const headers: Readonly<Record<string, string>> = {
  "content-security-policy": policyOf(null, null),
  // Nothing here asks a device for anything; a wallet does, on the page of a payment at Stripe.
  "permissions-policy": "payment=(), camera=(), microphone=(), geolocation=()",
  // The address may hold a token.
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex",
  "cross-origin-opener-policy": "same-origin"
}

/** The path of a page with its query, as its form is sent there. */
export const pathOf = ({ exchange, path = exchange.request.path }: AskedPage): string => {
  const { query } = exchange.request
  return query === "" ? path : `${path}?${query}`
}

/** A page as the answer to a request. Nothing of it is kept by whoever passes it on. */
export const pageAnswer = (
  { address, exchange, settings }: PageRequest & Partial<Pick<AskedPage, "address">>,
  status: number,
  body: string,
  more: Readonly<Record<string, string>> = {}
): EdgeResponse => {
  const isFramed = address !== undefined && embeddedForm({ address, exchange }) !== null
  const framed = isFramed ? { "content-security-policy": framedPolicy } : {}
  return answer(
    settings,
    exchange,
    { status, contentType: htmlType, body: exchange.request.method === "HEAD" ? "" : body },
    { ...headers, vary: "Accept-Language", ...framed, ...more }
  )
}

/** Sends a browser on to another page of the same host, by GET. */
export const goTo = (asked: PageRequest, path: string): EdgeResponse => pageAnswer(asked, 303, "", { location: path })

const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined)

/**
 * Whether a form was sent by a page of another origin. A page without a referrer names no origin either, so that what browsers
 * say of the site comes first.
 */
export const isForeign = (request: EdgeRequest): boolean => {
  const site = headerOf(request, "sec-fetch-site")
  if (site !== undefined) return site !== "same-origin" && site !== "none"
  const origin = headerOf(request, "origin")
  return origin !== undefined && origin !== "null" && hostOf(origin) !== headerOf(request, "host")?.toLowerCase()
}

/** Whether a person is probably looking: visits are an estimate, and nothing depends on them. */
export const isVisit = (request: EdgeRequest): boolean =>
  request.method === "GET" &&
  headerOf(request, "sec-purpose") === undefined &&
  headerOf(request, "purpose") === undefined &&
  !isbot(headerOf(request, "user-agent") ?? "")

const formType = /^application\/x-www-form-urlencoded\s*(?:;|$)/i

/** What no field of a form has and what stands between words, as in a cell that was copied: a blank is there instead. */
const gaps = /[\t-\r\u0085\u2028\u2029]+/gu

/** What else no field has: other control characters, and those that turn the text after them around. */
const controls = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

const typedIn = (bytes: Uint8Array): FieldValues =>
  new Map(
    Array.from(new URLSearchParams(new TextDecoder().decode(bytes)), ([name, value]) => [
      name,
      value.toWellFormed().replaceAll(gaps, " ").replaceAll(controls, "")
    ])
  )

/** What was typed into a form that was sent; undefined where it did not arrive whole. */
export const readForm = ({ exchange: { request }, openBody }: PageRequest): Effect.Effect<FieldValues | undefined> => {
  if (!formType.test(headerOf(request, "content-type") ?? "")) return Effect.succeed(undefined)
  const share = openBody()
  const read = Effect.map(request.readBody({ maximumBytes: Limits.pageFormBytes, hold: share.hold }), (body) =>
    body._tag === "Body" ? typedIn(body.bytes) : undefined
  )
  return Effect.ensuring(read, Effect.sync(share.release))
}
