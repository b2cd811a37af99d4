import { Effect, Layer, Option } from "effect"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import type { Macs } from "../../ports/kernel/Macs.ts"
import type { SecretBox } from "../../ports/kernel/SecretBox.ts"
import type { Tokens } from "../../ports/kernel/Tokens.ts"
import type { Transaction } from "../../ports/kernel/Transaction.ts"
import type { ChargeStore } from "../../ports/payments/ChargeStore.ts"
import type { CreditStore } from "../../ports/payments/CreditStore.ts"
import { type ChargeContext, type PaymentProcessor, PaymentProcessors } from "../../ports/payments/PaymentProcessors.ts"
import type { TestBank } from "../../ports/payments/TestBank.ts"
import * as BankProcessor from "./bank/BankProcessor.ts"
import * as TestProcessor from "./test/TestProcessor.ts"

/** Processors by their names, beside those that every installation has: Stripe with the operator's accounts, and a host's own. */
export type MoreProcessors<E = never> = Readonly<
  Record<string, Effect.Effect<PaymentProcessor, E, OrganisationStore | SecretBox> | undefined>
>

/** The test processor takes bank transfers, too: to an account that no bank has, with the credits that somebody imports. */
const withTransfers = (test: PaymentProcessor, bank: PaymentProcessor): PaymentProcessor => {
  const of = ({ charge }: ChargeContext): PaymentProcessor => (charge.method === "bank_transfer" ? bank : test)
  return {
    ...test,
    capabilities: { ...test.capabilities, methods: [...test.capabilities.methods, ...bank.capabilities.methods] },
    begin: (charging) => of(charging).begin(charging),
    confirm: (charging, payment_token) => of(charging).confirm(charging, payment_token),
    cancel: (charging) => of(charging).cancel(charging),
    fetchCharge: (charging) => of(charging).fetchCharge(charging),
    nextStep: (charging) => of(charging).nextStep(charging),
    refund: (charging, refund) => of(charging).refund(charging, refund)
  }
}

type Needed = ChargeStore | CreditStore | Macs | OrganisationStore | SecretBox | TestBank | Tokens | Transaction

/** The payment processors of an installation, by the names that integrations have of them. */
export const layer = <E = never>(more: MoreProcessors<E> = {}): Layer.Layer<PaymentProcessors, E, Needed> =>
  Layer.effect(
    PaymentProcessors,
    Effect.gen(function* () {
      const bank = yield* BankProcessor.makeBank
      const byName = new Map([
        [TestProcessor.name, withTransfers(yield* TestProcessor.make, bank)],
        [BankProcessor.name, bank]
      ])
      for (const [name, make] of Object.entries(more)) if (make !== undefined) byName.set(name, yield* make)
      return PaymentProcessors.of({ find: (name) => Option.fromNullishOr(byName.get(name)) })
    })
  )
