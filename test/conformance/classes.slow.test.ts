import { Context, Effect, Layer } from "effect"
import * as Conformance from "../../src/testing/Conformance.ts"
import { type ProcessorDriver, ProcessorUnderTest } from "../../src/testing/conformance/ProcessorDriver.ts"
import { asClass } from "../support/PrivateFields.ts"
import * as adapters from "./Adapters.ts"
import { secretBox } from "./Seal.ts"
import { testProcessor } from "./TestProcessorDriver.ts"

/** The services of a layer, each as an instance of a class with private fields. */
const classes = <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.flatMap(layer, (made) =>
    Layer.succeedContext(
      Context.makeUnsafe<A>(
        new Map(
          [...made.mapUnsafe].map(([key, service]) => [key, key.startsWith("almoner/") ? asClass(service) : service])
        )
      )
    )
  )

/** The checks of adapters go through each of their methods. */
Conformance.conformance("stores as classes", { layer: classes(adapters.memory), serial: true, runs: 1 })
Conformance.rateLimiter("a limiter as a class", {
  layer: (size) => classes(adapters.rateLimiter.layer(size)),
  readsClock: true,
  runs: 1
})
Conformance.secretBox("a box as a class", { layer: (ring) => classes(adapters.secretBox.layer(ring)), runs: 1 })
Conformance.macs("macs as a class", { layer: (ring) => classes(adapters.macs.layer(ring)), runs: 1 })
Conformance.mailTransport("a mail transport as a class", {
  layer: classes(adapters.mailTransport.layer),
  unable: classes(adapters.mailTransport.unable)
})
Conformance.webhookTransport("a transport as a class", {
  ...adapters.webhookTransport,
  layer: (resolve) => classes(adapters.webhookTransport.layer(resolve))
})

const inParts = ({ processor, ...driver }: ProcessorDriver): ProcessorDriver => ({
  ...driver,
  processor: asClass({
    ...processor,
    ...(processor.transfers === undefined ? {} : { transfers: asClass(processor.transfers) })
  })
})

Conformance.paymentProcessor("a processor as a class", {
  layer: Layer.effect(ProcessorUnderTest, Effect.map(ProcessorUnderTest, inParts)).pipe(
    Layer.provide(testProcessor(Layer.provide(adapters.memory, secretBox)))
  )
})
