import { Deferred, Effect } from "effect"

/** Those who wait for a read together. */
interface Party<A, E> {
  readonly read: Effect.Effect<A, E>
  readonly answer: Deferred.Deferred<A, E>
}

const partyOf = <A, E>(read: Effect.Effect<A, E>): Party<A, E> => ({ read, answer: Deferred.makeUnsafe() })

/**
 * Has those who ask for the same thing at the same moment share one read (request coalescing): a page that many open at once
 * costs the database little more than one that few do. Whoever asks while a read is under way shares the one after it, since
 * the one that has begun may miss what was written before they asked; so nothing that anybody is shown is older than without.
 */
export const makeSharedReads = <A, E>() => {
  /** The reads that are under way by their keys, each with those who wait for the next one. */
  const underWay = new Map<string, { next: Party<A, E> | null }>()

  const begin = (key: string, { answer, read }: Party<A, E>): Effect.Effect<unknown> => {
    const own: { next: Party<A, E> | null } = { next: null }
    underWay.set(key, own)
    const goOn = Effect.suspend((): Effect.Effect<unknown> => {
      if (own.next !== null) return begin(key, own.next)
      underWay.delete(key)
      return Effect.void
    })
    // Of its own fiber: whoever asked first may go before the others have their answer.
    return Effect.forkDetach(Effect.onExit(read, (exit) => Effect.andThen(Deferred.done(answer, exit), goOn)))
  }

  return (key: string, read: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const current = underWay.get(key)
      if (current === undefined) {
        const party = partyOf(read)
        return Effect.andThen(begin(key, party), Deferred.await(party.answer))
      }
      current.next ??= partyOf(read)
      return Deferred.await(current.next.answer)
    })
}
