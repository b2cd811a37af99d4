import { type Clock, Effect } from "effect"

const nanosOfMilli = 1_000_000

/**
 * What a clock says that never steps, milliseconds from some moment on: for pace, wake-ups, deadlines and how long something
 * has been known. The time of day is only for what a record says.
 */
export const monotonicOf = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / nanosOfMilli

/** Reads that clock any number of times. */
export const makeMonotonic: Effect.Effect<() => number> = Effect.clockWith((clock) =>
  Effect.succeed(() => monotonicOf(clock))
)

/** The same, read once. */
export const monotonicMillis: Effect.Effect<number> = Effect.clockWith((clock) => Effect.succeed(monotonicOf(clock)))
