import { Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, it } from "vitest"
import * as Checks from "./conformance/Checks.ts"

export type {
  AddressesSubject,
  Behaviour,
  Check,
  DonorSubject,
  DonorTokens,
  LimiterSubject,
  MacsSubject,
  MailTransportSubject,
  ProcessorDriver,
  Received,
  Receiver,
  SecretBoxSubject,
  Thoroughness,
  TransactionRecords,
  TransactionSubject,
  TransportSubject
} from "./conformance/Checks.ts"

/** The longest that a check may take, milliseconds. Checks of deadlines wait for them. */
const checkMillis = 120_000

/** The ports that a list of checks asks for. */
type Needs<Checked> = Checked extends ReadonlyArray<Checks.Check<infer R>> ? R : never

/** Every store port, and {@link DeliverySignal}. */
export type Stores = Needs<ReturnType<typeof storeChecks>[keyof ReturnType<typeof storeChecks>]>

/** A layer that is made once for the whole suite: each check works in organisations of its own. */
interface Provided<R, E> {
  readonly layer: Layer.Layer<R, E>
}

/** Stores under test, all of them together. */
export interface Subject<E> extends Checks.DonorSubject, Provided<Stores, E> {}

const addTo = <R, E>(runtime: ManagedRuntime.ManagedRuntime<R, E>, checks: ReadonlyArray<Checks.Check<R>>): void => {
  for (const { check, name } of checks) it(name, () => runtime.runPromise(check), checkMillis)
}

/** A suite over a layer, which is made once, before the first check. */
const shared = <R, E>(
  name: string,
  layer: Layer.Layer<R, E>,
  add: (runtime: ManagedRuntime.ManagedRuntime<R, E>) => void
): void => {
  describe(name, () => {
    const runtime = ManagedRuntime.make(layer)
    beforeAll(() => runtime.context(), checkMillis)
    afterAll(() => runtime.dispose(), checkMillis)
    add(runtime)
  })
}

const register = <R, E>(name: string, layer: Layer.Layer<R, E>, checks: ReadonlyArray<Checks.Check<R>>): void =>
  shared(name, layer, (runtime) => addTo(runtime, checks))

/** Checks that build their adapters themselves, each in its own way. */
const registerAlone = (name: string, checks: ReadonlyArray<Checks.Check>): void => register(name, Layer.empty, checks)

/** The suite of a port: its layer holds the adapter and the ports that the checks are set up with. */
const suiteOf =
  <R>(checksOf: (given: Checks.Thoroughness) => ReadonlyArray<Checks.Check<R>>) =>
  <E>(name: string, subject: Provided<R, E> & Checks.Thoroughness): void =>
    register(name, subject.layer, checksOf(subject))

/** Registers what every `ApiKeyStore` must do, as a vitest suite. */
export const apiKeyStore = suiteOf(Checks.apiKeyStore)

/** Registers what every `AuditStore` must do, as a vitest suite. */
export const auditStore = suiteOf(Checks.auditStore)

/** Registers what every `ContactLogStore` must do, as a vitest suite. */
export const contactLogStore = suiteOf(Checks.contactLogStore)

/** Registers what every `DeliverySignal` must do, as a vitest suite. */
export const deliverySignal = suiteOf(Checks.deliverySignal)

/** Registers what every `DeliveryStore` must do, as a vitest suite. No other delivery may be pending in it. */
export const deliveryStore = suiteOf(Checks.deliveryStore)

/** Registers what every `ChargeStore` must do, as a vitest suite. No other charge may be looked at in it. */
export const chargeStore = suiteOf(Checks.chargeStore)

/** Registers what every `DisputeStore` must do, as a vitest suite. */
export const disputeStore = suiteOf(Checks.disputeStore)

/** Registers what every `LedgerStore` must do, as a vitest suite. */
export const ledgerStore = suiteOf(Checks.ledgerStore)

/** Registers what every `PaymentExceptionStore` must do, as a vitest suite. */
export const paymentExceptionStore = suiteOf(Checks.paymentExceptionStore)

/** Registers what every `TariffStore` must do, as a vitest suite. */
export const tariffStore = suiteOf(Checks.tariffStore)

/** Registers what every `CheckoutLinkStore` must do, as a vitest suite. */
export const checkoutLinkStore = suiteOf(Checks.checkoutLinkStore)

