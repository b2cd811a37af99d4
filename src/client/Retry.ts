import type { Failure } from "./Failure.ts"

/** The rules for repeating calls. service-spec, Errors: Retry policy. */
export interface Policy {
  /** Attempts after the first one. 4. */
  readonly maxRetries: number
  /** Milliseconds that the first wait takes at most; each further one at most twice the one before. 250. */
  readonly baseDelayMillis: number
  /** Milliseconds that no wait exceeds, except one for a `Retry-After`. 10 000. */
  readonly maxDelayMillis: number
  /** A `Retry-After` of more milliseconds is not waited for: the call fails at once. 60 000. */
  readonly maxRetryAfterMillis: number
  /** A number from 0 up to 1, in place of `Math.random`. */
  readonly random: () => number
}

/** Whether a repetition may succeed: after 5xx, 429, no answer, or half of one. */
const isPassing = (failure: Failure): boolean => {
  if (failure.status === null) return failure.name === "ConnectionError" && failure.reason !== "aborted"
  const isHalfAnAnswer = failure.name === "ConnectionError" && failure.status >= 200 && failure.status < 300
  return failure.status === 429 || failure.status >= 500 || isHalfAnAnswer
}

/**
 * Milliseconds to wait before a call is made again, null when it must not be. A `Retry-After` is waited for; otherwise the
 * wait is anything up to a ceiling that doubles with every retry (full jitter).
 */
export const delayMillis = (policy: Policy, failure: Failure, retries: number): number | null => {
  if (retries >= policy.maxRetries || !isPassing(failure)) return null
  const ceiling = Math.min(policy.maxDelayMillis, policy.baseDelayMillis * 2 ** retries)
  if (failure.retry_after_seconds === null) return policy.random() * ceiling
  const asked = failure.retry_after_seconds * 1000
  return asked > policy.maxRetryAfterMillis ? null : asked
}
