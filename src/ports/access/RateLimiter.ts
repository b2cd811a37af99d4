import type { Effect } from "effect"
import { Context } from "effect"
import type { BucketSize, TokenResult } from "../../domain/access/RateLimit.ts"

/** Token buckets, one for each key. */
export class RateLimiter extends Context.Service<
  RateLimiter,
  {
    readonly size: BucketSize
    /**
     * Takes a token of an organisation's bucket. MUST decide as {@link take} does, one request after the other, and a
     * refusal MUST take nothing.
     */
    take(organisation_id: string): Effect.Effect<TokenResult>
    /** Takes tokens of an organisation that has taken one, for what its request turned out to cost. MUST charge as {@link charge} does. */
    charge(organisation_id: string, tokens: number): Effect.Effect<void>
    /**
     * {@link take} for callers without a key, by client address. MUST be decided in this process, by time that no setting of
     * the clock moves.
     */
    takeAnonymous(address: string): Effect.Effect<TokenResult>
    /** Puts back a token of an address whose caller turned out to have a key. MUST leave no bucket with more than its burst. */
    giveBackAnonymous(address: string): Effect.Effect<void>
  }
>()("almoner/ports/RateLimiter") {}
