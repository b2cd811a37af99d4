import type { Effect } from "effect"
import { Context } from "effect"

/** A hint that deliveries may be due. Polling is the backstop, so that a lost hint costs time and nothing else. */
export class DeliverySignal extends Context.Service<
  DeliverySignal,
  {
    readonly raise: Effect.Effect<void>
    /** Waits until the signal was raised since the last wait ended; a raise before the wait MUST NOT be lost. */
    readonly wait: Effect.Effect<void>
  }
>()("almoner/ports/DeliverySignal") {}
