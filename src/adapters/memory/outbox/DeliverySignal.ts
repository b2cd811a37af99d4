import { Effect, Layer, Queue } from "effect"
import { DeliverySignal } from "../../../ports/outbox/DeliverySignal.ts"

/** A signal within the process: raised any number of times, it is one hint until somebody waits. */
export const layer = Layer.effect(
  DeliverySignal,
  Effect.map(Queue.sliding<void>(1), (hints) =>
    DeliverySignal.of({ raise: Effect.asVoid(Queue.offer(hints, undefined)), wait: Queue.take(hints) })
  )
)
