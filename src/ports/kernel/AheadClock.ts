import { Clock, DateTime, Effect } from "effect"
import { addTime, instantAt } from "../../domain/kernel/InstantRange.ts"

/** A clock that is ahead of another one. What elapses, and what is slept, is the other's. */
class AheadClock implements Clock.Clock {
  readonly real: Clock.Clock
  readonly aheadMillis: number

  constructor(real: Clock.Clock, aheadMillis: number) {
    this.real = real
    this.aheadMillis = aheadMillis
  }

  currentTimeMillisUnsafe(): number {
    return this.real.currentTimeMillisUnsafe() + this.aheadMillis
  }

  currentTimeNanosUnsafe(): bigint {
    return this.real.currentTimeNanosUnsafe() + BigInt(this.aheadMillis) * 1_000_000n
  }

  monotonicTimeNanosUnsafe(): bigint {
    return this.real.monotonicTimeNanosUnsafe()
  }

  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe())

  sleep(...args: Parameters<Clock.Clock["sleep"]>): Effect.Effect<void> {
    return this.real.sleep(...args)
  }
}

const realOf = (clock: Clock.Clock): Clock.Clock => (clock instanceof AheadClock ? clock.real : clock)

/**
 * Runs an effect by a clock that is so many whole milliseconds ahead of the real one; 0 is the real one. Within another such
 * effect, it is counted from the real time, too.
 */
export const byClockAhead = <A, E, R>(effect: Effect.Effect<A, E, R>, aheadMillis: number): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) => {
    const real = realOf(clock)
    const wanted = aheadMillis === 0 ? real : new AheadClock(real, aheadMillis)
    return wanted === clock ? effect : Effect.provideService(effect, Clock.Clock, wanted)
  })

/**
 * The time of the organisation whose work is being done: ahead of the real one in a sandbox that was moved on, and the real
 * one outside of {@link byClockAhead}. Records, what falls due and what an organisation is promised go by it.
 */
export const organisationNow: Effect.Effect<DateTime.Utc> = DateTime.now

/** The real time, also within {@link byClockAhead}: leases, deliveries, mails, secrets and every limit on callers go by it. */
export const realNow: Effect.Effect<DateTime.Utc> = Effect.clockWith((clock) =>
  Effect.map(realOf(clock).currentTimeMillis, (millis) => instantAt(millis))
)

/**
 * An instant of the real time as the surrounding clock has it: later, within {@link byClockAhead}. A store's own clock is
 * told through it.
 */
export const bySurroundingClock = (at: DateTime.Utc): Effect.Effect<DateTime.Utc> =>
  Effect.clockWith((clock) =>
    Effect.succeed(clock instanceof AheadClock ? addTime(at, { milliseconds: clock.aheadMillis }) : at)
  )
