import { type EdgeRequest, headerOf } from "./Exchange.ts"

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
