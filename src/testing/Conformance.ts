import { describe } from "vitest"
import * as Checks from "./conformance/Checks.ts"
import {
  addTo,
  type PortsOf,
  register,
  registerAlone,
  type SharedLayer,
  sharedSuite
} from "./conformance/Registration.ts"

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
  ReceivedRequest,
  Receiver,
  SecretBoxSubject,
  Thoroughness,
  TransactionRecords,
  TransactionSubject,
  TransportSubject
} from "./conformance/Checks.ts"
export * from "./conformance/Suites.ts"

/** Every store port, and {@link DeliverySignal}. */
export type Stores = PortsOf<ReturnType<typeof storeChecks>[keyof ReturnType<typeof storeChecks>]>

/** Stores under test, all of them together. */
export interface Subject<E> extends Checks.DonorSubject, SharedLayer<Stores, E> {}

/** Registers what every `DonorStore` must do, as a vitest suite. */
export const donorStore = <E>(
  name: string,
  subject: Checks.DonorSubject & SharedLayer<PortsOf<ReturnType<typeof Checks.donorStore>>, E>
): void => register(name, subject.layer, Checks.donorStore(subject))

/** Registers what every `Transaction` must do, as a vitest suite: over a store that takes part in it. */
export const transaction = <R, E>(
  name: string,
  subject: Checks.TransactionSubject<R> & SharedLayer<PortsOf<ReturnType<typeof Checks.transaction<never>>> | R, E>
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
  ConsentPromptStore: Checks.consentPromptStore(subject),
  ContactLogStore: Checks.contactLogStore(subject),
  DonationStore: Checks.donationStore(subject),
  RefundStore: Checks.refundStore(subject),
  IntegrationStore: Checks.integrationStore(subject),
  ChargeStore: Checks.chargeStore(subject),
  CreditStore: Checks.creditStore(subject),
  DisputeStore: Checks.disputeStore(subject),
  InvoiceStore: Checks.invoiceStore(subject),
  MandateStore: Checks.mandateStore(subject),
  SubscriptionStore: Checks.subscriptionStore(subject),
  TransferAttemptStore: Checks.transferAttemptStore(subject),
  LedgerStore: Checks.ledgerStore(subject),
  NoticeStore: Checks.noticeStore(subject),
  PaymentExceptionStore: Checks.paymentExceptionStore(subject),
  ReconciliationStore: Checks.reconciliationStore(subject),
  SandboxClockStore: Checks.sandboxClockStore(subject),
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

/** Registers what every adapter of the store ports must do, all ports together, as a vitest suite. */
export const conformance = <E>(name: string, subject: Subject<E>): void =>
  sharedSuite(name, subject.layer, (runtime) => {
    for (const [port, checks] of Object.entries(storeChecks(subject))) {
      describe(port, () => addTo<Stores, E>(runtime, checks))
    }
  })
