import { Effect, Layer, Redacted } from "effect"
import { makeStripeProcessor } from "../../src/adapters/processors/stripe/StripeProcessor.ts"
import type { ChargeContext, OrganisationStore, SecretBox } from "../../src/ports.ts"
import { ProcessorUnderTest } from "../../src/testing/conformance/ProcessorDriver.ts"
import { integrationOf, newOrganisation } from "../../src/testing/conformance/Records.ts"
import { connectedAccountOf, ownAccountOf } from "../support/OwnAccounts.ts"
import { stripeDouble } from "../support/stripe/StripeDouble.ts"

/** The Stripe adapter over a double of Stripe, as the checks of payment processors move it. */
export const stripeProcessor = <R, E>(
  stores: Layer.Layer<OrganisationStore | SecretBox | R, E>,
  { isOwn = false }: { readonly isOwn?: boolean } = {}
): Layer.Layer<ProcessorUnderTest, E> =>
  Layer.effect(
    ProcessorUnderTest,
    Effect.gen(function* () {
      const context = yield* Effect.context<OrganisationStore | SecretBox | R>()
      const double = yield* stripeDouble
      const processor = yield* makeStripeProcessor({
        test: { secretKey: Redacted.make("sk_test_double") },
        baseUrl: double.url
      })
      const here = <A, E>(effect: Effect.Effect<A, E, OrganisationStore | SecretBox | R>) =>
        Effect.orDie(Effect.provideContext(effect, context))
      const move = (run: (charge_id: string) => void) => (charging: ChargeContext) =>
        Effect.sync(() => run(charging.charge.id))

      return ProcessorUnderTest.of({
        processor,
        account: here(
          Effect.flatMap(newOrganisation({ is_sandbox: true }), ({ id }) =>
            Effect.flatMap(integrationOf(id), (integration) =>
              isOwn ? ownAccountOf(double, integration) : Effect.succeed(connectedAccountOf(integration))
            )
          )
        ),
        tokens: {
          card: {
            succeeds: "pm_card_visa",
            declined: { token: "pm_card_visa_chargeDeclined", code: "generic_decline" },
            waits: "pm_card_authenticationRequired"
          },
          au_becs_debit: { processes: "ctoken_debit" },
          payto: { waits: "ctoken_payto" }
        },
        taken: ({ charge }) => Effect.sync(() => double.taken(charge.id)),
        paidBack: ({ charge }) => Effect.sync(() => double.paidBack(charge.id)),
        approve: move(double.approve),
        settle: move(double.settle),
        refundThere: ({ charge }, amount_cents) => Effect.sync(() => double.refundThere(charge.id, amount_cents)),
        failRefund: () => Effect.sync(double.failRefund),
        dispute: move(double.dispute),
        winDispute: move(double.winDispute),
        loseDispute: move(double.loseDispute),
        // Stripe keeps a key for a day, and a charge is begun within a quarter of an hour: only what goes on and back outlives its own.
        forgetKeys: () => Effect.sync(() => double.forgetKeys((key) => /^(?:rfd|rvs|trf)_/u.test(key))),
        lose: (_, what) => Effect.sync(() => double.lose(what)),
        disable: ({ processor_connect_account_id }) => Effect.sync(() => double.disable(processor_connect_account_id)),
        ...(isOwn ? { withoutTransfers: true } : {}),
        fillIn: (url) => Effect.sync(() => double.fillIn(url)),
        sharedOut: ({ charge }) => Effect.sync(() => double.sharedOut(charge.id)),
        refuseTransfers: ({ processor_connect_account_id: id }, until) =>
          Effect.sync(() => (until === "now" ? double.disable(id) : double.reject(id)))
      })
    })
  ).pipe(Layer.provide(stores))
