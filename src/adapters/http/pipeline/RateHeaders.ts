import type { BucketSize, Taken } from "../../../domain/access/RateLimit.ts"

/**
 * The seven headers of nearly every answer. `now` is in milliseconds since the epoch; the bucket's own time may be
 * another clock's. service-spec, Limits: Rate-limit headers.
 */
export const rateHeaders = (size: BucketSize, taken: Taken, now: number): Record<string, string> => {
  const limit = String(size.burst)
  const remaining = String(taken.remaining)
  return {
    "RateLimit-Limit": limit,
    "RateLimit-Remaining": remaining,
    "RateLimit-Reset": String(taken.resetSeconds),
    "RateLimit-Policy": `${size.perSecond};w=1;policy=token bucket`,
    "X-RateLimit-Limit": limit,
    "X-RateLimit-Remaining": remaining,
    "X-RateLimit-Reset": String(Math.ceil(now / 1000) + taken.resetSeconds)
  }
}

const isRateHeader = (name: string): boolean => /^(X-)?RateLimit-/.test(name)

/** The headers without these seven. */
export const withoutRateHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !isRateHeader(name)))
