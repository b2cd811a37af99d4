import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import * as RateLimit from "../../../src/domain/access/RateLimit.ts"
import { Limits } from "../../../src/domain/kernel/Limits.ts"
import { forEvery } from "../../support/Property.ts"

const size: fc.Arbitrary<RateLimit.BucketSize> = fc.record({
  perSecond: fc.oneof(fc.integer({ min: 1, max: 200 }), fc.constantFrom(0.1, 0.3, 0.7, 2.5)),
  burst: fc.integer({ min: 1, max: 200 })
})

/** Steps of a clock between two requests, most of them small and some of them back. */
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 30 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 5_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: -5_000, max: -1 }) }
  ),
  { maxLength: 400, size: "max" }
)

interface Request {
  readonly now: number
  readonly before: RateLimit.Bucket
  readonly taken: RateLimit.TokenResult
}

const epoch = 1_700_000_000_000

const play = (bucketSize: RateLimit.BucketSize, moves: ReadonlyArray<number>): ReadonlyArray<Request> => {
  let bucket = RateLimit.full(bucketSize, epoch)
  let now = epoch
  return moves.map((move) => {
    now += move
    const before = bucket
    const taken = RateLimit.take(bucketSize, before, now)
    bucket = taken.bucket
    return { now, before, taken }
  })
}

