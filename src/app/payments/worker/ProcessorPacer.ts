import { Duration, Effect } from "effect"
import { monotonicMillis } from "../../kernel/time/Monotonic.ts"

/** How much of a second's requests may go out at once. */
const burstMillis = 1_000

/**
 * Lets requests to a processor through, at most so many a second on the average. A change of the computer's clock
 * neither holds them up nor lets them all through.
 */
export const makeProcessorPacer = (perSecond: number): Effect.Effect<void> => {
  const apart = 1_000 / perSecond
  let next = Number.NEGATIVE_INFINITY
  return Effect.suspend(() =>
    Effect.flatMap(monotonicMillis, (now) => {
      const slot = Math.max(next, now - burstMillis) + apart
      next = slot
      return slot <= now ? Effect.void : Effect.sleep(Duration.millis(slot - now))
    })
  )
}
