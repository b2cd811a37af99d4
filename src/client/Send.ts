import { type Beside, readAnswer } from "./Answer.ts"
import type { Outcome } from "./Attempt.ts"
import { ConnectionError, type ConnectionReason, type Failure } from "./Failure.ts"
import { delayMillis } from "./Retry.ts"
import { millisOf, numberOf, type Settings, type WriteOptions } from "./Settings.ts"

/** A call, which is sent with the same bytes each time. */
export interface Call {
  readonly method: string
  /** With its query, from the service's address on. */
  readonly path: string
  /** JSON, undefined without a body. */
  readonly body: string | undefined
  readonly options: WriteOptions
}

export type RequestEnd = Outcome<unknown, Failure, Beside>

/** 128 random bits; `randomUUID` is missing where a page was not loaded over https. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")

/**
 * One key for all attempts of a POST or PATCH; null for calls that can be repeated without one. service-spec, Limits:
 * Idempotency.
 */
const keyOf = ({ method, options }: Call): string | null => {
  if (method !== "POST" && method !== "PATCH") return null
  return options.idempotencyKey === undefined ? newKey() : options.idempotencyKey
}

/** The headers of the host, and over them those of the client. */
const headersOf = (settings: Settings, call: Call, key: string | null): Headers => {
  const headers = new Headers()
  const own = {
    accept: "application/json",
    authorization: `Bearer ${settings.apiKey}`,
    "content-type": call.body === undefined ? undefined : "application/json",
    "idempotency-key": key ?? undefined,
    "x-request-id": call.options.requestId
  }
  for (const given of [settings.headers, call.options.headers ?? {}, own]) {
    for (const [name, value] of Object.entries(given)) if (value !== undefined) headers.set(name, value)
  }
  return headers
}

const unanswered = (reason: ConnectionReason, idempotency_key: string | null, cause: unknown): RequestEnd => ({
  ok: false,
  failure: new ConnectionError(reason, { status: null, retry_after_seconds: null, idempotency_key }, cause)
})

const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true

/** Sends once. The timeout covers the whole exchange, the body included. */
const exchange = async (settings: Settings, call: Call, key: string | null): Promise<RequestEnd> => {
  const { signal } = call.options
  const timeoutMillis = millisOf("timeoutMillis", call.options.timeoutMillis ?? settings.timeoutMillis)
  const headers = headersOf(settings, call, key)
  if (isAborted(signal)) return unanswered("aborted", key, signal?.reason)
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  signal?.addEventListener("abort", abort)
  const timer = setTimeout(() => controller.abort(), timeoutMillis)
  try {
    const response = await settings.fetch(`${settings.baseUrl}${call.path}`, {
      method: call.method,
      headers,
      // No operation answers a redirect, and a key must not follow one to somewhere else.
      redirect: "manual",
      signal: controller.signal,
      ...(call.body === undefined ? {} : { body: call.body })
    })
    return readAnswer(response, await response.text(), key)
  } catch (cause) {
    if (isAborted(signal)) return unanswered("aborted", key, signal?.reason)
    return unanswered(controller.signal.aborted ? "timeout" : "network", key, cause)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", abort)
  }
}

/** Tells the host's logger of an attempt. A logger that fails fails no call. */
const tell = (
  settings: Settings,
  { method, options, path }: Call,
  ending: RequestEnd,
  attempt: number,
  began: number
) => {
  const [withoutQuery = ""] = path.split("?", 1)
  const answered = ending.ok || ending.failure.name === "AlmonerError"
  const told = ending.ok ? ending.request_id : ending.failure.name === "AlmonerError" ? ending.failure.request_id : null
  try {
    settings.logger({
      method,
      path: withoutQuery,
      status: ending.ok ? ending.status : ending.failure.status,
      reason: answered || ending.failure.name !== "ConnectionError" ? null : ending.failure.reason,
      duration_ms: Date.now() - began,
      request_id: told ?? options.requestId ?? null,
      attempt
    })
  } catch {}
}

/** Sends a call, and repeats it as the retry policy says. service-spec, Errors: Retry policy. */
export const send = async (settings: Settings, call: Call): Promise<RequestEnd> => {
  const key = keyOf(call)
  const isRepeatable = key !== null || (call.method !== "POST" && call.method !== "PATCH")
  const policy = { ...settings, maxRetries: numberOf("maxRetries", call.options.maxRetries ?? settings.maxRetries) }
  for (let retries = 0; ; retries++) {
    const began = Date.now()
    const ending = await exchange(settings, call, key)
    tell(settings, call, ending, retries + 1, began)
    if (ending.ok || !isRepeatable) return ending
    const delay = delayMillis(policy, ending.failure, retries)
    if (delay === null) return ending
    await settings.sleep(delay, call.options.signal)
  }
}
