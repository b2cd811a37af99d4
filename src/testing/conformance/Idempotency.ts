import { DateTime, Deferred, Duration, Effect, Fiber } from "effect"
import fc from "fast-check"
import type { IdempotencyScope, StoredAnswer } from "../../domain/access/Idempotency.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import { IdempotencyStore } from "../../ports/access/IdempotencyStore.ts"
import type { Transaction } from "../../ports/kernel/Transaction.ts"
import { assert } from "./Assert.ts"
import { answerOf, at, newOrganisation, scopeOf } from "./Records.ts"
import {
  failBlocked,
  inTransaction,
  lawsOf,
  runsOf,
  same,
  suite,
  type Thoroughness,
  together,
  transactionOf
} from "./Suite.ts"
import { trimCheck } from "./Trims.ts"

const { law, must, property } = lawsOf(IdempotencyStore)

const small = answerOf(new Uint8Array([123, 125]))

/** Reserves in a transaction of its own, which ends at once. */
const reserve = Effect.fnUntraced(function* (scope: IdempotencyScope, body_hash = "body", second = 0) {
  const store = yield* IdempotencyStore
  return yield* inTransaction(store.reserve(scope, [body_hash], at(second)))
})

const keep = Effect.fnUntraced(function* (scope: IdempotencyScope, answer: StoredAnswer, secret = false, now = at(0)) {
  const store = yield* IdempotencyStore
  const kept = store.keep(scope, "body", answer, { secret, now })
  yield* inTransaction(Effect.andThen(store.reserve(scope, ["body"], now), kept))
})

const newScope = Effect.flatMap(newOrganisation(), ({ id }) => scopeOf(id))

const records = (runs: number) => [
  property(
    "a kept answer is repeated byte for byte, a secret one too; another body is refused",
    [],
    runs,
    fc.record({
      status: fc.integer({ min: 200, max: 499 }),
      content_type: fc.constantFrom("application/json", "application/json; charset=utf-8"),
      body: fc.uint8Array({ maxLength: 600 }),
      secret: fc.boolean()
    }),
    function* ({ secret, ...answer }) {
      const scope = yield* newScope
      same(yield* reserve(scope), { _tag: "Run" })
      yield* keep(scope, answer, secret)
      same(yield* reserve(scope), { _tag: "Replay", answer })
      same(yield* reserve(scope, "another"), { _tag: "BodyDiffers" })
    }
  ),

  must(
    "a body is known by any of its hashes",
    ["IdempotencyStore.reserve MUST be known by any of them."],
    function* ({ store }) {
      const scope = yield* newScope
      same(yield* reserve(scope, "older"), { _tag: "Run" })
      yield* inTransaction(store.keep(scope, "older", small, { secret: false, now: at(0) }))
      for (const [hashes, known] of [
        [["older"], true],
        [["newest", "older", "plain"], true],
        [["newest", "older"].reverse(), true],
        [["newest"], false],
        [[], false]
      ] as const) {
        const reserved = yield* inTransaction(store.reserve(scope, hashes, at(1)))
        assert.strictEqual(reserved._tag, known ? "Replay" : "BodyDiffers")
      }
    }
  ),

  must(
    "an answer of 256 KB is kept, a larger one as a mark that the key was used",
    ["IdempotencyStore.keep MUST be kept as a mark that the key was used"],
    function* () {
      for (const secret of [false, true]) {
        const [fits, toolarge] = [yield* newScope, yield* newScope]
        const answer = answerOf(new Uint8Array(Limits.storedAnswerBytes).fill(255))
        yield* keep(fits, answer, secret)
        same(yield* reserve(fits), { _tag: "Replay", answer })
        yield* keep(toolarge, answerOf(new Uint8Array(Limits.storedAnswerBytes + 1)), secret)
        same(yield* reserve(toolarge), { _tag: "AnswerNotKept" })
        same(yield* reserve(toolarge, "another"), { _tag: "BodyDiffers" })
      }
    }
  ),

  law("a record counts for 24 hours; then the key is new, and the later answer takes its place", function* () {
    const scope = yield* newScope
    const life = Limits.idempotencyRecordHours * 3600
    yield* keep(scope, small)
    same(yield* reserve(scope, "body", life - 0.001), { _tag: "Replay", answer: small })
    same(yield* reserve(scope, "another", life), { _tag: "Run" })
    const later = answerOf(new Uint8Array([91, 93]))
    yield* keep(scope, later, false, at(life))
    same(yield* reserve(scope, "body", life + 1), { _tag: "Replay", answer: later })
    yield* keep(scope, answerOf(new Uint8Array(Limits.storedAnswerBytes + 1)), true, at(2 * life))
    same(yield* reserve(scope, "body", 2 * life), { _tag: "AnswerNotKept" })
    yield* keep(scope, small, true, at(3 * life))
    same(yield* reserve(scope, "body", 3 * life), { _tag: "Replay", answer: small })
  }),

  law("two keys are one only when every part of their scopes is equal", function* ({ id }) {
    const scope = yield* newScope
    yield* keep(scope, small)
    const others: ReadonlyArray<Partial<IdempotencyScope>> = [
      { organisation_id: id },
      { api_key_id: `${scope.api_key_id}0` },
      { generation: 2 },
      { method: "PATCH" },
      { path: `${scope.path}/x` },
      { key: scope.key.toUpperCase() },
      { key: `${scope.key} ` },
      // The same text, cut elsewhere.
      { method: "POS", path: `T${scope.path}` },
      { path: `${scope.path}${scope.key.slice(0, 1)}`, key: scope.key.slice(1) }
    ]
    for (const other of others) same(yield* reserve({ ...scope, ...other }), { _tag: "Run" }, JSON.stringify(other))
    const kept = others.map((other, index) => [{ ...scope, ...other }, answerOf(new Uint8Array([index]))] as const)
    yield* Effect.forEach(kept, ([each, answer]) => keep(each, answer))
    same(yield* reserve({ ...scope }), { _tag: "Replay", answer: small })
    for (const [each, answer] of kept) same(yield* reserve(each), { _tag: "Replay", answer })
  })
]

