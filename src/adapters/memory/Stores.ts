import { Layer } from "effect"
import * as ApiKeyStore from "./access/ApiKeyStore.ts"
import * as AuditStore from "./access/AuditStore.ts"
import * as IdempotencyStore from "./access/IdempotencyStore.ts"
import * as IntegrationStore from "./access/IntegrationStore.ts"
import * as OrganisationStore from "./access/OrganisationStore.ts"
import * as SandboxClockStore from "./access/SandboxClockStore.ts"
import * as UserStore from "./access/UserStore.ts"
import * as CheckoutLinkStore from "./giving/CheckoutLinkStore.ts"
import * as ConsentPromptStore from "./giving/ConsentPromptStore.ts"
import * as ContactLogStore from "./giving/ContactLogStore.ts"
import * as DonationFormStore from "./giving/DonationFormStore.ts"
import * as DonationIntake from "./giving/DonationIntake.ts"
import * as DonationStore from "./giving/DonationStore.ts"
import * as DonorStore from "./giving/DonorStore.ts"
import * as RefundStore from "./giving/RefundStore.ts"
import * as RevenueCodeStore from "./giving/RevenueCodeStore.ts"
import * as CampaignStore from "./insight/CampaignStore.ts"
import * as ScoreStore from "./insight/ScoreStore.ts"
import * as SegmentStore from "./insight/SegmentStore.ts"
import { Memory } from "./Memory.ts"
import * as DeliverySignal from "./outbox/DeliverySignal.ts"
import * as DeliveryStore from "./outbox/DeliveryStore.ts"
import * as EventConsumerStore from "./outbox/EventConsumerStore.ts"
import { EventHint } from "./outbox/EventHint.ts"
import * as MailOutbox from "./outbox/MailOutbox.ts"
import * as Outbox from "./outbox/Outbox.ts"
import * as SealedStore from "./outbox/SealedStore.ts"
import * as WebhookEndpointStore from "./outbox/WebhookEndpointStore.ts"
import * as ChargeStore from "./payments/ChargeStore.ts"
import * as CreditStore from "./payments/CreditStore.ts"
import * as DisputeStore from "./payments/DisputeStore.ts"
import * as InvoiceStore from "./payments/InvoiceStore.ts"
import * as LedgerStore from "./payments/LedgerStore.ts"
import * as MandateStore from "./payments/MandateStore.ts"
import * as NoticeStore from "./payments/NoticeStore.ts"
import * as PaymentExceptionStore from "./payments/PaymentExceptionStore.ts"
import * as ReconciliationStore from "./payments/ReconciliationStore.ts"
import * as SubscriptionStore from "./payments/SubscriptionStore.ts"
import * as TariffStore from "./payments/TariffStore.ts"
import * as TestBank from "./payments/TestBank.ts"
import * as IntroductionStore from "./sharing/IntroductionStore.ts"
import * as LinkedOrganisationStore from "./sharing/LinkedOrganisationStore.ts"
import * as PassphraseFailures from "./sharing/PassphraseFailures.ts"
import * as PaymentStore from "./sharing/PaymentStore.ts"
import * as RecipientAccountStore from "./sharing/RecipientAccountStore.ts"
import * as RecommendationSetStore from "./sharing/RecommendationSetStore.ts"
import * as TransferAttemptStore from "./sharing/TransferAttemptStore.ts"
import * as Transaction from "./Transaction.ts"

/**
 * All stores over one state, and {@link Memory} itself. Each build of the layer makes an empty state. Needs the port
 * `SecretBox`, which seals the answers that hold secrets.
 */
export const layer = Layer.mergeAll(
  Transaction.layer,
  OrganisationStore.layer,
  SandboxClockStore.layer,
  ApiKeyStore.layer,
  DonorStore.layer,
  CheckoutLinkStore.layer,
  ConsentPromptStore.layer,
  ContactLogStore.layer,
  DonationStore.layer,
  RefundStore.layer,
  DonationFormStore.layer,
  DonationIntake.layer,
  RevenueCodeStore.layer,
  CampaignStore.layer,
  ScoreStore.layer,
  SealedStore.layer,
  SegmentStore.layer,
  IntegrationStore.layer,
  ChargeStore.layer,
  CreditStore.layer,
  DisputeStore.layer,
  SubscriptionStore.layer,
  MandateStore.layer,
  InvoiceStore.layer,
  LedgerStore.layer,
  NoticeStore.layer,
  PaymentExceptionStore.layer,
  ReconciliationStore.layer,
  TariffStore.layer,
  RecipientAccountStore.layer,
  RecommendationSetStore.layer,
  PaymentStore.layer,
  PassphraseFailures.layer,
  LinkedOrganisationStore.layer,
  IntroductionStore.layer,
  TransferAttemptStore.layer,
  UserStore.layer,
  MailOutbox.layer,
  WebhookEndpointStore.layer,
  Outbox.layer,
  DeliveryStore.layer,
  EventConsumerStore.layer,
  IdempotencyStore.layer,
  AuditStore.layer,
  TestBank.layer
).pipe(Layer.provide(EventHint.layer), Layer.provideMerge(Layer.merge(Memory.layer, DeliverySignal.layer)))
