import { Limits } from "../kernel/Limits.ts"

/** A bucket's rate of refill, tokens a second, and its capacity, tokens. */
export interface BucketSize {
  readonly perSecond: number
  readonly burst: number
}

/** The contract's bucket. service-spec, Limits: Request rate. */
export const contractBucket: BucketSize = { perSecond: Limits.requestsPerSecond, burst: Limits.requestBurst }

/** A token bucket: the tokens that it held at an instant. It refills continuously. */
export interface Bucket {
  readonly tokens: number
  /** Milliseconds of the clock that the bucket runs on, whatever it counts from. */
  readonly at: number
}

/** The answer to one request for a token. */
export interface TokenResult {
  readonly allowed: boolean
  readonly bucket: Bucket
  /** Whole tokens that are left. */
  readonly remaining: number
  /** Seconds until the bucket is full, rounded up. */
  readonly resetSeconds: number
  /** Seconds until a token is available, rounded up and at least 1; 0 when this request was let through. */
  readonly retryAfterSeconds: number
}

/**
 * A full bucket.
 * @example RateLimit.full({ burst: 60, perSecond: 10 }, 0) // => { tokens: 60, at: 0 }
 */
export const full = (size: BucketSize, at: number): Bucket => ({ tokens: size.burst, at })

/** Whole seconds until a bucket with so many tokens holds one; one more where {@link take} would then round to less. */
const secondsUntilOne = ({ perSecond }: BucketSize, tokens: number): number => {
  const seconds = Math.max(1, Math.ceil((1 - tokens) / perSecond))
  return tokens + seconds * perSecond >= 1 ? seconds : seconds + 1
}

/**
 * Takes one token; a refusal takes none. A bucket whose time lies ahead of `now`, because a clock went back, keeps its
 * tokens and takes the new time: nobody waits for the clock. So in any window at most burst + perSecond·T requests
 * pass, T being the seconds that the clock counted forward in it. reliability promise 4.
 * @example
 * const taken = RateLimit.take({ burst: 60, perSecond: 10 }, { tokens: 0.5, at: 0 }, 0)
 * taken.allowed // => false
 * taken.retryAfterSeconds // => 1
 */
export const take = (size: BucketSize, bucket: Bucket, now: number): TokenResult => {
  const elapsed = Math.max(0, now - bucket.at)
  const held = Math.min(size.burst, bucket.tokens + (elapsed / 1000) * size.perSecond)
  const allowed = held >= 1
  const tokens = allowed ? held - 1 : held
  return {
    allowed,
    bucket: { tokens, at: now },
    remaining: Math.max(0, Math.floor(tokens)),
    // What is owed is told by the time to wait: a bucket is empty at most.
    resetSeconds: Math.ceil((size.burst - Math.max(0, tokens)) / size.perSecond),
    retryAfterSeconds: allowed ? 0 : secondsUntilOne(size, tokens)
  }
}

/**
 * Puts back a token that was taken needlessly, up to the bucket's capacity.
 * @example RateLimit.giveBack({ burst: 60, perSecond: 10 }, { tokens: 59.5, at: 0 }) // => { tokens: 60, at: 0 }
 */
export const giveBack = (size: BucketSize, bucket: Bucket): Bucket => ({
  ...bucket,
  tokens: Math.min(size.burst, bucket.tokens + 1)
})

/**
 * The tokens that a body or an answer of so many bytes costs beside the request's own.
 * @example RateLimit.priceOf(1_048_576) // => 4
 */
export const priceOf = (bytes: number): number => Math.floor(bytes / Limits.bytesPerToken)

/**
 * Takes tokens for what a request turned out to cost, whether or not they are there: the next requests wait for what is owed,
 * which is never more than the bucket's capacity.
 * @example RateLimit.charge({ burst: 60, perSecond: 10 }, { tokens: 1, at: 0 }, 16) // => { tokens: -15, at: 0 }
 */
export const charge = (size: BucketSize, bucket: Bucket, tokens: number): Bucket => ({
  ...bucket,
  tokens: Math.max(-size.burst, bucket.tokens - tokens)
})
