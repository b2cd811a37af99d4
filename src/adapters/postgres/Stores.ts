import { Layer } from "effect"
import * as ApiKeyStore from "./access/ApiKeyStore.ts"
import * as AuditStore from "./access/AuditStore.ts"
import * as IdempotencyStore from "./access/IdempotencyStore.ts"
import * as IntegrationStore from "./access/IntegrationStore.ts"
import * as KeysInFlight from "./access/KeysInFlight.ts"
import * as OrganisationStore from "./access/OrganisationStore.ts"
import * as SandboxClockStore from "./access/SandboxClockStore.ts"
import * as UserStore from "./access/UserStore.ts"
import { Notifications } from "./connection/Notifications.ts"
import * as Transaction from "./connection/Transaction.ts"
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
import * as TenantGuard from "./tenant/TenantGuard.ts"

/**
 * Every store, the transaction and the signal, on one client, whose database is migrated. The rate limiter is not among
 * them, because hosts choose one.
 */
export const layer = Layer.mergeAll(
  ApiKeyStore.layer,
  AuditStore.layer,
  CheckoutLinkStore.layer,
  ConsentPromptStore.layer,
  ContactLogStore.layer,
  DeliveryStore.layer,
  DonationFormStore.layer,
  DonationIntake.layer,
  DonationStore.layer,
  DonorStore.layer,
  EventConsumerStore.layer,
  IdempotencyStore.layer,
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
  LinkedOrganisationStore.layer,
  IntroductionStore.layer,
  MailOutbox.layer,
  OrganisationStore.layer,
  Outbox.layer,
  PassphraseFailures.layer,
  RecipientAccountStore.layer,
  RecommendationSetStore.layer,
  SandboxClockStore.layer,
  PaymentStore.layer,
  RefundStore.layer,
  RevenueCodeStore.layer,
  CampaignStore.layer,
  ScoreStore.layer,
  SealedStore.layer,
  SegmentStore.layer,
  TestBank.layer,
  TransferAttemptStore.layer,
  UserStore.layer,
  WebhookEndpointStore.layer
).pipe(
  Layer.provideMerge(Layer.merge(DeliverySignal.layer, Transaction.layer)),
  Layer.provide(Layer.merge(KeysInFlight.layer, EventHint.layer)),
  Layer.provide(Notifications.layer),
  Layer.provide(TenantGuard.layer)
)
