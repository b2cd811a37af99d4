import { Limits } from "./Limits.ts"

/** What a bucket regains and holds. */
export interface BucketSize {
  readonly perSecond: number
  readonly burst: number
}

/** The contract's bucket. service-spec, Limits: Request rate. */
export const contractBucket: BucketSize = { perSecond: Limits.requestsPerSecond, burst: Limits.requestBurst }

/** A token bucket: what it held at an instant. It refills continuously. */
export interface Bucket {
  readonly tokens: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** The answer to one request for a token. */
export interface Taken {
  readonly allowed: boolean
  readonly bucket: Bucket
  /** Whole tokens that are left. */
  readonly remaining: number
  /** Seconds until the bucket is full, rounded up. */
  readonly resetSeconds: number
  /** Seconds until a token is there, rounded up and at least 1; 0 when this request was let through. */
  readonly retryAfterSeconds: number
}

/** A full bucket. */
export const full = (size: BucketSize, at: number): Bucket => ({ tokens: size.burst, at })

/**
 * Takes one token. A refusal takes nothing. A clock that goes backwards neither refills nor empties a bucket, so that in
 * any window of T seconds at most burst + perSecond·T requests pass. reliability promise 4.
 */
export const take = (size: BucketSize, bucket: Bucket, now: number): Taken => {
  const at = Math.max(now, bucket.at)
  const held = Math.min(size.burst, bucket.tokens + ((at - bucket.at) / 1000) * size.perSecond)
  const allowed = held >= 1
  const tokens = allowed ? held - 1 : held
  return {
    allowed,
    bucket: { tokens, at },
    remaining: Math.floor(tokens),
    resetSeconds: Math.ceil((size.burst - tokens) / size.perSecond),
    retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((1 - tokens) / size.perSecond))
  }
}
