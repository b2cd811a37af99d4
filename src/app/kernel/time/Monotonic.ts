import { type Clock, Effect } from "effect"

const nanosOfMilli = 1_000_000

/**
 * The time of a clock that never steps, milliseconds from an arbitrary moment: for pace, wake-ups, deadlines and the
 * age of cached facts. The time of day is only for times in records.
 */
export const monotonicOf = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / nanosOfMilli

/** A reader of that clock, to be called any number of times. */
export const makeMonotonic: Effect.Effect<() => number> = Effect.clockWith((clock) =>
  Effect.succeed(() => monotonicOf(clock))
)

/** That clock's time, read once. */
export const monotonicMillis: Effect.Effect<number> = Effect.clockWith((clock) => Effect.succeed(monotonicOf(clock)))
