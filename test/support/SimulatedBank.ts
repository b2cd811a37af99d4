import { DateTime, Effect, Layer, Option } from "effect"
import * as Stores from "../../src/adapters/memory/Stores.ts"
import * as TestProcessor from "../../src/adapters/processors/test/TestProcessor.ts"
import { type Move, moveTestCharge } from "../../src/app/payments/charge/TestChargeMove.ts"
import { type Reach, standardAccount } from "../../src/domain/payments/TestCharge.ts"
import { type ChargeContext, PaymentProcessors, TestBank, Transaction } from "../../src/ports.ts"
import { integrationOf, newOrganisation } from "../../src/testing/conformance/Records.ts"
import { macsAndTokens, secretBox } from "../conformance/Seal.ts"

/** The test processor over a bank in memory. */
export const simulatedBank = TestProcessor.layer.pipe(
  Layer.provideMerge(Stores.layer),
  Layer.provideMerge(Layer.merge(macsAndTokens, secretBox))
)

/** A new account, its processor, and the hand that moves what the bank has. */
export const openAccount = Effect.gen(function* () {
  const bank = yield* TestBank
  const transaction = yield* Transaction
  const processor = Option.getOrThrow((yield* PaymentProcessors).find("test"))
  const { id: organisation_id } = yield* newOrganisation({ is_sandbox: true })
  const integration = yield* integrationOf(organisation_id)
  return {
    integration,
    processor,
    bank,
    /** Moves a charge by hand, where the bank does that. */
    move: ({ charge }: ChargeContext, how: Move) =>
      Effect.ignore(transaction.run(moveTestCharge(organisation_id, charge.id, how))),
    reach: (reach: Reach) => bank.setAccount({ ...standardAccount(organisation_id, integration.id), reach }),
    now: Effect.map(DateTime.now, DateTime.toUtc)
  }
})

/** An account of the simulated bank under test. */
export type OpenAccount = Effect.Success<typeof openAccount>
