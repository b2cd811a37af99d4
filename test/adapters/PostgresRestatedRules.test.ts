import { assert, layer } from "@effect/vitest"
import { type DateTime, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import * as LocalRateLimiter from "../../src/adapters/memory/access/RateLimiter.ts"
import * as PostgresRateLimiter from "../../src/adapters/postgres/access/RateLimiter.ts"
import { take } from "../../src/domain/access/RateLimit.ts"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { type Delivery, interruptionError, nextNumber } from "../../src/domain/outbox/Delivery.ts"
import { afterAttempt, type FailureRun, inOrder } from "../../src/domain/outbox/FailureRun.ts"
import { type AttemptResult, DeliveryStore, RateLimiter, WebhookEndpointStore } from "../../src/ports.ts"
import { newDelivery } from "../../src/testing/conformance/Claims.ts"
import { at, freshId, newEndpoint, newOrganisation } from "../../src/testing/conformance/Records.ts"
import { forAll, plain } from "../../src/testing/conformance/Suite.ts"
import { layerFresh } from "../support/FreshDatabase.ts"
import { storesOn } from "./PostgresStores.ts"

/**
 * The outcomes of an attempt at a delivery. `handed back`: there was none; `given up`: the last of too many
 * interruptions.
 */
const outcomes = ["received", "failed", "exhausted", "interrupted", "given up", "handed back"] as const
type Outcome = (typeof outcomes)[number]

/** The delivery after its attempt at a second, and the attempt. */
const settledOf = (delivery: Delivery, lease_id: string, outcome: Outcome, second: number): AttemptResult => {
  if (outcome === "handed back") return { delivery, lease_id, attempt: null }
  const isInterrupted = outcome === "interrupted" || outcome === "given up"
  const ended = { next_attempt_at: null, completed_at: at(second) }
  const after: { readonly [O in Outcome]: Partial<Delivery> } = {
    received: { status: "DELIVERED", attempt_count: 1, ...ended },
    failed: { attempt_count: 1 },
    exhausted: { status: "FAILED", attempt_count: Limits.deliveryAttempts, ...ended },
    interrupted: { interruption_count: 1 },
    "given up": { status: "FAILED", interruption_count: Limits.deliveryInterruptions, ...ended },
    "handed back": {}
  }
  return {
    delivery: { ...delivery, ...after[outcome], updated_at: at(second) },
    lease_id,
    attempt: {
      number: nextNumber(delivery),
      attempted_at: at(second),
      response_status: isInterrupted ? null : outcome === "received" ? 204 : 500,
      response_excerpt: null,
      retry_after: null,
      error: isInterrupted ? interruptionError : null,
      duration_ms: null
    }
  }
}

const second = fc.option(fc.integer({ min: -5, max: -1 }))

/** Endpoints with the run that each has, and what becomes of some of its deliveries, in no order. */
const batches = fc.array(
  fc.record({
    failing_since: second,
    exhausted_at: second,
    attempts: fc.uniqueArray(
      fc.record({ outcome: fc.constantFrom(...outcomes), second: fc.integer({ min: 0, max: 9 }) }),
      { selector: (each) => each.second, maxLength: 6 }
    )
  }),
  { minLength: 1, maxLength: 3 }
)

const instantOf = (at_second: number | null): DateTime.Utc | null => (at_second === null ? null : at(at_second))

const heldDelivery = Effect.fnUntraced(function* (endpoint: Parameters<typeof newDelivery>[0], lease_id: string) {
  const sql = yield* SqlClient.SqlClient
  const { delivery } = yield* newDelivery(endpoint)
  yield* sql`UPDATE pending_deliveries SET lease_id = ${lease_id}, lease_until = 'infinity' WHERE id = ${delivery.id}`
  return delivery
})

layer(storesOn(layerFresh), { excludeTestServices: true })("a rule that a statement says anew", (it) => {
  it.effect("is domain/outbox/FailureRun, whatever a batch settles", () =>
    forAll(
      25,
      batches,
      Effect.fnUntraced(function* (tenants) {
        const endpoints = yield* WebhookEndpointStore
        const deliveries = yield* DeliveryStore
        const { id } = yield* newOrganisation()
        const batch: Array<AttemptResult> = []
        const expected: Array<readonly [endpoint: { readonly id: string }, run: FailureRun]> = []
        const made: Array<Effect.Success<ReturnType<typeof newEndpoint>>> = []
        for (const { attempts, exhausted_at, failing_since } of tenants) {
          const run = {
            failing_since: instantOf(failing_since),
            exhausted_at: failing_since === null ? null : instantOf(exhausted_at)
          }
          const endpoint = yield* newEndpoint(id, run)
          const settled: Array<AttemptResult> = []
          for (const { outcome, second } of attempts) {
            settled.push(settledOf(yield* heldDelivery(endpoint, "held"), "held", outcome, second))
          }
          batch.push(...settled)
          made.push(endpoint)
          expected.push([endpoint, inOrder(settled).reduce(afterAttempt, run)])
        }
        yield* deliveries.settle(batch)
        const found = yield* Effect.forEach(made, (endpoint) => endpoints.find(id, endpoint.id))
        assert.deepStrictEqual(
          plain(
            found.map(Option.getOrThrow).map(({ exhausted_at, failing_since }) => ({ exhausted_at, failing_since }))
          ),
          plain(expected.map(([, run]) => run))
        )
      }, Effect.scoped)
    )
  )
})

const sizes = fc.record({ perSecond: fc.constantFrom(0.5, 1, 3, 100), burst: fc.constantFrom(1, 5, 100) })

interface Bucket {
  readonly tokens: number
  readonly at: number
}

layer(storesOn(layerFresh), { excludeTestServices: true })("a bucket that a statement fills", (it) => {
  it.effect("is domain/access/RateLimit, whatever it held and whenever it was last asked", () =>
    forAll(
      60,
      fc.record({
        size: sizes,
        held: fc.double({ min: 0, max: 1, noNaN: true }),
        ago: fc.integer({ min: -5_000, max: 5_000 })
      }),
      Effect.fnUntraced(function* ({ ago, held, size }) {
        const sql = yield* SqlClient.SqlClient
        const local = Layer.fresh(LocalRateLimiter.layer({ size }))
        const limiter = yield* Effect.provide(
          RateLimiter,
          Layer.fresh(PostgresRateLimiter.layer).pipe(Layer.provide(local))
        )
        const id = yield* freshId("organisation")
        const bucketOf = Effect.fnUntraced(function* () {
          const [row] = yield* sql<Bucket>`SELECT tokens, at FROM rate_limit_buckets WHERE organisation_id = ${id}`
          return row ?? assert.fail("there is no bucket")
        })
        yield* limiter.take(id)
        yield* sql`
          UPDATE rate_limit_buckets SET tokens = ${held * size.burst}::float8,
            at = floor(extract(epoch FROM clock_timestamp()) * 1000) - ${ago}::float8
          WHERE organisation_id = ${id}`
        const before = yield* bucketOf()
        const taken = yield* limiter.take(id)
        const after = yield* bucketOf()
        const { allowed, bucket } = take(size, before, after.at)
        assert.deepStrictEqual({ allowed: taken.allowed, ...after }, { allowed, ...bucket })
      })
    )
  )
})
