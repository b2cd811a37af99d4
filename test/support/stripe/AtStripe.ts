import { afterAll, assert, beforeAll, describe } from "@effect/vitest"
import { Redacted } from "effect"
import * as Processors from "../../../src/adapters/processors/Processors.ts"
import { makeStripeProcessor } from "../../../src/adapters/processors/stripe/StripeProcessor.ts"
import { NoticeReceiver } from "../../../src/app/payments/notice/NoticeReceiver.ts"
import { Settler } from "../../../src/app/payments/Settler.ts"
import { startService } from "../Service.ts"
import { everyKind, type StoresLayer } from "../Stores.ts"
import { openStripeDouble, signedNotice } from "./StripeDouble.ts"

const secret = "whsec_double"

/** Starts a service whose sandboxes are served by a double of Stripe. */
const startAtStripe = async (stores: StoresLayer) => {
  const double = await openStripeDouble()
  const test = { secretKey: Redacted.make("sk_test_double"), noticeSecrets: [Redacted.make(secret)] }
  const processors = Processors.layer({ stripe: makeStripeProcessor({ test, baseUrl: double.url }) })
  const service = await startService({ stores, processors })
  return {
    double,
    service,
    /** The newest event of Stripe's reaches us, and is acted on. */
    hear: async () => {
      const { body, headers } = signedNotice(
        JSON.stringify(double.events.at(-1)),
        secret,
        Math.floor(service.clock.now / 1_000)
      )
      const address = { _tag: "Platform", processor: "stripe" } as const
      await service.run(NoticeReceiver.use((intake) => intake.receive(address, headers, body)))
      await service.run(Settler.use(({ settleDue }) => settleDue))
    },
    stop: async () => {
      await service.stop()
      await double.close()
    }
  } as const
}

/** A service at a double of Stripe. */
type AtStripe = Awaited<ReturnType<typeof startAtStripe>>

/** Describes what a service does at a double of Stripe, over every kind of stores; `at` has them once the tests run. */
export const describeAtStripe = (title: string, tests: (at: () => AtStripe) => void): void => {
  for (const [name, stores] of everyKind) {
    describe(`${title}, over ${name}`, () => {
      let started: AtStripe | undefined
      beforeAll(async () => {
        started = await startAtStripe(stores)
      })
      afterAll(() => started?.stop())
      tests(() => started ?? assert.fail("It was not started"))
    })
  }
}
