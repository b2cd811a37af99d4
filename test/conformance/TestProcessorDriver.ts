import { Effect, Layer, Option, Result } from "effect"
import * as TestProcessor from "../../src/adapters/processors/test/TestProcessor.ts"
import { type Move, moveTestCharge } from "../../src/app/payments/charge/TestChargeMove.ts"
import * as Bank from "../../src/domain/payments/TestBank.ts"
import { standardAccount } from "../../src/domain/payments/TestCharge.ts"
import type { OrganisationStore } from "../../src/ports/access/OrganisationStore.ts"
import type { Tokens } from "../../src/ports/kernel/Tokens.ts"
import type { Transaction } from "../../src/ports/kernel/Transaction.ts"
import { Transaction as TransactionPort } from "../../src/ports/kernel/Transaction.ts"
import {
  type ChargeContext,
  type PaymentProcessor,
  PaymentProcessors
} from "../../src/ports/payments/PaymentProcessors.ts"
import { TestBank } from "../../src/ports/payments/TestBank.ts"
import { ProcessorUnderTest } from "../../src/testing/conformance/ProcessorDriver.ts"
import { integrationOf, newOrganisation } from "../../src/testing/conformance/Records.ts"
import { macsAndTokens } from "./Seal.ts"

const sumOf = (parts: ReadonlyArray<{ readonly amount_cents: number }>): number =>
  parts.reduce((sum, { amount_cents }) => sum + amount_cents, 0)

/** The test processor as the checks of payment processors move it; `change` makes it a worse one. */
export const testProcessor = <E>(
  stores: Layer.Layer<TestBank | OrganisationStore | Transaction, E>,
  change: (good: PaymentProcessor) => Partial<PaymentProcessor> = () => ({})
): Layer.Layer<ProcessorUnderTest, E> =>
  Layer.effect(
    ProcessorUnderTest,
    Effect.gen(function* () {
      const context = yield* Effect.context<TestBank | OrganisationStore | Transaction | Tokens>()
      const bank = yield* TestBank
      const transaction = yield* TransactionPort
      const good = Option.getOrThrow((yield* PaymentProcessors).find("test"))

      const here = <A, E>(effect: Effect.Effect<A, E, TestBank | OrganisationStore | Transaction | Tokens>) =>
        Effect.orDie(Effect.provideContext(effect, context))
      const move = ({ charge }: ChargeContext, how: Move) =>
        Effect.asVoid(here(transaction.run(moveTestCharge(charge.organisation_id, charge.id, how))))
      const all = ({ charge }: ChargeContext) => bank.ofCharge(charge.organisation_id, charge.id)
      const accountOf = ({ id, organisation_id }: ChargeContext["integration"]) =>
        Effect.map(
          bank.account(organisation_id, id),
          Option.getOrElse(() => standardAccount(organisation_id, id))
        )

      return ProcessorUnderTest.of({
        processor: { ...good, ...change(good) },
        account: here(Effect.flatMap(newOrganisation({ is_sandbox: true }), ({ id }) => integrationOf(id))),
        tokens: {
          card: {
            succeeds: "4242424242424242",
            declined: { token: "4000 0000 0000 9995", code: "insufficient_funds" },
            waits: "4000-0027-6000-3184"
          },
          au_becs_debit: { processes: "000000 800123456" },
          payto: { waits: "Waits@example.com" }
        },
        taken: (charging) =>
          Effect.map(all(charging), (charges) => sumOf(charges.filter(({ status }) => status === "succeeded"))),
        paidBack: (charging) =>
          Effect.map(all(charging), (charges) =>
            sumOf(charges.flatMap(({ refunds }) => refunds.filter(({ status }) => status !== "failed")))
          ),
        approve: (charging) => move(charging, Bank.approve),
        settle: (charging) => move(charging, Bank.settle),
        refundThere: (charging, amount_cents) =>
          move(charging, (charge, now) =>
            Result.map(
              Bank.refund(charge, { refund_id: null, idempotency_key: null, amount_cents }, now),
              (refunded) => refunded.charge
            )
          ),
        failRefund: (charging) => move(charging, Bank.refundFailed),
        dispute: (charging) => move(charging, (charge, now) => Bank.dispute(charge, null, now)),
        winDispute: (charging) => move(charging, Bank.disputeWon),
        loseDispute: (charging) => move(charging, Bank.disputeLost),
        forgetKeys: (charging) =>
          move(charging, (charge) =>
            Result.succeed({
              ...charge,
              idempotency_key: null,
              refunds: charge.refunds.map((refund) => ({ ...refund, idempotency_key: null }))
            })
          ),
        lose: (account, what) =>
          Effect.flatMap(accountOf(account), (before) =>
            bank.setAccount({
              ...before,
              reach: what === null ? "REACHED" : what === "requests" ? "LOST" : "ANSWER_LOST"
            })
          ),
        disable: (account) =>
          Effect.flatMap(accountOf(account), (before) => bank.setAccount({ ...before, charges_enabled: false })),
        sharedOut: (charging) =>
          Effect.map(all(charging), (charges) =>
            sumOf(charges.flatMap(({ transfers }) => transfers.filter(({ reversal }) => reversal === undefined)))
          ),
        // The form is never there: the link leads back at once.
        fillIn: Effect.succeed,
        refuseTransfers: (account, until) =>
          Effect.flatMap(accountOf(account), (before) =>
            bank.setAccount({ ...before, transfers: until === "now" ? "REFUSED" : "CLOSED" })
          )
      })
    })
  ).pipe(Layer.provide(TestProcessor.layer), Layer.provide(Layer.merge(stores, macsAndTokens)))
