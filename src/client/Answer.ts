import type { Outcome } from "./Attempt.ts"
import { AlmonerError, ConnectionError, type Failure } from "./Failure.ts"
import type { ErrorCode } from "./generated/Records.ts"

/** The budget of the organisation's requests after an answer. service-spec, Limits. */
export interface Rate {
  readonly limit: number
  readonly remaining: number
  /** Seconds until the whole budget is there again. */
  readonly reset_seconds: number
}

/** The facts that an answer carries beside its value. */
export interface Beside {
  /** The answer's HTTP status. */
  readonly status: number
  /** Whether an earlier attempt with the same Idempotency-Key had made this answer. */
  readonly replayed: boolean
  readonly request_id: string | null
  readonly idempotency_key: string | null
  /** Null where the answer carries no such headers. */
  readonly rate: Rate | null
}

interface Envelope {
  readonly error: {
    readonly code: ErrorCode
    readonly message: string
    readonly param?: string
    readonly request_id: string
    readonly doc_url: string
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const isEnvelope = (value: unknown): value is Envelope =>
  isRecord(value) &&
  isRecord(value["error"]) &&
  [value["error"]["code"], value["error"]["message"], value["error"]["request_id"], value["error"]["doc_url"]].every(
    (field) => typeof field === "string"
  )

/** A header that is a whole number, null when it is missing or something else. */
const numberIn = (headers: Headers, name: string): number | null => {
  const text = headers.get(name)
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null
}

/** Seconds that an answer asks to wait, as a number or up to a date by the clock of whoever answered; null when it does not. */
const retryAfterIn = (headers: Headers): number | null => {
  const text = headers.get("retry-after") ?? ""
  if (!text.endsWith("GMT")) return numberIn(headers, "retry-after")
  const wait = Date.parse(text) - (Date.parse(headers.get("date") ?? "") || Date.now())
  return Number.isNaN(wait) ? null : Math.max(0, Math.ceil(wait / 1000))
}

const rateOf = (headers: Headers): Rate | null => {
  const limit = numberIn(headers, "ratelimit-limit")
  const remaining = numberIn(headers, "ratelimit-remaining")
  const reset_seconds = numberIn(headers, "ratelimit-reset")
  return limit === null || remaining === null || reset_seconds === null ? null : { limit, remaining, reset_seconds }
}

/** JSON of a body; undefined when there is none, or when it is not JSON. */
const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads an answer whose body has arrived. */
export const readAnswer = (
  { headers, status }: Pick<Response, "headers" | "status">,
  text: string,
  idempotency_key: string | null
): Outcome<unknown, Failure, Beside> => {
  const value = jsonOf(text)
  const known = { status, retry_after_seconds: retryAfterIn(headers), idempotency_key }
  const isSuccess = status >= 200 && status < 300
  if (isSuccess && (value !== undefined || status === 204)) {
    const replayed = headers.get("idempotent-replayed") === "true"
    return {
      ok: true,
      value,
      status,
      replayed,
      request_id: headers.get("x-request-id"),
      idempotency_key,
      rate: rateOf(headers)
    }
  }
  if (isSuccess || !isEnvelope(value)) return { ok: false, failure: new ConnectionError("unreadable", known) }
  const { param = null, ...error } = value.error
  return { ok: false, failure: new AlmonerError({ ...known, ...error, param }) }
}
