import { Effect, type Latch } from "effect"
import { monotonicMillis } from "./Monotonic.ts"

/** Whether so many rows are worth a statement right after the previous one. */
export const isWorthwhile = (rows: number): boolean => rows >= 8

/** The least and the greatest distance of small batches, milliseconds. */
const leastMillis = 5
const mostMillis = 50

/** Small batches take at most one part in so many of a store's time. */
const share = 4

/** Waits for the latch to open, at most `millis`. */
export const waitFor = (latch: Latch.Latch, millis: number): Effect.Effect<void> =>
  latch.isOpen() || millis <= 0 ? Effect.void : Effect.asVoid(Effect.timeoutOption(latch.await, millis))

/**
 * Keeps small and empty batches apart, so that a stream of single events does not cost a statement each: by 5 ms, and
 * on a slow store by several times the duration of the last batch. A batch after a pause runs at once, and so does one
 * that is worth it. Once `stop` is open none waits.
 */
export const makeBatchPace = (stop: Latch.Latch) => {
  let last = Number.NEGATIVE_INFINITY
  let took = 0
  return <A, E, R>(atOnce: boolean, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.gen(function* () {
      const apart = Math.min(mostMillis, Math.max(leastMillis, share * took))
      if (!atOnce) yield* waitFor(stop, last + apart - (yield* monotonicMillis))
      const start = yield* monotonicMillis
      const done = yield* work
      last = yield* monotonicMillis
      took = last - start
      return done
    })
}
