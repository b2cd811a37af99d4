import { Cause, Deferred, Effect } from "effect"
import { loggedCause } from "../../ports/kernel/LoggedCause.ts"

/** The longest that a stop takes, milliseconds: whatever is in flight then is left to the next start. */
const patienceMillis = 9_000

/** A terminal, and the `npm` between it and this process, may each send a signal for one Ctrl-C. */
const sameSignalMillis = 500

/**
 * Succeeds when SIGTERM or SIGINT first asks this process to stop. It then has nine seconds to finish. Whatever hangs
 * longer, or is under way at a second signal, is cut off as by a crash, which loses nothing that was answered: so the
 * process ends with status 0 all the same.
 */
export const stopRequested: Effect.Effect<void> = Effect.gen(function* () {
  const asked = yield* Deferred.make<void>()
  const run = Effect.runForkWith(yield* Effect.context())
  const cutOff = (why: string): void => {
    run(Effect.logWarning(`${why}: what was still in flight is left to the next start`))
    process.exit(0)
  }
  let askedAt: number | undefined
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      if (askedAt === undefined) {
        askedAt = performance.now()
        setTimeout(() => cutOff(`The stop was not over after ${patienceMillis} ms`), patienceMillis).unref()
        Deferred.doneUnsafe(asked, Effect.void)
      } else if (performance.now() - askedAt > sameSignalMillis) {
        cutOff(`A second ${signal} asked to end at once`)
      }
    })
  }
  yield* Deferred.await(asked)
})

/**
 * Dies of what is thrown where nobody can catch it, as in a callback of a library: what is in flight is finished first, as far
 * as that goes, and whoever supervises the process starts it again. `died` is called before. A promise that fails unawaited is logged, and ends nothing.
 */
export const thrownAside = Effect.fnUntraced(function* (died: () => void): Effect.fn.Return<never> {
  const thrown = yield* Deferred.make<never>()
  const run = Effect.runForkWith(yield* Effect.context())
  process.on("unhandledRejection", (reason) => {
    const said = "Something failed that nothing waited for; the request that it was for ends at its deadline"
    run(Effect.logError(said, loggedCause(Cause.die(reason))))
  })
  process.on("uncaughtException", (cause) => {
    died()
    setTimeout(() => process.exit(3), patienceMillis).unref()
    Deferred.doneUnsafe(thrown, Effect.die(cause))
  })
  return yield* Deferred.await(thrown)
})
