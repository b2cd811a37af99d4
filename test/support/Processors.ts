import { Layer, Option } from "effect"
import * as Processors from "../../src/adapters/processors/Processors.ts"
import { type PaymentProcessor, PaymentProcessors } from "../../src/ports/payments/PaymentProcessors.ts"
import { changePort } from "./ChangePort.ts"

/** The test processor as it is changed: whatever is asked of it goes by there. */
export const changedProcessors = (change: (inner: PaymentProcessor) => PaymentProcessor) =>
  changePort(PaymentProcessors, (inner) => ({ find: (name) => Option.map(inner.find(name), change) })).pipe(
    Layer.provide(Processors.layer())
  )
