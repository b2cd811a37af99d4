import { Effect, Layer, Redacted, Result } from "effect"
import { makeStripeProcessor } from "../../../src/adapters/processors/stripe/StripeProcessor.ts"
import type { Charge } from "../../../src/domain/payments/Charge.ts"
import type { ChargeContext, ProcessorFailure } from "../../../src/ports/payments/PaymentProcessors.ts"
import { chargeOf } from "../../../src/testing/conformance/ProcessorDriver.ts"
import { integrationOf, newOrganisation } from "../../../src/testing/conformance/Records.ts"
import { memory } from "../../conformance/Adapters.ts"
import { secretBox } from "../../conformance/Seal.ts"
import { stripeDouble } from "../../support/stripe/StripeDouble.ts"

/** The secrets of the world's platform: the second and the third are test mode's. */
export const secrets = ["whsec_live", "whsec_old", "whsec_new"] as const

export const codeOf = <A>(asked: Effect.Effect<A, ProcessorFailure>) =>
  Effect.map(Effect.result(asked), (result) => {
    if (Result.isSuccess(result)) return "done"
    const { failure } = result
    return failure._tag === "ProcessorRefused" ? `refused ${failure.code}` : `unreached ${failure.reason}`
  })

/** The body of a request, as a flat form. */
export const bodyOf = (body = "") => Object.fromEntries(new URLSearchParams(body))

/** The adapter over a double, with an account of a sandbox; live mode has a key, too. */
export const world = Effect.gen(function* () {
  const double = yield* stripeDouble
  const processor = yield* makeStripeProcessor({
    live: { secretKey: Redacted.make("sk_live_double"), noticeSecrets: [Redacted.make(secrets[0])] },
    test: {
      secretKey: Redacted.make("sk_test_double"),
      publishableKey: "pk_test_double",
      noticeSecrets: [Redacted.make(secrets[1]), Redacted.make(secrets[2])]
    },
    baseUrl: double.url
  })
  const accountIn = Effect.fnUntraced(function* (is_sandbox: boolean) {
    const { id } = yield* newOrganisation({ is_sandbox })
    const integration = yield* integrationOf(id)
    return { ...integration, processor: "stripe", processor_connect_account_id: `acct_${integration.id}` }
  })
  const integration = yield* accountIn(true)

  /** A charge that nothing was done about yet. */
  const charging = Effect.fnUntraced(function* (given: Partial<Charge> = {}) {
    const fresh: ChargeContext = {
      integration,
      charge: yield* chargeOf(integration, { amount_cents: 5_000, ...given })
    }
    return fresh
  })

  /** A charge that was begun, with its reference. */
  const begun = Effect.fnUntraced(function* (given: Partial<Charge> = {}) {
    const fresh = yield* charging(given)
    const { reference } = yield* processor.begin(fresh)
    return { ...fresh, charge: { ...fresh.charge, reference } }
  })

  const paid = Effect.fnUntraced(function* (given: Partial<Charge> = {}) {
    const ready = yield* begun(given)
    yield* processor.confirm(ready, "pm_card_visa")
    return ready
  })

  return { accountIn, begun, charging, double, integration, paid, processor } as const
})

/** Runs a test over stores in memory. */
export const over = Layer.fresh(Layer.merge(memory, secretBox))
