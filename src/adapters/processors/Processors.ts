import { Effect, Layer, Option } from "effect"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import type { Macs } from "../../ports/kernel/Macs.ts"
import type { Tokens } from "../../ports/kernel/Tokens.ts"
import type { Transaction } from "../../ports/kernel/Transaction.ts"
import { type PaymentProcessor, PaymentProcessors } from "../../ports/payments/PaymentProcessors.ts"
import type { TestBank } from "../../ports/payments/TestBank.ts"
import type { StripeOptions } from "./stripe/StripeOptions.ts"
import * as StripeProcessor from "./stripe/StripeProcessor.ts"
import * as TestProcessor from "./test/TestProcessor.ts"

/** What the processors of an installation need to know. */
export interface ProcessorOptions {
  /** The operator's accounts at Stripe; without any no integration can take gifts there. */
  readonly stripe?: StripeOptions | undefined
}

const hasPlatform = ({ live, test }: StripeOptions): boolean => live !== undefined || test !== undefined

/** The payment processors of an installation, by the names that integrations have of them. */
export const layer = ({
  stripe = {}
}: ProcessorOptions): Layer.Layer<PaymentProcessors, never, TestBank | OrganisationStore | Transaction | Macs | Tokens> =>
  Layer.effect(
    PaymentProcessors,
    Effect.gen(function* () {
      const byName = new Map<string, PaymentProcessor>([[TestProcessor.name, yield* TestProcessor.make]])
      if (hasPlatform(stripe)) byName.set(StripeProcessor.name, yield* StripeProcessor.makeStripeProcessor(stripe))
      return PaymentProcessors.of({ find: (name) => Option.fromNullishOr(byName.get(name)) })
    })
  )
