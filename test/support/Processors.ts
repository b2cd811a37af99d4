import { Effect, Layer, Option } from "effect"
import * as Processors from "../../src/adapters/processors/Processors.ts"
import { type PaymentProcessor, PaymentProcessors } from "../../src/ports/payments/PaymentProcessors.ts"

/** The test processor as it is changed: whatever is asked of it goes by there. */
export const changedProcessors = (change: (inner: PaymentProcessor) => PaymentProcessor) =>
  Layer.effect(
    PaymentProcessors,
    Effect.map(PaymentProcessors, (inner) =>
      PaymentProcessors.of({ find: (name) => Option.map(inner.find(name), change) })
    )
  ).pipe(Layer.provide(Processors.layer()))
