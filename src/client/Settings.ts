import type { Policy } from "./Retry.ts"

/** The options of a client. */
export interface ClientOptions extends Partial<Policy> {
  /** Where the service is, without `/api/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Milliseconds that one attempt may take, its body included. 30 000. */
  readonly timeoutMillis?: number
  /** In place of the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** In place of a timer; ends early when the signal aborts. */
  readonly sleep?: (millis: number, signal: AbortSignal | undefined) => Promise<void>
}

/** The options of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMillis?: number | undefined
  readonly maxRetries?: number | undefined
  /** Sent as `x-request-id`; the service logs and answers it. */
  readonly requestId?: string | undefined
}

/** The options of one POST or PATCH. */
export interface WriteOptions extends CallOptions {
  /**
   * At most 255 characters; made for the call when not given. With `null` none is sent, and the call is never repeated
   * automatically.
   */
  readonly idempotencyKey?: string | null | undefined
}

export type Settings = Required<ClientOptions>

const sleep: Settings["sleep"] = (millis, signal) =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", end)
      resolve()
    }
    const timer = setTimeout(end, millis)
    if (signal?.aborted === true) end()
    else signal?.addEventListener("abort", end)
  })

/** Looked up at each call: some hosts replace it, and browsers refuse to call it as a method of another object. */
const globalFetch: Settings["fetch"] = (url, init) => fetch(url, init)

const withoutSlash = (address: string): string => {
  let end = address.length
  while (address.endsWith("/", end)) end -= 1
  return address.slice(0, end)
}

/** The options with their defaults. Throws where `baseUrl` is no URL. */
export const settingsOf = (given: ClientOptions): Settings => ({
  baseUrl: withoutSlash(new URL(given.baseUrl).href),
  apiKey: given.apiKey,
  maxRetries: given.maxRetries ?? 4,
  baseDelayMillis: given.baseDelayMillis ?? 250,
  maxDelayMillis: given.maxDelayMillis ?? 10_000,
  maxRetryAfterMillis: given.maxRetryAfterMillis ?? 60_000,
  timeoutMillis: given.timeoutMillis ?? 30_000,
  random: given.random ?? Math.random,
  fetch: given.fetch ?? globalFetch,
  sleep: given.sleep ?? sleep
})
