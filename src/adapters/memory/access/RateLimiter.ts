import { Effect, Layer } from "effect"
import * as RateLimit from "../../../domain/access/RateLimit.ts"
import { RateLimiter } from "../../../ports/access/RateLimiter.ts"

/**
 * The most buckets that are kept, of organisations and of addresses each. Beyond that, the least recently used are
 * dropped: only a caller with so many addresses could gain by it.
 */
export const bucketsRemembered = 100_000

/** Buckets that are checked for being full again each time one is added. */
const sweepStep = 2

const makeBuckets = (size: RateLimit.BucketSize, capacity: number) => {
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
    take: (key: string, now: number): RateLimit.Taken => {
      const bucket = buckets.get(key)
      if (bucket === undefined) forgetIdle(now)
      else buckets.delete(key)
      const taken = RateLimit.take(size, bucket ?? RateLimit.full(size, now), now)
      buckets.set(key, taken.bucket)
      return taken
    },
    giveBack: (key: string): void => {
      const bucket = buckets.get(key)
      if (bucket !== undefined) buckets.set(key, RateLimit.giveBack(size, bucket))
    }
  }
}

/** Monotonic milliseconds, whatever the wall clock is set to. */
const elapsedMillis = Effect.clockWith((clock) => Effect.succeed(Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000))

/**
 * Buckets of this process, for organisations and for client addresses. A bucket that is full again is dropped, since a
 * new one is full, too.
 *
 * @example
 * ```ts
 * const almoner = await Almoner.open({ backend: memory(), adapters: { RateLimiter: RateLimiter.layer() } })
 * ```
 */
export const layer = (
  options: { readonly size?: RateLimit.BucketSize; readonly capacity?: number } = {}
): Layer.Layer<RateLimiter> =>
  Layer.sync(RateLimiter, () => {
    const size = options.size ?? RateLimit.contractBucket
    const capacity = options.capacity ?? bucketsRemembered
    const organisations = makeBuckets(size, capacity)
    const addresses = makeBuckets(size, capacity)
    return RateLimiter.of({
      size,
      take: (organisation_id) => Effect.map(elapsedMillis, (now) => organisations.take(organisation_id, now)),
      takeAnonymous: (address) => Effect.map(elapsedMillis, (now) => addresses.take(address, now)),
      giveBackAnonymous: (address) => Effect.sync(() => addresses.giveBack(address))
    })
  })
