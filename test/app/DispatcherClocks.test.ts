import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { Limits } from "../../src/domain/kernel/Limits.ts"
import { forEveryAsyncWith } from "../support/Property.ts"
import { withSteps } from "../support/SteppingClock.ts"
import { withFresh } from "../support/Steps.ts"
import {
  anotherWorker,
  answerWith,
  commit,
  find,
  layer,
  makeEndpoint,
  pass,
  settleDown,
  start,
  startOf,
  World
} from "./DispatcherWorld.ts"

const hour = 3_600_000

const quietly = Logger.layer([])

const { effect } = withFresh(Layer.merge(layer, quietly))

describe("a clock that steps", () => {
  it("stops no delivery, whichever way and whenever it steps", () =>
    forEveryAsyncWith(
      { numRuns: 12 },
      fc.array(fc.tuple(fc.constantFrom(-hour, hour, -31_000, 31_000), fc.nat(400)), { minLength: 1, maxLength: 4 }),
      (steps) =>
        withSteps((step) =>
          Effect.gen(function* () {
            const endpoint = yield* makeEndpoint()
            yield* start
            for (const [millis, wait] of steps) {
              const waiting = yield* commit(endpoint)
              step(millis)
              const after = yield* commit(endpoint)
              yield* pass(wait)
              yield* pass("10 seconds")
              for (const id of [waiting, after]) {
                const { delivery } = yield* find(endpoint, id)
                assert.strictEqual(delivery.status, "DELIVERED", `after a step of ${millis} ms`)
              }
            }
          }).pipe(Effect.scoped, Effect.provide([layer, quietly]))
        ).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)
    ))

  it.effect("back by an hour puts no retry off by more than its own delay", () =>
    withSteps((step) =>
      Effect.gen(function* () {
        const world = yield* World
        world.answer = (_, number) => Effect.succeed(answerWith(number === 1 ? 500 : 200))
        const endpoint = yield* makeEndpoint()
        yield* start
        const id = yield* commit(endpoint)
        yield* pass("30 seconds")
        assert.strictEqual(world.exchanges.length, 1)
        step(-hour)
        yield* pass("55 seconds")
        assert.strictEqual(world.exchanges.length, 1, "the minute is not over since the clock was set back")
        yield* pass("15 seconds")
        assert.strictEqual((yield* find(endpoint, id)).delivery.status, "DELIVERED")
      }).pipe(Effect.provide([layer, quietly]))
    )
  )

  it.effect("makes no worker forget what it holds", () =>
    withSteps((step) =>
      Effect.gen(function* () {
        const world = yield* World
        world.answer = () => Effect.as(Effect.sleep("6 seconds"), answerWith(200))
        const endpoint = yield* makeEndpoint()
        yield* start
        yield* commit(endpoint)
        yield* settleDown
        step(hour)
        yield* pass("30 seconds")
        assert.strictEqual(world.exchanges.length, 1)
      }).pipe(Effect.provide([layer, quietly]))
    )
  )
})

describe("a claim that takes long", () => {
  effect("uses up no attempt, and is sent once under a lease that began anew", function* () {
    const world = yield* World
    world.claimMillis = 11_000
    const endpoint = yield* makeEndpoint()
    yield* start
    const ids = [yield* commit(endpoint), yield* commit(endpoint), yield* commit(endpoint)]
    yield* pass("2 minutes")
    for (const id of ids) {
      const { attempts, delivery } = yield* find(endpoint, id)
      assert.strictEqual(delivery.status, "DELIVERED")
      assert.strictEqual(attempts.length, 1)
    }
    assert.strictEqual(world.exchanges.length, 3)
  })

  effect("is handed back, uncounted, while the store takes as long to renew it", function* () {
    const world = yield* World
    world.claimMillis = 11_000
    world.renewMillis = 11_000
    const endpoint = yield* makeEndpoint()
    yield* start
    const id = yield* commit(endpoint)
    yield* pass("10 minutes")
    const { attempts, delivery } = yield* find(endpoint, id)
    assert.deepStrictEqual(attempts, [])
    assert.deepInclude(delivery, { status: "PENDING", attempt_count: 0, interruption_count: 0 })
    assert.deepStrictEqual(world.exchanges, [])
    world.claimMillis = 0
    world.renewMillis = 0
    yield* pass("1 minute")
    assert.strictEqual((yield* find(endpoint, id)).delivery.status, "DELIVERED")
  })

  effect("and whose answer is lost is handed back as soon as the store answers", function* () {
    const world = yield* World
    const endpoint = yield* makeEndpoint()
    yield* start
    yield* pass("1 second")
    world.claimsLost = true
    const id = yield* commit(endpoint)
    yield* pass("4 seconds")
    world.claimsLost = false
    yield* pass("10 seconds")
    const { attempts, delivery } = yield* find(endpoint, id)
    assert.strictEqual(delivery.status, "DELIVERED")
    assert.deepInclude(delivery, { attempt_count: 1, interruption_count: 0 })
    assert.strictEqual(attempts.length, 1)
  })
})

