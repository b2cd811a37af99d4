import { assert, describe, it } from "@effect/vitest"
import { type Context, Effect, Exit } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll } from "vitest"
import { IntegrationStore } from "../../src/ports/access/IntegrationStore.ts"
import { CheckoutLinkStore } from "../../src/ports/giving/CheckoutLinkStore.ts"
import { ConsentPromptStore } from "../../src/ports/giving/ConsentPromptStore.ts"
import { ContactLogStore } from "../../src/ports/giving/ContactLogStore.ts"
import { DonationFormStore } from "../../src/ports/giving/DonationFormStore.ts"
import { DonationStore } from "../../src/ports/giving/DonationStore.ts"
import { DonorStore } from "../../src/ports/giving/DonorStore.ts"
import { RefundStore } from "../../src/ports/giving/RefundStore.ts"
import { RevenueCodeStore } from "../../src/ports/giving/RevenueCodeStore.ts"
import { CampaignStore } from "../../src/ports/insight/CampaignStore.ts"
import { WebhookEndpointStore } from "../../src/ports/outbox/WebhookEndpointStore.ts"
import { ChargeStore } from "../../src/ports/payments/ChargeStore.ts"
import { DisputeStore } from "../../src/ports/payments/DisputeStore.ts"
import { InvoiceStore } from "../../src/ports/payments/InvoiceStore.ts"
import { MandateStore } from "../../src/ports/payments/MandateStore.ts"
import { PaymentExceptionStore } from "../../src/ports/payments/PaymentExceptionStore.ts"
import { SubscriptionStore } from "../../src/ports/payments/SubscriptionStore.ts"
import { IntroductionStore } from "../../src/ports/sharing/IntroductionStore.ts"
import { PaymentStore } from "../../src/ports/sharing/PaymentStore.ts"
import { RecipientAccountStore } from "../../src/ports/sharing/RecipientAccountStore.ts"
import { RecommendationSetStore } from "../../src/ports/sharing/RecommendationSetStore.ts"
import { TransferAttemptStore } from "../../src/ports/sharing/TransferAttemptStore.ts"
import type { Stores } from "../../src/testing/Conformance.ts"
import type { KeptBy, StoredRecord } from "../../src/testing/conformance/RecordStores.ts"
import { plain } from "../../src/testing/conformance/Suite.ts"
import { Checks, Generators } from "../../src/testing.ts"
import { faultsOf, faulty } from "./BrokenRecords.ts"

/** A store of records in memory whose faults the kit must find. */
interface Subject {
  readonly name: string
  /** The names of the faults that the kit does not find. */
  readonly missed: Effect.Effect<ReadonlyArray<string>>
}

/** Few cases show most faults; most inputs draw nothing that shows the others. */
const rounds = [8, 250]

/** The fields of records that have more than one value. */
const varying = (records: ReadonlyArray<object>): ReadonlyArray<string> =>
  Object.keys(records[0] ?? {}).filter(
    (field) => new Set(records.map((record) => JSON.stringify(plain(Reflect.get(record, field))))).size > 1
  )

/** The checks that the kit makes of records called `name`, and the faults of their store that none of them finds. */
const subject = <I extends Stores, A extends StoredRecord, S extends KeptBy<A>>(
  name: string,
  port: Context.Service<I, S>,
  arbitrary: fc.Arbitrary<A>,
  checksOf: (given: Checks.DonorSubject) => ReadonlyArray<Checks.Check<Stores>>
): Subject => {
  const checks = rounds
    .flatMap((runs) => checksOf({ runs, serial: true }))
    .filter((each) => each.name.startsWith(`${name} are`) || each.name.startsWith(`${name}:`))
  const faults = faultsOf<A>(varying(fc.sample(arbitrary, { seed: 1, numRuns: 50 })))
  const isMissed = Effect.fnUntraced(function* ([, fault]: (typeof faults)[number]) {
    for (const { check } of checks) {
      if (Exit.isFailure(yield* Effect.exit(Effect.provide(check, faulty(port, fault))))) return false
    }
    return true
  })
  return { name, missed: Effect.map(Effect.filter(faults, isMissed), (all) => all.map(([fault]) => fault)) }
}

const subjects: ReadonlyArray<Subject> = [
  subject("integrations", IntegrationStore, Generators.integration, Checks.integrationStore),
  subject("donors", DonorStore, Generators.donor, Checks.donorStore),
  subject("donations", DonationStore, Generators.donation, Checks.donationStore),
  subject("refunds", RefundStore, Generators.refund, Checks.refundStore),
  subject("contact logs", ContactLogStore, Generators.contactLog, Checks.contactLogStore),
  subject("consent prompts", ConsentPromptStore, Generators.consentPrompt, Checks.consentPromptStore),
  subject("revenue codes", RevenueCodeStore, Generators.revenueCode, Checks.revenueCodeStore),
  subject("donation forms", DonationFormStore, Generators.donationForm, Checks.donationFormStore),
  subject("checkout links", CheckoutLinkStore, Generators.checkoutLink, Checks.checkoutLinkStore),
  subject("campaigns", CampaignStore, Generators.campaign, Checks.campaignStore),
  subject("webhook endpoints", WebhookEndpointStore, Generators.webhookEndpoint, Checks.webhookEndpointStore),
  subject("charges", ChargeStore, Generators.charge, Checks.chargeStore),
  subject("disputes", DisputeStore, Generators.dispute, Checks.disputeStore),
  subject("invoices", InvoiceStore, Generators.invoice, Checks.invoiceStore),
  subject("mandates", MandateStore, Generators.mandate, Checks.mandateStore),
  subject("recurring gifts", SubscriptionStore, Generators.subscription, Checks.subscriptionStore),
  subject("payment exceptions", PaymentExceptionStore, Generators.paymentException, Checks.paymentExceptionStore),
  subject("introductions", IntroductionStore, Generators.introduction, Checks.introductionStore),
  subject("payments", PaymentStore, Generators.payment, Checks.paymentStore),
  subject("recipient accounts", RecipientAccountStore, Generators.recipientAccount, Checks.recipientAccountStore),
  subject("recommendation sets", RecommendationSetStore, Generators.recommendationSet, Checks.recommendationSetStore),
  subject("transfer attempts", TransferAttemptStore, Generators.transferAttempt, Checks.transferAttemptStore)
]

describe("of a store of records each fault of each method is caught:", () => {
  const before = fc.readConfigureGlobal()
  // The first case that fails is enough: nobody reads the smallest one.
  beforeAll(() => fc.configureGlobal({ ...before, endOnFailure: true }))
  afterAll(() => fc.configureGlobal(before))

  for (const { missed, name } of subjects) {
    it.live(name, () => Effect.map(missed, (faults) => assert.deepStrictEqual(faults, [])), 120_000)
  }
})
