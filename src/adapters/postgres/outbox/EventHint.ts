import { Context, Effect, Layer } from "effect"
import { type Hint, makeHint } from "../../../ports/kernel/Hint.ts"
import { Notifications } from "../connection/Notifications.ts"

/**
 * Notifies everybody who waits for it that events were committed, by this process or by another one of the server. Whoever
 * waits makes this process listen.
 */
export class EventHint extends Context.Service<EventHint, Hint>()("almoner/adapters/postgres/EventHint") {
  static readonly layer = Layer.effect(
    this,
    Effect.gen(function* () {
      const notifications = yield* Notifications
      const { hint, raise } = yield* makeHint
      yield* notifications.on("events", raise)
      return EventHint.of({
        raise: Effect.andThen(raise, notifications.tell("events")),
        hint: Effect.map(hint, (waiting) => Effect.andThen(notifications.listens, waiting))
      })
    })
  )
}
