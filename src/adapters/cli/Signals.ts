import { constants } from "node:os"
import { Deferred, Effect } from "effect"

/** The longest that a stop takes, milliseconds: what is in flight then is left to the next start. */
const patienceMillis = 9_000

/** A terminal and the `npm` between it and this process may each send the one Ctrl-C. */
const sameSignalMillis = 500

/**
 * Succeeds when SIGTERM or SIGINT first asks this process to stop, which then has nine seconds to end well. A second
 * signal ends it at once.
 */
export const stopRequested: Effect.Effect<void> = Effect.gen(function* () {
  const asked = yield* Deferred.make<void>()
  let askedAt: number | undefined
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (askedAt === undefined) {
        askedAt = performance.now()
        setTimeout(() => process.exit(0), patienceMillis).unref()
        Deferred.doneUnsafe(asked, Effect.void)
      } else if (performance.now() - askedAt > sameSignalMillis) {
        process.exit(128 + constants.signals[signal])
      }
    })
  }
  yield* Deferred.await(asked)
})
