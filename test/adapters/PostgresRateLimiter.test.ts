import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as LocalRateLimiter from "../../src/adapters/memory/access/RateLimiter.ts"
import * as PostgresRateLimiter from "../../src/adapters/postgres/access/RateLimiter.ts"
import * as Migrations from "../../src/adapters/postgres/migrations/Migrations.ts"
import type { BucketSize } from "../../src/domain/access/RateLimit.ts"
import { RateLimiter } from "../../src/ports/access/RateLimiter.ts"
import { freshId } from "../../src/testing/conformance/Records.ts"
import { withLayer } from "../support/Steps.ts"
import { databases } from "./PostgresStores.ts"

const limiterOf = (size: BucketSize) =>
  Effect.provide(
    RateLimiter,
    Layer.fresh(PostgresRateLimiter.layer).pipe(Layer.provide(Layer.fresh(LocalRateLimiter.layer({ size }))))
  )

/** Moves a bucket's time ahead, as happens when an operator sets the database's clock back. */
const setAhead = (organisation_id: string, millis: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE rate_limit_buckets SET at = at + ${millis} WHERE organisation_id = ${organisation_id}`
  )

for (const [name, database] of databases) {
  withLayer(Layer.provideMerge(Migrations.layer, database), { excludeTestServices: true })(
    `a bucket on ${name}`,
    ({ effect }) => {
      effect("whose time lies ahead keeps its tokens, and gets no more for it", function* () {
        const limiter = yield* limiterOf({ perSecond: 1e-6, burst: 5 })
        for (const ahead of [1, 60_000, 3_600_000, 86_400_000]) {
          const id = yield* freshId("organisation")
          for (const left of [4, 3]) assert.strictEqual((yield* limiter.take(id)).remaining, left)
          yield* setAhead(id, ahead)
          for (const left of [2, 1, 0]) assert.strictEqual((yield* limiter.take(id)).remaining, left)
          yield* setAhead(id, ahead)
          assert.isFalse((yield* limiter.take(id)).allowed)
        }
      })

      effect("whose time lies ahead is not waited for", function* () {
        const limiter = yield* limiterOf({ perSecond: 20, burst: 1 })
        const id = yield* freshId("organisation")
        yield* limiter.take(id)
        yield* setAhead(id, 3_600_000)
        const began = performance.now()
        while (!(yield* limiter.take(id)).allowed) {
          assert.isBelow(performance.now() - began, 10_000)
          yield* Effect.sleep(10)
        }
      })
    }
  )
}
