import { Effect, Layer, Queue } from "effect"
import { DeliverySignal } from "../../../ports/outbox/DeliverySignal.ts"
import { Notifications } from "../connection/Notifications.ts"
import { EventHint } from "./EventHint.ts"

/**
 * A signal within the process, and between the processes of a server. The first that waits makes it listen. Deliveries come
 * of events: whoever handles these is notified, too.
 */
export const layer: Layer.Layer<DeliverySignal, never, EventHint | Notifications> = Layer.effect(
  DeliverySignal,
  Effect.gen(function* () {
    const events = yield* EventHint
    const notifications = yield* Notifications
    const raised = yield* Queue.sliding<void>(1)
    const hint = Effect.asVoid(Queue.offer(raised, undefined))
    yield* notifications.on("deliveries", hint)
    return DeliverySignal.of({
      raise: Effect.all([hint, events.raise, notifications.tell("deliveries")], { discard: true }),
      // Whoever waits first hears from then on what others raise, or soon goes on without.
      wait: Effect.andThen(Effect.andThen(notifications.listens, notifications.begun), Queue.take(raised))
    })
  })
)
