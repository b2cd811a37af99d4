import { Clock, Context, Effect, Layer } from "effect"
import fc from "fast-check"
import { type BucketSize, full, take } from "../../domain/access/RateLimit.ts"
import { RateLimiter } from "../../ports/access/RateLimiter.ts"
import { assert } from "./Assert.ts"
import { freshId } from "./Records.ts"
import { type Check, lawsIn, property, runsOf, same, type Thoroughness, together } from "./Suite.ts"

/** A limiter under test. */
export interface LimiterSubject<E> extends Thoroughness {
  /** A limiter whose buckets have this size. */
  readonly layer: (size: BucketSize) => Layer.Layer<RateLimiter, E>
  /**
   * Whether organisations' buckets refill by the monotonic time of Effect's Clock, rather than by a clock that a test
   * cannot set.
   */
  readonly readsClock: boolean
}

/** Refills so slowly that no token comes back during a test. */
const still: BucketSize = { perSecond: 1e-6, burst: 5 }

/** The owners of buckets: two organisations and two addresses. */
const takers = ["organisation 0", "organisation 1", "address 0", "address 1"] as const

const takeFor = (limiter: RateLimiter["Service"], ids: ReadonlyArray<string>, taker: (typeof takers)[number]) => {
  const id = ids[takers.indexOf(taker)] ?? ""
  return taker.startsWith("address") ? limiter.takeAnonymous(id) : limiter.take(id)
}

/** An organisation and an address of the same text must not share a bucket. */
const freshIds = Effect.map(Effect.all([freshId("organisation"), freshId("organisation")]), (ids) => [...ids, ...ids])

