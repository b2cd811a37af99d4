import { Context, Layer } from "effect"
import { type Hint, makeHint } from "../../../ports/kernel/Hint.ts"

/** Notifies everybody in this process who waits for it that events were committed. */
export class EventHint extends Context.Service<EventHint, Hint>()("almoner/adapters/memory/EventHint") {
  static readonly layer = Layer.effect(this, makeHint)
}