/** A delivery whose worker has sent it and never comes back; whoever sends it again gets an answer. */
const heldByTheDead = Effect.gen(function* () {
  const world = yield* World
  const { outside, worker: mortal } = yield* anotherWorker
  world.answer = (_, number) => (number === 1 ? Effect.never : Effect.succeed(answerWith(200)))
  const endpoint = yield* makeEndpoint()
  yield* startOf(mortal)
  const id = yield* commit(endpoint)
  yield* settleDown
  outside.away = true
  return { endpoint, id, world }
})

describe("after an outage of the store", () => {
  effect("a delivery that another worker sent is left to it to record: nothing is sent twice", function* () {
    const world = yield* World
    const { outside, worker: other } = yield* anotherWorker
    world.answer = () => Effect.as(Effect.sleep("3 seconds"), answerWith(200))
    const endpoint = yield* makeEndpoint()
    yield* startOf(other)
    const ids = [yield* commit(endpoint), yield* commit(endpoint)]
    yield* settleDown
    yield* start
    yield* pass("1 second")
    assert.strictEqual(world.exchanges.length, 2)
    world.away = true
    outside.away = true
    yield* pass(`${Limits.deliveryLeaseSeconds * 3} seconds`)
    // This one is back first, and finds leases that are over.
    world.away = false
    yield* pass("3 seconds")
    outside.away = false
    yield* pass("2 minutes")
    assert.strictEqual(world.exchanges.length, 2)
    for (const id of ids) {
      const { attempts, delivery } = yield* find(endpoint, id)
      assert.deepInclude(delivery, { status: "DELIVERED", interruption_count: 0 })
      assert.strictEqual(attempts.length, 1)
    }
  })

  for (const call of ["claim", "expired", "untilDue"] as const) {
    effect(`so it is where ${call} was not refused meanwhile, but waited for its answer`, function* () {
      const world = yield* World
      const { outside, worker: other } = yield* anotherWorker
      world.answer = () => Effect.as(Effect.sleep("3 seconds"), answerWith(200))
      const endpoint = yield* makeEndpoint()
      yield* startOf(other)
      yield* start
      // Both know the store for a while.
      yield* pass(`${Limits.deliveryLeaseSeconds * 3} seconds`)
      world.hanging.add(call)
      const id = yield* commit(endpoint)
      yield* pass("1 second")
      outside.away = true
      yield* pass("25 seconds")
      world.hanging.delete(call)
      yield* pass("3 seconds")
      outside.away = false
      yield* pass("2 minutes")
      assert.strictEqual(world.exchanges.length, 1)
      const { attempts, delivery } = yield* find(endpoint, id)
      assert.deepInclude(delivery, { status: "DELIVERED", interruption_count: 0 })
      assert.strictEqual(attempts.length, 1)
    })
  }

  effect("a dead worker's delivery is sent also where every claim is slow", function* () {
    const { endpoint, id, world } = yield* heldByTheDead
    world.claimMillis = 11_000
    yield* start
    yield* pass("5 minutes")
    const { delivery } = yield* find(endpoint, id)
    assert.deepInclude(delivery, { status: "DELIVERED", attempt_count: 1, interruption_count: 1 })
  })
})
