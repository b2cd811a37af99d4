import { Clock, Effect } from "effect"

const nanosOfMilli = 1_000_000

/**
 * Reads a clock that never steps, milliseconds from some moment on: for pace, wake-ups and deadlines. The time of day is
 * only for what a record says.
 */
export const makeMonotonic: Effect.Effect<() => number> = Clock.clockWith((clock) =>
  Effect.succeed(() => Number(clock.monotonicTimeNanosUnsafe()) / nanosOfMilli)
)

/** The same, read once. */
export const monotonicMillis: Effect.Effect<number> = Effect.map(
  Clock.monotonicTimeNanos,
  (nanos) => Number(nanos) / nanosOfMilli
)