/** Registers what every `EventConsumerStore` must do, as a vitest suite. */
export const eventConsumerStore = suiteOf(Checks.eventConsumerStore)

/** Registers what every `DonationFormStore` must do, as a vitest suite. */
export const donationFormStore = suiteOf(Checks.donationFormStore)

/** Registers what every `DonationIntake` must do, as a vitest suite. */
export const donationIntake = suiteOf(Checks.donationIntake)

/** Registers what every `DonationStore` must do, as a vitest suite. */
export const donationStore = suiteOf(Checks.donationStore)

/** Registers what every `IdempotencyStore` must do, as a vitest suite. */
export const idempotencyStore = suiteOf(Checks.idempotencyStore)

/** Registers what every `IntegrationStore` must do, as a vitest suite. */
export const integrationStore = suiteOf(Checks.integrationStore)

/** Registers what every `LinkedOrganisationStore` must do, as a vitest suite. */
export const linkedOrganisationStore = suiteOf(Checks.linkedOrganisationStore)

/** Registers what every `IntroductionStore` must do, as a vitest suite. */
export const introductionStore = suiteOf(Checks.introductionStore)

/** Registers what every `MailOutbox` must do, as a vitest suite. No other mail may be pending in it. */
export const mailOutbox = suiteOf(Checks.mailOutbox)

/** Registers what every `UserStore` must do, as a vitest suite. */
export const userStore = suiteOf(Checks.userStore)

/** Registers what every `OrganisationStore` must do, as a vitest suite. */
export const organisationStore = suiteOf(Checks.organisationStore)

/** Registers what every `Outbox` must do, as a vitest suite. */
export const outbox = suiteOf(Checks.outbox)

/** Registers what every `PassphraseFailures` must do, as a vitest suite. */
export const passphraseFailures = suiteOf(Checks.passphraseFailures)

/** Registers what every `RecipientAccountStore` must do, as a vitest suite. */
export const recipientAccountStore = suiteOf(Checks.recipientAccountStore)

/** Registers what every `RecommendationSetStore` must do, as a vitest suite. */
export const recommendationSetStore = suiteOf(Checks.recommendationSetStore)

/** Registers what every `PaymentProcessor` must do, as a vitest suite: its layer is a driver of it. */
export const paymentProcessor = suiteOf(Checks.paymentProcessor)

/** Registers what every `PaymentStore` must do, as a vitest suite. */
export const paymentStore = suiteOf(Checks.paymentStore)

/** Registers what every `RefundStore` must do, as a vitest suite. */
export const refundStore = suiteOf(Checks.refundStore)

/** Registers what every `RevenueCodeStore` must do, as a vitest suite. */
export const revenueCodeStore = suiteOf(Checks.revenueCodeStore)

/** Registers what every `CampaignStore` must do, as a vitest suite. */
export const campaignStore = suiteOf(Checks.campaignStore)

/** Registers what every `ScoreStore` must do, as a vitest suite. */
export const scoreStore = suiteOf(Checks.scoreStore)

/** Registers what every `SealedStore` must do, as a vitest suite. */
export const sealedStore = suiteOf(Checks.sealedStore)

/** Registers what every `SegmentStore` must do, as a vitest suite. */
export const segmentStore = suiteOf(Checks.segmentStore)

/** Registers what every `TestBank` must do, as a vitest suite. */
export const testBank = suiteOf(Checks.testBank)

/** Registers what every `Tokens` must do, as a vitest suite. */
export const tokens = suiteOf(Checks.tokens)

/** Registers what every `WebhookEndpointStore` must do, as a vitest suite. */
export const webhookEndpointStore = suiteOf(Checks.webhookEndpointStore)

/** Registers what every `WebhookSigner` must do, as a vitest suite. */
export const webhookSigner = suiteOf(Checks.webhookSigner)

/** Registers what every `DonorStore` must do, as a vitest suite. */
export const donorStore = <E>(
  name: string,
  subject: Checks.DonorSubject & Provided<Needs<ReturnType<typeof Checks.donorStore>>, E>
): void => register(name, subject.layer, Checks.donorStore(subject))

/** Registers what every `Transaction` must do, as a vitest suite: over a store that takes part in it. */
export const transaction = <R, E>(
  name: string,
  subject: Checks.TransactionSubject<R> & Provided<Needs<ReturnType<typeof Checks.transaction<never>>> | R, E>
): void => register(name, subject.layer, Checks.transaction(subject))

