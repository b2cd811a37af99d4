import { assert, describe } from "@effect/vitest"
import { Redacted } from "effect"
import { makeStripeProcessor } from "../../../src/adapters/processors/stripe/StripeProcessor.ts"
import { chargeOf, chargeRefundOf } from "../../../src/testing/conformance/ProcessorDriver.ts"
import { integrationOf, newOrganisation } from "../../../src/testing/conformance/Records.ts"
import { withFresh } from "../../support/Steps.ts"
import { over } from "./World.ts"

const { STRIPE_TEST_ACCOUNT: account, STRIPE_TEST_KEY: key } = process.env

const isThere = key !== undefined && account !== undefined

// Stripe's real test mode, with a connected account that takes charges.
describe.skipIf(!isThere)("Stripe's test mode (skipped without STRIPE_TEST_KEY and STRIPE_TEST_ACCOUNT)", () => {
  withFresh(over).live("takes a gift, declines one, and pays one back", function* () {
    const processor = yield* makeStripeProcessor({ test: { secretKey: Redacted.make(key ?? "") } })
    const { id } = yield* newOrganisation({ is_sandbox: true })
    const given = { processor: "stripe", processor_connect_account_id: account ?? "" }
    const integration = { ...(yield* integrationOf(id)), ...given }
    assert.isTrue((yield* processor.fetchAccount(integration)).charges_enabled)
    for (const [token, status] of [
      ["pm_card_visa", "succeeded"],
      ["pm_card_visa_chargeDeclined", "failed"]
    ] as const) {
      const charging = { integration, charge: yield* chargeOf(integration, { amount_cents: 5_000 }) }
      const { reference } = yield* processor.begin(charging)
      const ready = { integration, charge: { ...charging.charge, reference } }
      yield* processor.confirm(ready, token)
      assert.strictEqual((yield* processor.fetchCharge(ready)).status, status)
      assert.strictEqual((yield* processor.fetchCharge(charging)).reference, reference)
      if (status === "succeeded") {
        const refund = yield* chargeRefundOf(ready, 2_000)
        assert.deepStrictEqual(yield* processor.refund(ready, refund), yield* processor.refund(ready, refund))
        assert.lengthOf((yield* processor.fetchCharge(ready)).refunds, 1)
      }
    }
  })
})
