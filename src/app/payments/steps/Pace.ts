import { DateTime, Duration, Effect } from "effect"

/** How much of a second's requests may go out at once. */
const burstMillis = 1_000

/** Makes what lets requests to a processor through, at most so many a second on the average. */
export const makePace = (perSecond: number): Effect.Effect<void> => {
  const apart = 1_000 / perSecond
  let next = 0
  return Effect.suspend(() =>
    Effect.flatMap(DateTime.now, ({ epochMilliseconds: now }) => {
      const slot = Math.max(next, now - burstMillis) + apart
      next = slot
      return slot <= now ? Effect.void : Effect.sleep(Duration.millis(slot - now))
    })
  )
}