/** A clock with a monotonic time of `millis` and any wall time. */
const at = (millis: number, wall: number): Clock.Clock => ({
  currentTimeMillisUnsafe: () => wall,
  currentTimeMillis: Effect.succeed(wall),
  currentTimeNanosUnsafe: () => BigInt(wall) * 1_000_000n,
  currentTimeNanos: Effect.succeed(BigInt(wall) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => BigInt(millis) * 1_000_000n,
  monotonicTimeNanos: Effect.succeed(BigInt(millis) * 1_000_000n),
  sleep: () => Effect.void
})

const bursts = <E>({ layer }: LimiterSubject<E>): Check =>
  lawsIn(layer(still)).must(
    "a bucket lets its burst through and no more, whatever comes at the same moment",
    ["RateLimiter.take MUST decide as take does, one request after the other"],

    function* () {
      const limiter = yield* RateLimiter
      same(limiter.size, still)
      for (const taken of [limiter.take(yield* freshId("organisation")), limiter.takeAnonymous("192.0.2.1")]) {
        const all = yield* together(12, taken)
        const remaining = all.filter(({ allowed }) => allowed).map((each) => each.remaining)
        same(remaining.toSorted(), [0, 1, 2, 3, 4])
        for (const refused of all.filter(({ allowed }) => !allowed)) {
          // A second is a millionth of a token.
          assert.strictEqual(refused.remaining, 0)
          same(
            [refused.retryAfterSeconds, refused.resetSeconds].map((seconds) => Math.round(seconds / 1e5)),
            [10, 50]
          )
        }
      }
    }
  )

const separation = <E>(subject: LimiterSubject<E>): Check =>
  lawsIn(subject.layer(still)).property(
    "every organisation and every address has a bucket of its own",
    ["RateLimiter.takeAnonymous MUST be decided in this process, by time that no setting of the clock moves"],

    runsOf(subject),
    fc.array(fc.constantFrom(...takers), { maxLength: 20 }),
    function* (script) {
      const limiter = yield* RateLimiter
      const ids = yield* freshIds
      const used = new Map<string, number>()
      for (const taker of script) {
        const before = used.get(taker) ?? 0
        const { allowed, remaining } = yield* takeFor(limiter, ids, taker)
        same({ allowed, remaining }, { allowed: before < 5, remaining: Math.max(0, 4 - before) })
        used.set(taker, before + 1)
      }
    }
  )

const refills = <E>(subject: LimiterSubject<E>): Check =>
  property(
    "tokens come back as `domain/access/RateLimit` says whatever the wall clock is set to, and a refusal takes none",
    [
      "RateLimiter.take MUST decide as take does, one request after the other",
      "RateLimiter.take MUST take nothing",
      "RateLimiter.takeAnonymous MUST be decided in this process, by time that no setting of the clock moves"
    ],
    runsOf(subject),
    fc.record({
      size: fc.record({ perSecond: fc.integer({ min: 1, max: 20 }), burst: fc.integer({ min: 1, max: 4 }) }),
      script: fc.array(
        fc.record({ taker: fc.constantFrom(...takers), after: fc.nat(400), wall: fc.integer({ min: 0 }) }),
        { maxLength: 25 }
      )
    }),
    function* ({ script, size }) {
      const ids = yield* freshIds
      const limiter = Context.get(yield* Layer.build(subject.layer(size)), RateLimiter)
      const buckets = new Map<string, ReturnType<typeof full>>()
      let now = 1_000_000
      for (const { after, taker, wall } of script) {
        now += after
        if (!subject.readsClock && !taker.startsWith("address")) continue
        const expected = take(size, buckets.get(taker) ?? full(size, now), now)
        buckets.set(taker, expected.bucket)
        const { bucket: _, ...taken } = yield* Effect.provideService(
          takeFor(limiter, ids, taker),
          Clock.Clock,
          at(now, wall)
        )
        const { bucket: __, ...rest } = expected
        same(taken, rest)
      }
    }
  )

const givingBack = <E>(subject: LimiterSubject<E>): Check =>
  lawsIn(subject.layer(still)).property(
    "a token that is given back can be taken again, and no bucket holds more than its burst",
    ["RateLimiter.giveBackAnonymous MUST leave no bucket with more than its burst"],

    runsOf(subject),
    fc.array(fc.record({ address: fc.nat(1), gives: fc.boolean() }), { maxLength: 30 }),
    function* (script) {
      const limiter = yield* RateLimiter
      const addresses = [yield* freshId("organisation"), yield* freshId("organisation")]
      const held = addresses.map(() => still.burst)
      const once = [false, true, false].map((gives) => ({ address: 0, gives }))
      for (const { address, gives } of [...once, ...script]) {
        const id = addresses[address] ?? ""
        const before = held[address] ?? 0
        if (gives) {
          yield* limiter.giveBackAnonymous(id)
          held[address] = Math.min(still.burst, before + 1)
        } else {
          const { allowed, remaining } = yield* limiter.takeAnonymous(id)
          held[address] = Math.max(0, before - 1)
          same({ allowed, remaining }, { allowed: before > 0, remaining: held[address] ?? 0 })
        }
      }
    }
  )

const charges = <E>(subject: LimiterSubject<E>): Check =>
  lawsIn(subject.layer(still)).property(
    "what a request turned out to cost is owed by its organisation alone, up to the burst",
    ["RateLimiter.charge MUST charge as charge does"],

    runsOf(subject),
    fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 }),
    function* (prices) {
      const limiter = yield* RateLimiter
      const [one, other] = [yield* freshId("organisation"), yield* freshId("organisation")]
      yield* limiter.take(one)
      yield* limiter.take(other)
      let held = still.burst - 1
      for (const price of prices) {
        yield* limiter.charge(one, price)
        held = Math.max(-still.burst, held - price)
      }
      const { allowed, remaining, retryAfterSeconds } = yield* limiter.take(one)
      same({ allowed, remaining }, { allowed: held > 0, remaining: Math.max(0, held - 1) })
      // A second is a millionth of a token.
      if (!allowed) assert.isAtLeast(retryAfterSeconds, (1 - held - 0.01) / still.perSecond)
      same((yield* limiter.take(other)).remaining, still.burst - 2)
    }
  )

/** The laws of {@link RateLimiter}. */
export const rateLimiters = <E>(subject: LimiterSubject<E>): ReadonlyArray<Check> => [
  bursts(subject),
  separation(subject),
  refills(subject),
  givingBack(subject),
  charges(subject)
]
