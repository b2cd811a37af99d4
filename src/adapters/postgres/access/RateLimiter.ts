import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { take } from "../../../domain/access/RateLimit.ts"
import { RateLimiter } from "../../../ports/access/RateLimiter.ts"
import { storeFrom } from "../records/Records.ts"
import * as TenantGuard from "../tenant/TenantGuard.ts"

interface Row {
  readonly tokens: number
  readonly at: number
  readonly allowed: boolean
}

/**
 * Buckets that all processes share, by the database's clock, one statement for each request. It is built on a limiter in
 * the process, which gives the size and keeps the buckets of callers without a key. The table is unlogged: after a crash of
 * the server all buckets are full.
 */
export const layer: Layer.Layer<RateLimiter, never, RateLimiter | SqlClient.SqlClient> = Layer.provide(
  storeFrom(RateLimiter, function* (sql) {
    const { giveBackAnonymous, size, takeAnonymous } = yield* RateLimiter
    const { burst, perSecond } = size
    const nowMillis = sql.literal("floor(extract(epoch FROM clock_timestamp()) * 1000)::float8")

    // The same bucket as domain/access/RateLimit's; test/adapters/PostgresRestatedRules.test.ts runs both. The time is read with the row held: one that was read before could lie behind the
    // bucket's, and would be taken for a clock that went back.
    const takeOf = (organisation_id: string) => sql<Row>`
    INSERT INTO rate_limit_buckets AS b (organisation_id, tokens, at, allowed)
    VALUES (${organisation_id}, ${sql.literal(`${burst}::float8`)} - 1, ${nowMillis}, true)
    ON CONFLICT (organisation_id) DO UPDATE SET (tokens, at, allowed) = (
      SELECT CASE WHEN held >= 1 THEN held - 1 ELSE held END, now, held >= 1
      FROM (SELECT ${nowMillis} AS now) AS clock,
      LATERAL (SELECT least(${burst}::float8, b.tokens + greatest(now - b.at, 0) / 1000 * ${perSecond}::float8) AS held)
        AS refilled)
    RETURNING tokens, at, allowed`

    return {
      size,
      take: (organisation_id) =>
        Effect.orDie(
          Effect.map(takeOf(organisation_id), ([row]) => {
            if (row === undefined) throw new Error("the bucket's row was not returned")
            const { allowed, at, tokens } = row
            return take(size, { tokens: allowed ? tokens + 1 : tokens, at }, at)
          })
        ),
      charge: (organisation_id, tokens) =>
        Effect.orDie(
          Effect.asVoid(sql`
          UPDATE rate_limit_buckets SET tokens = greatest(tokens - ${tokens}::float8, ${-burst}::float8)
          WHERE organisation_id = ${organisation_id}`)
        ),
      takeAnonymous,
      giveBackAnonymous
    }
  }),
  TenantGuard.layer
)