/** Registers what every `RateLimiter` must do, as a vitest suite. */
export const rateLimiter = <E>(name: string, subject: Checks.LimiterSubject<E>): void =>
  registerAlone(name, Checks.rateLimiter(subject))

/** Registers what every `Macs` must do, as a vitest suite. */
export const macs = <E>(name: string, subject: Checks.MacsSubject<E>): void => registerAlone(name, Checks.macs(subject))

/** Registers what every `MailTransport` must do, as a vitest suite. */
export const mailTransport = <E>(name: string, subject: Checks.MailTransportSubject<E>): void =>
  registerAlone(name, Checks.mailTransport(subject))

/** Registers what every `SecretBox` must do, as a vitest suite. */
export const secretBox = <E>(name: string, subject: Checks.SecretBoxSubject<E>): void =>
  registerAlone(name, Checks.secretBox(subject))

/** Registers what every `WebhookAddresses` must do, as a vitest suite. */
export const webhookAddresses = <E>(name: string, subject: Checks.AddressesSubject<E>): void =>
  registerAlone(name, Checks.webhookAddresses(subject))

/** Registers what every `WebhookTransport` must do, as a vitest suite. */
export const webhookTransport = <E>(name: string, subject: Checks.TransportSubject<E>): void =>
  registerAlone(name, Checks.webhookTransport(subject))

/** The checks of every store port, by the port's name. */
const storeChecks = (subject: Checks.DonorSubject) => ({
  Transaction: Checks.transaction({ ...subject, records: Checks.donorRecords }),
  OrganisationStore: Checks.organisationStore(subject),
  ApiKeyStore: Checks.apiKeyStore(subject),
  DonorStore: Checks.donorStore(subject),
  ContactLogStore: Checks.contactLogStore(subject),
  DonationStore: Checks.donationStore(subject),
  RefundStore: Checks.refundStore(subject),
  IntegrationStore: Checks.integrationStore(subject),
  ChargeStore: Checks.chargeStore(subject),
  DisputeStore: Checks.disputeStore(subject),
  LedgerStore: Checks.ledgerStore(subject),
  PaymentExceptionStore: Checks.paymentExceptionStore(subject),
  TariffStore: Checks.tariffStore(subject),
  RecipientAccountStore: Checks.recipientAccountStore(subject),
  RecommendationSetStore: Checks.recommendationSetStore(subject),
  PaymentStore: Checks.paymentStore(subject),
  LinkedOrganisationStore: Checks.linkedOrganisationStore(subject),
  PassphraseFailures: Checks.passphraseFailures(subject),
  UserStore: Checks.userStore(subject),
  IntroductionStore: Checks.introductionStore(subject),
  MailOutbox: Checks.mailOutbox(subject),
  RevenueCodeStore: Checks.revenueCodeStore(subject),
  DonationFormStore: Checks.donationFormStore(subject),
  CheckoutLinkStore: Checks.checkoutLinkStore(subject),
  CampaignStore: Checks.campaignStore(subject),
  ScoreStore: Checks.scoreStore(subject),
  SealedStore: Checks.sealedStore(subject),
  SegmentStore: Checks.segmentStore(subject),
  TestBank: Checks.testBank(subject),
  WebhookEndpointStore: Checks.webhookEndpointStore(subject),
  DeliverySignal: Checks.deliverySignal(),
  Outbox: Checks.outbox(subject),
  DeliveryStore: Checks.deliveryStore(subject),
  EventConsumerStore: Checks.eventConsumerStore(subject),
  IdempotencyStore: Checks.idempotencyStore(subject),
  DonationIntake: Checks.donationIntake(subject),
  AuditStore: Checks.auditStore(subject)
})

/**
 * Registers what every adapter of the store ports must do, all ports together, as a vitest suite.
 *
 * ```ts
 * conformance("my stores", { layer: MyStores.layer, serial: false })
 * ```
 */
export const conformance = <E>(name: string, subject: Subject<E>): void =>
  shared(name, subject.layer, (runtime) => {
    for (const [port, checks] of Object.entries(storeChecks(subject))) {
      describe(port, () => addTo<Stores, E>(runtime, checks))
    }
  })
