import * as RateLimit from "../../domain/access/RateLimit.ts"

/** Buckets that are checked for being full again each time one is added. */
const sweepStep = 2

/**
 * Makes token buckets of this process, one for each key, for adapters that count. A bucket that is full again is dropped, since
 * a new one is full, too. At most `capacity` are kept: beyond that, the least recently used are dropped.
 */
export const makeBuckets = (size: RateLimit.BucketSize, capacity: number) => {
  // A Map keeps the order of insertion: every use moves its bucket to the end, so that the idle ones stand in front.
  const buckets = new Map<string, RateLimit.Bucket>()

  const forgetIdle = (now: number): void => {
    let looked = 0
    for (const [key, bucket] of buckets) {
      const isFull = bucket.tokens + ((now - bucket.at) / 1000) * size.perSecond >= size.burst
      if (!isFull && buckets.size < capacity) return
      buckets.delete(key)
      looked += 1
      if (looked >= sweepStep) return
    }
  }

  return {
    /** Takes a token. `now` is in milliseconds of a clock that never steps. */
    take: (key: string, now: number): RateLimit.TokenResult => {
      const bucket = buckets.get(key)
      if (bucket === undefined) forgetIdle(now)
      else buckets.delete(key)
      const taken = RateLimit.take(size, bucket ?? RateLimit.full(size, now), now)
      buckets.set(key, taken.bucket)
      return taken
    },
    /** Takes tokens for what a request turned out to cost, whether or not they are there. */
    charge: (key: string, tokens: number): void => {
      const bucket = buckets.get(key)
      if (bucket !== undefined) buckets.set(key, RateLimit.charge(size, bucket, tokens))
    },
    /** Puts back a token that was taken needlessly. */
    giveBack: (key: string): void => {
      const bucket = buckets.get(key)
      if (bucket !== undefined) buckets.set(key, RateLimit.giveBack(size, bucket))
    }
  }
}