const leavesFree = (name: string, ends: Effect.Effect<void, string>) =>
  law(`a key is free again, and nothing is kept, when its transaction ${name}`, function* ({ store }) {
    const scope = yield* newScope
    const run = Effect.gen(function* () {
      yield* store.reserve(scope, ["body"], at(0))
      yield* store.keep(scope, "body", small, { secret: false, now: at(0) })
      yield* ends
    })
    yield* Effect.exit(inTransaction(run))
    same(yield* reserve(scope, "another"), { _tag: "Run" })
  })

const flights = [
  must(
    "a key that another transaction holds is in flight at once, without waiting; other keys are not",
    ["IdempotencyStore.reserve MUST answer InFlight at once, and never wait, while another transaction holds the key"],
    function* ({ store }) {
      const scope = yield* newScope
      const [held, asked] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      // Ends only after the second request was answered: one that waited would wait for ever.
      const first = Effect.gen(function* () {
        const reservation = yield* store.reserve(scope, ["body"], at(0))
        yield* Deferred.succeed(held, undefined)
        yield* Deferred.await(asked)
        yield* store.keep(scope, "body", small, { secret: false, now: at(0) })
        return reservation
      })
      const second = Effect.gen(function* () {
        yield* Deferred.await(held)
        const answers = [yield* reserve(scope), yield* reserve(scope, "another")]
        yield* Deferred.succeed(asked, undefined)
        return answers
      })
      const [one, two] = yield* failBlocked(Effect.all([inTransaction(first), second], { concurrency: "unbounded" }))
      same(one, { _tag: "Run" })
      same(two, [{ _tag: "InFlight" }, { _tag: "InFlight" }])
      same(yield* reserve(scope), { _tag: "Replay", answer: small })
    }
  ),

  must(
    "of many requests with one key at the same moment one runs, and the others are in flight or repeat it",
    ["IdempotencyStore.reserve MUST answer InFlight at once, and never wait, while another transaction holds the key"],
    function* ({ store }) {
      const scope = yield* newScope
      let ran = 0
      const request = transactionOf(function* () {
        const reservation = yield* store.reserve(scope, ["body"], at(0))
        if (reservation._tag !== "Run") return reservation._tag
        ran += 1
        yield* Effect.yieldNow
        yield* store.keep(scope, "body", small, { secret: false, now: at(0) })
        return reservation._tag
      })
      const tags = yield* together(10, request)
      assert.strictEqual(ran, 1)
      same(
        tags.filter((tag) => tag !== "InFlight" && tag !== "Replay"),
        ["Run"]
      )
    }
  ),

  leavesFree("fails", Effect.fail("refused")),
  leavesFree("dies", Effect.die("broken")),

  law("a key is free again when its transaction is interrupted", function* ({ store }) {
    const scope = yield* newScope
    const held = yield* Deferred.make<void>()
    const fiber = yield* store
      .reserve(scope, ["body"], at(0))
      .pipe(
        Effect.andThen(Deferred.succeed(held, undefined)),
        Effect.andThen(Effect.never),
        inTransaction,
        Effect.forkChild
      )
    yield* Deferred.await(held)
    yield* Fiber.interrupt(fiber)
    same(yield* reserve(scope), { _tag: "Run" })
  }),

  law("a refusal that was undone to a savepoint is kept with the outer transaction", function* ({ store }) {
    const scope = yield* newScope
    const refusal: StoredAnswer = { ...small, status: 404 }
    yield* transactionOf(function* () {
      same(yield* store.reserve(scope, ["body"], at(0)), { _tag: "Run" })
      yield* Effect.flip(inTransaction(Effect.fail("not found")))
      yield* store.keep(scope, "body", refusal, { secret: false, now: at(0) })
    })
    same(yield* reserve(scope), { _tag: "Replay", answer: refusal })
  })
]

