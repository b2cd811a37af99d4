import { Clock, Effect } from "effect"

/** Runs an effect whose time of day the test can set apart from how time passes, by `step` milliseconds at a time. */
export const withSteps = <A, E, R>(
  use: (step: (millis: number) => void) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) => {
    let ahead = 0
    const step = (millis: number): void => {
      ahead += millis
    }
    const wallMillis = () => clock.currentTimeMillisUnsafe() + ahead
    const wallNanos = () => clock.currentTimeNanosUnsafe() + BigInt(ahead) * 1_000_000n
    const stepping = {
      ...clock,
      currentTimeMillisUnsafe: wallMillis,
      currentTimeMillis: Effect.sync(wallMillis),
      currentTimeNanosUnsafe: wallNanos,
      currentTimeNanos: Effect.sync(wallNanos)
    }
    return Effect.provideService(use(step), Clock.Clock, stepping)
  })
