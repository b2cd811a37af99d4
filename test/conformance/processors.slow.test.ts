import { Layer } from "effect"
import * as Conformance from "../../src/testing/Conformance.ts"
import { everyKind } from "../support/Stores.ts"
import { memory } from "./Adapters.ts"
import { secretBox } from "./Seal.ts"
import { stripeProcessor } from "./StripeDriver.ts"
import { testProcessor } from "./TestProcessorDriver.ts"

for (const [name, stores] of everyKind) {
  const layer = testProcessor(Layer.provide(stores, secretBox))
  Conformance.paymentProcessor(`the test processor over ${name}`, { layer })
}

const sealed = Layer.merge(memory, secretBox)

Conformance.paymentProcessor("Stripe over a double of it", { layer: stripeProcessor(sealed) })
Conformance.paymentProcessor("Stripe with accounts' own keys", { layer: stripeProcessor(sealed, { isOwn: true }) })
