import { type Clock, Duration, Effect } from "effect"

/** A clock that the test drives. Sleeping stays real, unless told otherwise: only dates, rates and expiry are driven. */
export interface ManualClock extends Clock.Clock {
  /** Milliseconds since the epoch. To set it is what an operator does to a clock: no time passes by it. */
  now: number
  /** Whoever sleeps for so long at most finds that the time has passed at once, milliseconds: who keeps to a pace is not waited for. */
  shortSleep: number
  /** Lets time pass. */
  advance(millis: number): void
  /** The instant so many milliseconds from now, as answers show it. */
  iso(millis?: number): string
}

/** A clock that stands at `now`, milliseconds since the epoch. */
export const makeManualClock = (now: number): ManualClock => {
  const real = Effect.runSync(Effect.clockWith(Effect.succeed))
  let elapsed = 0
  const elapsedNanos = () => BigInt(Math.trunc(elapsed * 1_000)) * 1_000n
  const clock: ManualClock = {
    now,
    shortSleep: 0,
    advance: (millis) => {
      clock.now += millis
      elapsed += millis
    },
    iso: (millis = 0) => new Date(clock.now + millis).toISOString(),
    currentTimeMillisUnsafe: () => clock.now,
    currentTimeMillis: Effect.sync(() => clock.now),
    currentTimeNanosUnsafe: () => BigInt(clock.now) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(clock.now) * 1_000_000n),
    monotonicTimeNanosUnsafe: elapsedNanos,
    monotonicTimeNanos: Effect.sync(elapsedNanos),
    sleep: (duration) =>
      Effect.suspend(() => {
        const millis = Duration.toMillis(duration)
        if (millis > clock.shortSleep) return real.sleep(duration)
        elapsed += millis
        return Effect.void
      })
  }
  return clock
}
