import { Deferred, Effect } from "effect"

/** Something that happens in this process and may be waited for. */
export interface Hint {
  /** Tells everybody who waits. */
  readonly raise: Effect.Effect<void>
  /** Answers an effect that ends with the first hint after this was asked. */
  readonly hint: Effect.Effect<Effect.Effect<void>>
}

/** Makes a hint, for stores that tell whoever waits in their own process. */
export const makeHint: Effect.Effect<Hint> = Effect.sync(() => {
  let next = Deferred.makeUnsafe<void>()
  return {
    raise: Effect.sync(() => {
      Deferred.doneUnsafe(next, Effect.void)
      next = Deferred.makeUnsafe<void>()
    }),
    hint: Effect.sync(() => Deferred.await(next))
  }
})