describe("a token bucket", () => {
  it("takes nothing when it refuses", () =>
    forEvery(size, steps, (bucketSize, moves) => {
      for (const { now, before, taken } of play(bucketSize, moves).filter((request) => !request.taken.allowed)) {
        const held = before.tokens + (Math.max(0, now - before.at) / 1000) * bucketSize.perSecond
        assert.deepStrictEqual(taken.bucket, { tokens: held, at: now })
        assert.strictEqual(taken.remaining, 0)
      }
    }))

  it("takes one token from a request that it lets through", () =>
    forEvery(size, (bucketSize) => {
      const taken = RateLimit.take(bucketSize, RateLimit.full(bucketSize, epoch), epoch)
      assert.deepStrictEqual(taken.bucket, { tokens: bucketSize.burst - 1, at: epoch })
      assert.strictEqual(taken.remaining, bucketSize.burst - 1)
    }))

  it("has exactly `remaining` tokens for requests of the same instant", () =>
    forEvery(size, steps, (bucketSize, moves) => {
      const last = play(bucketSize, moves).at(-1)
      fc.pre(last !== undefined)
      let { bucket } = last.taken
      for (let i = 0; i < last.taken.remaining; i++) {
        const next = RateLimit.take(bucketSize, bucket, bucket.at)
        assert.isTrue(next.allowed)
        bucket = next.bucket
      }
      assert.isFalse(RateLimit.take(bucketSize, bucket, bucket.at).allowed)
    }))

  it("holds a token after retryAfterSeconds, and none a second earlier", () =>
    forEvery(size, steps, (bucketSize, moves) => {
      for (const { taken } of play(bucketSize, moves)) {
        const { bucket, retryAfterSeconds } = taken
        assert.strictEqual(retryAfterSeconds === 0, taken.allowed)
        if (taken.allowed) continue
        assert.isTrue(RateLimit.take(bucketSize, bucket, bucket.at + retryAfterSeconds * 1000).allowed)
        assert.isFalse(RateLimit.take(bucketSize, bucket, bucket.at + (retryAfterSeconds - 1) * 1000 - 1).allowed)
      }
    }))

  it("tells no second at which rounding leaves a token a hair short", () => {
    const bucket = { tokens: 0.09999999999999995, at: epoch }
    const { retryAfterSeconds } = RateLimit.take({ perSecond: 0.3, burst: 7 }, bucket, epoch)
    assert.isTrue(RateLimit.take({ perSecond: 0.3, burst: 7 }, bucket, epoch + retryAfterSeconds * 1000).allowed)
    assert.isFalse(RateLimit.take({ perSecond: 0.3, burst: 7 }, bucket, epoch + (retryAfterSeconds - 1) * 1000).allowed)
  })

  it("that gets a token every so many seconds, and is empty, tells just so many", () =>
    forEvery(fc.nat(10), fc.integer({ min: 1, max: 9 }), (power, burst) => {
      // Powers of two are exact as doubles.
      const seconds = 2 ** power
      const empty: RateLimit.Bucket = { tokens: 0, at: epoch }
      assert.strictEqual(RateLimit.take({ perSecond: 1 / seconds, burst }, empty, epoch).retryAfterSeconds, seconds)
    }))

  it("is full after resetSeconds, and not a second earlier", () =>
    forEvery(size, steps, (bucketSize, moves) => {
      for (const { taken } of play(bucketSize, moves)) {
        const heldAfter = (seconds: number) => taken.bucket.tokens + seconds * bucketSize.perSecond
        assert.isAtLeast(heldAfter(taken.resetSeconds), bucketSize.burst - 1e-9)
        assert.isBelow(heldAfter(taken.resetSeconds - 1), bucketSize.burst + 1e-9)
      }
    }))

  it("neither fills nor empties when the clock goes back, and waits for nothing", () =>
    forEvery(size, fc.integer({ min: 1, max: 1e9 }), fc.nat(), fc.nat(100_000), (bucketSize, back, held, wait) => {
      const bucket = { tokens: held % (bucketSize.burst + 1), at: epoch }
      const stepped = RateLimit.take(bucketSize, bucket, epoch - back)
      const still = RateLimit.take(bucketSize, bucket, epoch)
      assert.deepStrictEqual(stepped, { ...still, bucket: { ...still.bucket, at: epoch - back } })
      const { bucket: _, ...later } = RateLimit.take(bucketSize, stepped.bucket, epoch - back + wait)
      const { bucket: __, ...expected } = RateLimit.take(bucketSize, still.bucket, epoch + wait)
      assert.deepStrictEqual(later, expected)
    }))

  it("is what it was when a token is given back, and never holds more than its burst", () =>
    forEvery(size, steps, (bucketSize, moves) => {
      const last = play(bucketSize, moves).at(-1)
      fc.pre(last !== undefined)
      const { bucket } = last.taken
      const again = RateLimit.giveBack(bucketSize, bucket)
      assert.strictEqual(again.at, bucket.at)
      assert.isAtMost(again.tokens, bucketSize.burst)
      if (last.taken.allowed) assert.isTrue(RateLimit.take(bucketSize, again, bucket.at).allowed)
      if (bucket.tokens + 1 <= bucketSize.burst) assert.closeTo(again.tokens, bucket.tokens + 1, 1e-9)
    }))

  it("is the contract's: 100 a second, 100 at once", () => {
    assert.deepStrictEqual(RateLimit.contractBucket, { perSecond: 100, burst: 100 })
    assert.deepStrictEqual([Limits.requestsPerSecond, Limits.requestBurst], [100, 100])
  })

  it("owes no more than its burst, and is let through again when that is paid", () =>
    forEvery(size, fc.array(fc.nat(400), { maxLength: 5 }), (bucketSize, prices) => {
      const before = RateLimit.full(bucketSize, epoch)
      const owing = prices.reduce((bucket, price) => RateLimit.charge(bucketSize, bucket, price), before)
      const sum = prices.reduce((total, price) => total + price, 0)
      assert.strictEqual(owing.tokens, Math.max(-bucketSize.burst, bucketSize.burst - sum))
      const taken = RateLimit.take(bucketSize, owing, epoch)
      assert.isAtLeast(taken.remaining, 0)
      const paid = RateLimit.take(bucketSize, taken.bucket, epoch + taken.retryAfterSeconds * 1000)
      assert.isTrue(taken.allowed || paid.allowed)
    }))
})
