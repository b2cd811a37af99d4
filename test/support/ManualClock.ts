import { type Clock, Effect } from "effect"

/** A clock whose wall time the test sets. Sleeping and elapsed time stay real: only dates, rates and expiry are driven. */
export interface ManualClock extends Clock.Clock {
  /** Milliseconds since the epoch. */
  now: number
  advance(millis: number): void
}

/** A clock that stands at `now`, milliseconds since the epoch. */
export const makeManualClock = (now: number): ManualClock => {
  const real = Effect.runSync(Effect.clockWith(Effect.succeed))
  const clock: ManualClock = {
    now,
    advance: (millis) => {
      clock.now += millis
    },
    currentTimeMillisUnsafe: () => clock.now,
    currentTimeMillis: Effect.sync(() => clock.now),
    currentTimeNanosUnsafe: () => BigInt(clock.now) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(clock.now) * 1_000_000n),
    monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: real.monotonicTimeNanos,
    sleep: (duration) => real.sleep(duration)
  }
  return clock
}
