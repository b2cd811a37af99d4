import { Effect, Result } from "effect"
import { isKey } from "../../../domain/access/Idempotency.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import type { BodyShare } from "./BodyMemory.ts"
import { type EdgeRequest, headerOf } from "./Handler.ts"
import type { Problem } from "./Problem.ts"

/** Origins whose pages may read answers; `*` stands for all. When empty, no page may. */
export type Origins = ReadonlyArray<string>

const exposed = [
  "x-request-id",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "RateLimit-Policy",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "Retry-After",
  "Idempotent-Replayed"
].join(", ")

/** The headers that let a page of an allowed origin read an answer; none for others. */
export const corsHeaders = (origins: Origins, request: EdgeRequest): Record<string, string> => {
  if (origins.length === 0) return {}
  const origin = headerOf(request, "origin")
  if (origin === undefined || !(origins.includes("*") || origins.includes(origin))) return { vary: "Origin" }
  return { "access-control-allow-origin": origin, "access-control-expose-headers": exposed, vary: "Origin" }
}

/** Whether a request is a browser's preflight, which is answered without a key. decisions, section 2. */
export const isPreflight = (origins: Origins, request: EdgeRequest): boolean =>
  origins.length > 0 &&
  request.method === "OPTIONS" &&
  headerOf(request, "origin") !== undefined &&
  headerOf(request, "access-control-request-method") !== undefined

/** The methods and headers that a page of an allowed origin may send. */
export const preflightHeaders = (methods: ReadonlyArray<string>): Record<string, string> => ({
  "access-control-allow-methods": methods.join(", "),
  "access-control-allow-headers": "authorization, content-type, idempotency-key, x-request-id",
  "access-control-max-age": "600"
})

// The small checks before an operation, each a function of the request alone.

/**
 * A request id that may be echoed: a legal header value of 1 to 255 characters, of the characters that RFC 9110 gives to
 * new fields. decisions, section 2, step 1.
 */
export const callersRequestId = (request: EdgeRequest): string | undefined => {
  const id = headerOf(request, "x-request-id")
  return id !== undefined &&
    id.length <= Limits.requestIdCharacters &&
    /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/.test(id)
    ? id
    : undefined
}

/** Refuses an organisation selector, which must not be ignored. service-spec, Authentication: x-org-slug. */
export const organisationSelected = (request: EdgeRequest): Problem | undefined =>
  request.headers["x-org-slug"] === undefined
    ? undefined
    : {
        code: "invalid_request",
        message: "x-org-slug is not supported: the API key alone decides the organisation. Remove the header."
      }

/** The bearer token, undefined when there is none. */
export const bearerOf = (request: EdgeRequest): string | undefined => {
  const header = headerOf(request, "authorization")
  if (header === undefined) return undefined
  // Nearly all requests are spelled like this, and need no pattern.
  return header.startsWith("Bearer alm_") && !header.includes(" ", 7)
    ? header.slice(7)
    : /^Bearer +(\S+)$/i.exec(header)?.[1]
}

export const unauthorized: Problem = {
  code: "unauthorized",
  message: "An API key is required: Authorization: Bearer <API_KEY>. This one is missing, unknown or revoked."
}

const tooLarge: Problem = {
  code: "invalid_request",
  message: `The body is larger than ${Limits.bodyBytes} bytes. Send less at once.`
}

const jsonMediaType = /^application\/json\s*(?:;(?<parameters>.*))?$/i

const isUtf8 = (parameters: string): boolean => {
  const charset = /(?:^|;)\s*charset\s*=\s*"?([^";\s]*)"?/i.exec(parameters)?.[1]
  return charset === undefined || /^utf-?8$/i.test(charset)
}

/** Refuses a body whose headers do not declare JSON in UTF-8. decisions, section 1: Bodies. */
export const contentTypeProblem = (request: EdgeRequest): Problem | undefined => {
  const encoding = headerOf(request, "content-encoding")
  if (encoding !== undefined && encoding.trim().toLowerCase() !== "identity") {
    return { code: "invalid_request", message: "Content-Encoding is not supported: send the body as it is." }
  }
  const match = jsonMediaType.exec(headerOf(request, "content-type")?.trim() ?? "")
  return match !== null && isUtf8(match.groups?.["parameters"] ?? "")
    ? undefined
    : { code: "invalid_request", message: "The body must have Content-Type: application/json, in UTF-8." }
}

/** Whether the announced length of the body is larger than allowed. */
const announcesTooMuch = (request: EdgeRequest): boolean => {
  const length = Number(headerOf(request, "content-length") ?? 0)
  return Number.isFinite(length) && length > Limits.bodyBytes
}

const crowded: Problem = {
  code: "rate_limited",
  message: "Too many request bodies are under way. Try again in 1 s, with the same Idempotency-Key if there is one.",
  retryAfterSeconds: 1
}

/** A refusal of a body. With `close` the connection must end, because the body was not read. */
export interface BodyRefused {
  readonly problem: Problem
  readonly close: boolean
}

/** Nothing that the client could change: the host's own code is told what to do. */
const taken: Problem = {
  code: "internal_error",
  message:
    "The server read the body before this API could. Mount the API before any body parser, or keep the bytes as they came: in request.rawBody of node:http, or as a clone() of a web-standard Request."
}

/** Reads the body, within its limit and its share of the memory, and refuses a wrong type. decisions, section 2, step 7. */
export const readBody = (
  request: EdgeRequest,
  { hold }: BodyShare
): Effect.Effect<Result.Result<Uint8Array, BodyRefused>> => {
  if (announcesTooMuch(request)) return Effect.succeed(Result.fail({ problem: tooLarge, close: true }))
  return Effect.map(request.readBody({ maximumBytes: Limits.bodyBytes, hold }), (read) => {
    switch (read._tag) {
      case "Crowded":
        return Result.fail({ problem: crowded, close: true })
      case "TooLarge":
        return Result.fail({ problem: tooLarge, close: true })
      case "TimedOut":
        return Result.fail({
          problem: { code: "invalid_request", message: "The body did not arrive in time. Send the request again." },
          close: true
        })
      case "Broken":
        return Result.fail({
          problem: { code: "invalid_request", message: "The body broke off. Send the request again." },
          close: true
        })
      case "Taken":
        return Result.fail({ problem: taken, close: false })
      case "Body": {
        const problem = read.bytes.byteLength === 0 ? undefined : contentTypeProblem(request)
        return problem === undefined ? Result.succeed(read.bytes) : Result.fail({ problem, close: false })
      }
    }
  })
}

/** The Idempotency-Key: undefined when none is sent. decisions, section 1. */
export const idempotencyKey = (request: EdgeRequest): Result.Result<string | undefined, Problem> => {
  const key = headerOf(request, "idempotency-key")
  if (key === undefined) return Result.succeed(undefined)
  return isKey(key)
    ? Result.succeed(key)
    : Result.fail({
        code: "invalid_request",
        message: `Idempotency-Key must have 1 to ${Limits.idempotencyKeyCharacters} characters.`
      })
}
