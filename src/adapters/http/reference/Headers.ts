import { Limits } from "../../../domain/kernel/Limits.ts"
import { type Header, type Pointer, pointer } from "./Spec.ts"

const integer = (description: string, example: number): Header => ({
  description,
  schema: { type: "integer", minimum: 0 },
  example
})

/** Every response header of the service other than those of HTTP itself, by component name. */
export const headers: Readonly<Record<string, Header>> = {
  RequestId: {
    description: "The request's id: the caller's own, or `req_` and a new one.",
    schema: { type: "string" },
    example: "req_01jqz6x8h4e5vb9m2k7ncw3t5d"
  },
  RateLimitLimit: integer("Requests that a full bucket holds.", Limits.requestBurst),
  RateLimitRemaining: integer("Requests that are left at this moment.", Limits.requestBurst - 1),
  RateLimitReset: integer("Seconds until the bucket is full again, rounded up.", 1),
  RateLimitPolicy: {
    description: "The rate: requests regained in a window of `w` seconds.",
    schema: { type: "string" },
    example: `${Limits.requestsPerSecond};w=1;policy=token bucket`
  },
  XRateLimitLimit: integer("The same as RateLimit-Limit.", Limits.requestBurst),
  XRateLimitRemaining: integer("The same as RateLimit-Remaining.", Limits.requestBurst - 1),
  XRateLimitReset: integer("When the bucket is full again, Unix seconds.", 1_774_999_999),
  RetryAfter: integer("Seconds to wait before the next request.", 1),
  WwwAuthenticate: { description: "How a request is authenticated.", schema: { type: "string" }, example: "Bearer" },
  Allow: {
    description: "The verbs that the path has.",
    schema: { type: "string" },
    example: "GET, HEAD, PATCH, DELETE"
  },
  IdempotentReplayed: {
    description: "`true` when this is the stored answer to an earlier request with the same Idempotency-Key.",
    schema: { type: "string", enum: ["true"] }
  }
}

const common = {
  "x-request-id": "RequestId",
  "RateLimit-Limit": "RateLimitLimit",
  "RateLimit-Remaining": "RateLimitRemaining",
  "RateLimit-Reset": "RateLimitReset",
  "RateLimit-Policy": "RateLimitPolicy",
  "X-RateLimit-Limit": "XRateLimitLimit",
  "X-RateLimit-Remaining": "XRateLimitRemaining",
  "X-RateLimit-Reset": "XRateLimitReset"
} as const

const pointers = (names: Readonly<Record<string, string>>): Readonly<Record<string, Pointer>> =>
  Object.fromEntries(Object.entries(names).map(([name, component]) => [name, pointer("headers", component)]))

export const commonHeaders = pointers(common)

export const replayableHeaders = pointers({ ...common, "Idempotent-Replayed": "IdempotentReplayed" })

export const errorHeaders = (status: number): Readonly<Record<string, Pointer>> => {
  switch (status) {
    case 400:
    case 404:
    case 409:
      return replayableHeaders
    case 401:
      return pointers({ ...common, "WWW-Authenticate": "WwwAuthenticate" })
    case 405:
      return pointers({ ...common, Allow: "Allow" })
    case 429:
    case 500:
      return pointers({ ...common, "Retry-After": "RetryAfter" })
    default:
      return commonHeaders
  }
}
