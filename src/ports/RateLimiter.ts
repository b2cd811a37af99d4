import type { Effect } from "effect"
import { Context } from "effect"
import type { BucketSize, Taken } from "../domain/RateLimit.ts"

/** Token buckets, one for each key. */
export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    readonly size: BucketSize
    /**
     * Takes a token of an organisation's bucket. MUST decide as {@link take} does, one request after the other, and a
     * refusal MUST take nothing.
     */
    take(organisation_id: string): Effect.Effect<Taken>
    /** The same for callers without a key, by client address. MUST be decided in this process. */
    takeAnonymous(address: string): Effect.Effect<Taken>
  }
>()("almoner/ports/RateLimiter") {}
