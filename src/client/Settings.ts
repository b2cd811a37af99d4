import type { ConnectionReason } from "./Failure.ts"
import type { DeclaredOnly } from "./HostEvents.ts"
import type { Policy } from "./Retry.ts"

/** One attempt of a call, for a log. It never holds the key, a header, a query or a body. */
export interface AttemptLine {
  readonly method: string
  /** Without the query, which may hold names and addresses. */
  readonly path: string
  /** Null without an answer. */
  readonly status: number | null
  /** Why there is no answer of the service; null where there is one. */
  readonly reason: ConnectionReason | null
  readonly duration_ms: number
  /** The service's id of the request, or the one that the call was given; null where there is neither. */
  readonly request_id: string | null
  /** 1 for the first attempt of a call. */
  readonly attempt: number
}

/** Headers by name, whatever the case. */
export type ExtraHeaders = Readonly<Record<string, string | undefined>>

/** The options of a client. */
export interface ClientOptions<Events = unknown>
  extends Partial<{ readonly [K in keyof Policy]: Policy[K] | undefined }> {
  /** Where the service is, without `/api/v1`. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Milliseconds that one attempt may take, its body included. 30 000. */
  readonly timeoutMillis?: number | undefined
  /**
   * Sent with every call, for proxies and tracing. The client's own stay as they are: `accept`, `authorization`,
   * `content-type`, `idempotency-key`, `x-request-id`.
   */
  readonly headers?: ExtraHeaders | undefined
  /** Told of every attempt when it has ended. What it throws is dropped. */
  readonly logger?: ((line: AttemptLine) => void) | undefined
  /**
   * The schemas of the data of event types that a host declares, as it gave them to `Almoner.open`, for the types of
   * `client.events`. They are not asked: an event says what was true, whatever the schema says today. Where the schemas are
   * not at hand, their types will do: `createClient<typeof events>(…)`. docs/decisions/0054.
   */
  readonly events?: (Events & DeclaredOnly<Events>) | undefined
  /** In place of the global `fetch`. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
  /** In place of a timer; ends early when the signal aborts. */
  readonly sleep?: ((millis: number, signal: AbortSignal | undefined) => Promise<void>) | undefined
}

/** The options of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMillis?: number | undefined
  readonly maxRetries?: number | undefined
  /** Sent as `x-request-id`; the service logs and answers it. */
  readonly requestId?: string | undefined
  /** Sent with this call, beside the client's `headers` and in place of those of the same name. */
  readonly headers?: ExtraHeaders | undefined
}

/** The options of one POST or PATCH. */
export interface WriteOptions extends CallOptions {
  /**
   * At most 255 characters; made for the call when not given. With `null` none is sent, and the call is never repeated
   * automatically.
   */
  readonly idempotencyKey?: string | null | undefined
}

/** The options of {@link ClientOptions} with their defaults. */
export interface Settings extends Policy {
  readonly baseUrl: string
  readonly apiKey: string
  readonly timeoutMillis: number
  readonly headers: ExtraHeaders
  readonly logger: (line: AttemptLine) => void
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly sleep: (millis: number, signal: AbortSignal | undefined) => Promise<void>
}

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

/** The longest time that a timer can wait: a longer one would end at once. */
const longestMillis = 2 ** 31 - 1

/** A number of an option. Throws where it is none: compared with it, no count of retries would ever be enough. */
export const numberOf = (name: string, value: number): number => {
  if (typeof value === "number" && value >= 0) return value
  throw new TypeError(`${name} must be a number of 0 or more.`)
}

/** A time of an option, as long as a timer can wait. */
export const millisOf = (name: string, value: number): number => Math.min(longestMillis, numberOf(name, value))

/** The key as it can be sent. What the platform says of one that cannot has the key in it. */
const keyOf = (apiKey: unknown): string => {
  const key = typeof apiKey === "string" ? apiKey.trim() : ""
  if (/^[!-~]+$/.test(key)) return key
  throw new TypeError("apiKey must be the text of an API key, without spaces.")
}

/** The options with their defaults. Throws where `baseUrl` is no URL, `apiKey` no key, or a number none. */
export const settingsOf = (given: Omit<ClientOptions, "events">): Settings => ({
  baseUrl: withoutSlash(new URL(given.baseUrl).href),
  apiKey: keyOf(given.apiKey),
  maxRetries: numberOf("maxRetries", given.maxRetries ?? 4),
  baseDelayMillis: millisOf("baseDelayMillis", given.baseDelayMillis ?? 250),
  maxDelayMillis: millisOf("maxDelayMillis", given.maxDelayMillis ?? 10_000),
  maxRetryAfterMillis: millisOf("maxRetryAfterMillis", given.maxRetryAfterMillis ?? 60_000),
  timeoutMillis: millisOf("timeoutMillis", given.timeoutMillis ?? 30_000),
  headers: given.headers ?? {},
  logger: given.logger ?? (() => {}),
  random: given.random ?? Math.random,
  fetch: given.fetch ?? globalFetch,
  sleep: given.sleep ?? sleep
})

const isGiven = ([, value]: readonly [string, unknown]): boolean => value !== undefined

/** Options with others over them; those that are undefined change nothing, and headers are added to those before. */
export const changedOptions = <Events>(
  options: ClientOptions<Events>,
  changes: Partial<ClientOptions<Events>>
): ClientOptions<Events> => ({
  ...options,
  ...Object.fromEntries(Object.entries(changes).filter(isGiven)),
  headers: { ...options.headers, ...changes.headers }
})