const holds = [
  must(
    "a key is held by one request until that releases it, or its lease ends",
    [
      "IdempotencyStore.hold MUST answer false, and wait for nobody's release, while another request holds the key",
      "IdempotencyStore.release MUST leave that of another"
    ],
    function* ({ id, store }) {
      const scope = yield* newScope
      const lease = Duration.seconds(60)
      const hold = (holder: string, second: number, more: Partial<IdempotencyScope> = {}) =>
        store.hold({ ...scope, ...more }, holder, at(second), lease)
      const counts = yield* together(10, hold("one", 0))
      assert.strictEqual(counts.filter((isHeld) => isHeld).length, 1)
      assert.isFalse(yield* hold("two", 59.999))
      yield* store.release(scope, "two")
      assert.isFalse(yield* hold("two", 0))
      assert.isTrue(yield* hold("two", 0, { key: `${scope.key}0` }))
      yield* store.release(scope, "one")
      assert.isTrue(yield* hold("two", 1))
      assert.isFalse(yield* store.hold(scope, "three", at(61), Duration.millis(60_001)))
      assert.isTrue(yield* hold("three", 61))
      yield* store.release(scope, "two")
      assert.isFalse(yield* hold("four", 61))
      // Its answer is kept and repeated as ever.
      same(yield* reserve(scope), { _tag: "Run" })
      yield* keep(scope, small)
      same(yield* reserve(scope), { _tag: "Replay", answer: small })
      yield* store.release(scope, "three")
      yield* store.release({ ...scope, key: `${scope.key}0` }, "two")
      const parts = [
        { organisation_id: id },
        { api_key_id: "another" },
        { generation: 2 },
        { method: "PATCH" },
        { path: "/x" }
      ]
      const scopes = [{}, { key: "another" }, ...parts]
      // Twice: each is free again once it is released.
      for (const holder of ["five", "six"]) {
        for (const each of scopes) assert.isTrue(yield* hold(holder, 0, each), JSON.stringify(each))
        for (const each of scopes) assert.isFalse(yield* hold("seven", 0, each), JSON.stringify(each))
        for (const each of scopes) yield* store.release({ ...scope, ...each }, holder)
      }
    }
  )
]

/** An answer, and when it was kept. */
interface Kept {
  readonly scope: IdempotencyScope
  readonly at: DateTime.Utc
}

const keptAt = (
  scope: IdempotencyScope,
  at: DateTime.Utc
): Effect.Effect<Kept, never, IdempotencyStore | Transaction> => Effect.as(keep(scope, small, false, at), { scope, at })

const forgetting = [
  trimCheck({
    name: "answers",
    must: ["IdempotencyStore.forget MUST forget nothing that was kept later, a key's newer answer included"],
    port: IdempotencyStore,
    trim: ({ forget }, until, limit) => forget(until, limit),
    isOldestFirst: true,
    make: (organisation_id, since) => Effect.flatMap(scopeOf(organisation_id), (scope) => keptAt(scope, since)),
    kept: Effect.fnUntraced(function* (organisation_id, since) {
      const scope = yield* scopeOf(organisation_id)
      yield* keptAt(scope, since)
      return [yield* keptAt(scope, DateTime.add(since, { days: 2 }))]
    }),
    // Judged as if it had been stored a moment ago.
    isThere: ({ at, scope }) =>
      IdempotencyStore.use((store) =>
        Effect.map(inTransaction(store.reserve(scope, ["body"], at)), ({ _tag }) => _tag === "Replay")
      )
  })
]

/** The laws of {@link IdempotencyStore}. */
export const idempotency = (given: Thoroughness = {}) =>
  suite([...records(runsOf(given)), ...flights, ...holds, ...forgetting])
