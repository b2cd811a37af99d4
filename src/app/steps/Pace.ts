import { Clock, Effect, type Latch } from "effect"

/** Fewer rows than this are not worth a statement of their own right after another. */
const smallBatch = 8

/** How far small batches are kept apart, milliseconds. */
const smallBatchMillis = 5

/** Waits for the latch, and no longer than `millis`. */
export const waitFor = (latch: Latch.Latch, millis: number): Effect.Effect<void> =>
  latch.isOpen() || millis <= 0 ? Effect.void : Effect.asVoid(Effect.timeoutOption(latch.await, millis))

/**
 * Keeps small batches apart, so that a stream of single events does not cost a statement each. One that comes after a
 * pause goes at once, and so does a large one. Once `stop` is
 * open none waits.
 */
export const makePace = (stop: Latch.Latch) => {
  let last = Number.NEGATIVE_INFINITY
  return Effect.fnUntraced(function* (size: number) {
    const wait = last + smallBatchMillis - (yield* Clock.currentTimeMillis)
    if (size > 0 && size < smallBatch) yield* waitFor(stop, wait)
    last = yield* Clock.currentTimeMillis
  })
}
