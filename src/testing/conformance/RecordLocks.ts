import { Clock, Deferred, Duration, Effect, Option, type Scope } from "effect"
import type { Transaction } from "../../ports/kernel/Transaction.ts"
import { assert } from "./Assert.ts"
import { type Check, failBlocked, inTransaction, must, same, together, transactionOf } from "./Suite.ts"

/** A record that is held for an update, with a counter in one of its fields. */
interface Held<A, R> {
  readonly name: string
  /** The sentence of the port that promises the lock. */
  readonly must: string
  /** Stores a record whose counter is 0. */
  readonly make: Effect.Effect<A, never, R>
  readonly findForUpdate: (record: A) => Effect.Effect<Option.Option<A>, never, R>
  readonly update: (record: A) => Effect.Effect<void, unknown, R>
  readonly count: (record: A) => number
  readonly counted: (record: A, count: number) => A
}

/** Checks that no update is lost among transactions that each hold the record, read it and write it, and that another is held as itself. */
export const lockCheck = <A, R>(held: Held<A, R>): Check<Exclude<R | Transaction, Scope.Scope>> =>
  must(`${held.name}: of updates at the same moment none is lost`, [held.must], function* () {
    const [record, other] = [yield* held.make, yield* held.make]
    const found = Effect.map(held.findForUpdate(record), Option.getOrThrow)
    const raise = transactionOf(function* () {
      const before = yield* found
      yield* Effect.yieldNow
      yield* held.update(held.counted(before, held.count(before) + 1))
    })
    yield* together(8, raise)
    same(held.count(yield* inTransaction(found)), 8)
    same(yield* inTransaction(held.findForUpdate(other)), Option.some(other))
  })

/**
 * What so many transactions wait for that go on side by side: that each of them is there. Where one waits for another to end, it is
 * nothing.
 */
export const makeGate = (isSerial: boolean, count: number): Effect.Effect<void> => {
  const all = Deferred.makeUnsafe<void>()
  let missing = count
  return Effect.suspend(() => {
    missing -= 1
    if (isSerial) return Effect.void
    return missing > 0 ? Deferred.await(all) : Effect.asVoid(Deferred.succeed(all, undefined))
  })
}

/** Asserts that others, each in a transaction of its own, need not wait for one that holds something. */
export const assertApart = Effect.fnUntraced(function* <E, R>(
  hold: Effect.Effect<unknown, E, R>,
  others: ReadonlyArray<Effect.Effect<unknown, E, R>>
) {
  const [held, done] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const first = transactionOf(function* () {
    yield* hold
    yield* Deferred.succeed(held, undefined)
    yield* Deferred.await(done)
  })
  const second = Effect.andThen(
    Effect.forEach(others, inTransaction, { discard: true }),
    Deferred.succeed(done, undefined)
  )
  yield* failBlocked(
    Effect.all([first, Effect.andThen(Deferred.await(held), second)], { concurrency: "unbounded", discard: true })
  )
})

/**
 * Asserts that a lease keeps others out for most of its time, and no more when that is over. Where the steps themselves took
 * longer, it is looked at again with a longer one.
 */
export const holdsFor = Effect.fnUntraced(function* <E, R>(
  hold: (lease: Duration.Duration) => Effect.Effect<unknown, E, R>,
  isHeld: Effect.Effect<boolean, E, R>
) {
  for (let millis = 100; ; millis *= 2) {
    const began = yield* Clock.currentTimeMillis
    yield* hold(Duration.millis(millis))
    yield* Effect.sleep(millis * 0.6)
    const held = yield* isHeld
    if ((yield* Clock.currentTimeMillis) - began >= millis) continue
    assert.isTrue(held, "it ended early")
    yield* Effect.sleep(millis * 0.6)
    return assert.isFalse(yield* isHeld, "it did not end")
  }
})
