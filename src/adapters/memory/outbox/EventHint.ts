import { Context, Deferred, Effect, Layer } from "effect"

/** Tells everybody in this process who waits for it that events were committed. */
export class EventHint extends Context.Service<EventHint>()("almoner/adapters/memory/EventHint", {
  make: Effect.sync(() => {
    let next = Deferred.makeUnsafe<void>()
    return {
      raise: Effect.sync(() => {
        Deferred.doneUnsafe(next, Effect.void)
        next = Deferred.makeUnsafe<void>()
      }),
      /** An effect that ends with the first hint after this was asked. */
      hint: Effect.sync(() => Deferred.await(next))
    } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
