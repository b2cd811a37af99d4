import { Deferred, Effect, Exit } from "effect"

/** A lock that is passed on in the order of asking. */
export interface Turns {
  /** Waits for the lock, and runs `taken` as soon as it is held. An interrupted wait does not take it. */
  readonly take: (taken: () => void) => Effect.Effect<void>
  /** Releases the lock. */
  readonly pass: () => void
}

/** A lock that nobody holds. */
export const make = (): Turns => {
  const waiting = new Set<Deferred.Deferred<void>>()
  let isTaken = false

  const pass = (): void => {
    const [next] = waiting
    if (next === undefined) {
      isTaken = false
      return
    }
    waiting.delete(next)
    Deferred.doneUnsafe(next, Exit.void)
  }

  const take = (taken: () => void): Effect.Effect<void> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        if (!isTaken) {
          isTaken = true
          return Effect.sync(taken)
        }
        const turn = Deferred.makeUnsafe<void>()
        waiting.add(turn)
        return restore(Deferred.await(turn)).pipe(
          // Interrupted after the lock was passed on: the next one gets it.
          Effect.onInterrupt(() => Effect.sync(() => (waiting.delete(turn) ? undefined : pass()))),
          Effect.map(taken)
        )
      })
    )

  return { take, pass }
}
