import { Schema } from "effect"
import { IdempotencyConflict } from "../../../domain/access/Idempotency.ts"
import { GuardRefused, IllegalTransition, InvalidCommand } from "../../../domain/kernel/Machine.ts"
import {
  AlreadyTaken,
  Forbidden,
  InvalidInput,
  KeyRetired,
  LimitReached,
  MalformedInput,
  NotFound,
  RecordArchived,
  TakesNoPayment
} from "../../../domain/kernel/Rejection.ts"
import { PassphraseLocked } from "../../../domain/sharing/Passphrase.ts"
import { type Code, statusOf } from "./ErrorEnvelope.ts"

/** An error answer, before it has a request id. */
export interface Problem {
  readonly code: Code
  readonly message: string
  /** Where HTTP has one of its own. */
  readonly status?: number
  readonly param?: string
  /**
   * Seconds for which a limit other than the rate limit refuses: sent as `Retry-After`, without the rate limit's
   * headers, and never stored under an Idempotency-Key.
   */
  readonly lockedForSeconds?: number
  /** Seconds after which the same request may be let through: sent as `Retry-After`. */
  readonly retryAfterSeconds?: number
}

/** Every failure that a use case can have for its caller. */
export const Failure = Schema.Union([
  AlreadyTaken,
  Forbidden,
  GuardRefused,
  IdempotencyConflict,
  IllegalTransition,
  InvalidCommand,
  InvalidInput,
  KeyRetired,
  LimitReached,
  MalformedInput,
  NotFound,
  PassphraseLocked,
  RecordArchived,
  TakesNoPayment
])
export type Failure = typeof Failure.Type

/** The one map from the domain's failures to the contract's codes: a new failure does not compile until it is listed. */
const problems: { readonly [Tag in Failure["_tag"]]: (failure: Extract<Failure, { readonly _tag: Tag }>) => Problem } =
  {
    AlreadyTaken: ({ message }) => ({ code: "conflict", message }),
    Forbidden: ({ message }) => ({ code: "forbidden", message }),
    GuardRefused: ({ message }) => ({ code: "conflict", message }),
    IdempotencyConflict: ({ message, reason }) => ({
      code: reason === "body_differs" ? "idempotency_conflict" : "conflict",
      message
    }),
    IllegalTransition: ({ message }) => ({ code: "conflict", message }),
    InvalidCommand: ({ message, param }) => ({ code: "validation_failed", message, param }),
    InvalidInput: ({ message, param }) => ({ code: "validation_failed", message, param }),
    KeyRetired: ({ message }) => ({ code: "conflict", message }),
    LimitReached: ({ message }) => ({ code: "invalid_request", message }),
    MalformedInput: ({ message }) => ({ code: "invalid_request", message }),
    // The id is not repeated, because a path may hold anything.
    NotFound: ({ record }) => ({
      code: "not_found",
      message: `There is no such ${record} in this organisation. Check the id, and that the API key is the live or the sandbox organisation's that has it.`
    }),
    PassphraseLocked: ({ message, retry_after_seconds }) => ({
      code: "rate_limited",
      message,
      lockedForSeconds: retry_after_seconds
    }),
    RecordArchived: ({ message }) => ({ code: "conflict", message }),
    TakesNoPayment: ({ message }) => ({ code: "conflict", message })
  }

export const problemOf = <F extends Failure>(failure: F): Problem => {
  const tell: (failure: F) => Problem = problems[failure._tag] as never
  return tell(failure)
}

export const problemStatus = ({ code, status }: Problem): number => status ?? statusOf[code]

/** The longest message, characters. Messages may repeat what the caller sent, and an answer must not grow with it. */
const messageMaximum = 1_000

const shortened = (message: string): string =>
  message.length <= messageMaximum ? message : `${message.slice(0, messageMaximum - 1).toWellFormed()}…`

/** The body of a problem. service-spec, Errors. */
export const envelopeOf = (problem: Problem, request_id: string, apiBaseUrl: string): string => {
  const doc_url = `${apiBaseUrl}/docs#error-${problem.code}`
  return JSON.stringify({
    error: {
      type: doc_url,
      code: problem.code,
      message: shortened(problem.message),
      ...(problem.param === undefined ? {} : { param: problem.param }),
      request_id,
      doc_url
    }
  })
}
