import type { ErrorCode } from "./generated/Records.ts"

/** The facts of a failed call, with an answer of the service or without. */
interface Known {
  /** The answer's HTTP status, null without an answer. */
  readonly status: number | null
  readonly retry_after_seconds: number | null
  /**
   * The key that the call was sent with. A later call with the same key and this one together have their effect at most
   * once.
   */
  readonly idempotency_key: string | null
}

interface Told extends Known {
  readonly code: ErrorCode
  readonly status: number
  readonly message: string
  readonly param: string | null
  readonly request_id: string
  readonly doc_url: string
}

/**
 * The service refused a call; the fields are those of its error. Branch on `code`; `message` may change. service-spec,
 * Errors.
 */
export class AlmonerError extends Error {
  override readonly name = "AlmonerError"
  readonly code: ErrorCode
  readonly status: number
  /** Path of the offending input; only with `validation_failed`. */
  readonly param: string | null
  readonly request_id: string
  readonly doc_url: string
  /** Seconds after which the call may be made again; only with `rate_limited`. */
  readonly retry_after_seconds: number | null
  readonly idempotency_key: string | null

  constructor(told: Told) {
    super(told.message)
    this.code = told.code
    this.status = told.status
    this.param = told.param
    this.request_id = told.request_id
    this.doc_url = told.doc_url
    this.retry_after_seconds = told.retry_after_seconds
    this.idempotency_key = told.idempotency_key
  }
}

/**
 * The reasons for which there is no answer of the service: the network failed, an attempt took longer than
 * `timeoutMillis`, the caller's signal aborted, or the answer is not the service's (a proxy's page, half a body).
 */
export type ConnectionReason = "network" | "timeout" | "aborted" | "unreadable"

/** A call ended without an answer of the service. Whether it had its effect is unknown. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError"
  readonly reason: ConnectionReason
  readonly status: number | null
  readonly retry_after_seconds: number | null
  readonly idempotency_key: string | null

  constructor(reason: ConnectionReason, known: Known, cause?: unknown) {
    super(known.status === null ? `No answer: ${reason}` : `Not an answer of the service: status ${known.status}`, {
      cause
    })
    this.reason = reason
    this.status = known.status
    this.retry_after_seconds = known.retry_after_seconds
    this.idempotency_key = known.idempotency_key
  }
}

/** Everything that a call can fail with; `name` tells which. */
export type Failure = AlmonerError | ConnectionError
