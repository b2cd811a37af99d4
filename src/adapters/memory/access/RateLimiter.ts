import { Effect, Layer } from "effect"
import * as RateLimit from "../../../domain/access/RateLimit.ts"
import { makeBuckets } from "../../../ports/access/Buckets.ts"
import { RateLimiter } from "../../../ports/access/RateLimiter.ts"

/**
 * The most buckets that are kept, of organisations and of addresses each. Beyond that, the least recently used are
 * dropped: only a caller with so many addresses could gain by it.
 */
export const bucketsRemembered = 100_000

/** Monotonic milliseconds, whatever the wall clock is set to. */
const elapsedMillis = Effect.clockWith((clock) => Effect.succeed(Number(clock.monotonicTimeNanosUnsafe()) / 1_000_000))

/**
 * Buckets of this process, for organisations and for client addresses. A bucket that is full again is dropped, since a
 * new one is full, too.
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
      charge: (organisation_id, tokens) => Effect.sync(() => organisations.charge(organisation_id, tokens)),
      takeAnonymous: (address) => Effect.map(elapsedMillis, (now) => addresses.take(address, now)),
      giveBackAnonymous: (address) => Effect.sync(() => addresses.giveBack(address))
    })
  })
