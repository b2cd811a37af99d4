import { Layer } from "effect"
import * as EmailCodeStore from "./access/EmailCodeStore.ts"
import * as IdempotencyStore from "./access/IdempotencyStore.ts"
import * as KeysInFlight from "./access/KeysInFlight.ts"
import * as SandboxClockStore from "./access/SandboxClockStore.ts"
import * as AccessStores from "./access/Stores.ts"
import * as CapStore from "./compliance/CapStore.ts"
import * as ComplianceStores from "./compliance/Stores.ts"
import { Notifications } from "./connection/Notifications.ts"
import * as Transaction from "./connection/Transaction.ts"
import * as DonationIntake from "./giving/DonationIntake.ts"
import * as DonorStore from "./giving/DonorStore.ts"
import * as GivingStores from "./giving/Stores.ts"
import * as InsightStores from "./insight/Stores.ts"
import * as DeliverySignal from "./outbox/DeliverySignal.ts"
import * as DeliveryStore from "./outbox/DeliveryStore.ts"
import * as EventConsumerStore from "./outbox/EventConsumerStore.ts"
import { EventHint } from "./outbox/EventHint.ts"
import * as MailOutbox from "./outbox/MailOutbox.ts"
import * as Outbox from "./outbox/Outbox.ts"
import * as SealedStore from "./outbox/SealedStore.ts"
import * as WebhookEndpointStore from "./outbox/WebhookEndpointStore.ts"
import * as YearlySummaryStore from "./outbox/YearlySummaryStore.ts"
import * as ChargeStore from "./payments/ChargeStore.ts"
import * as LedgerStore from "./payments/LedgerStore.ts"
import * as NoticeStore from "./payments/NoticeStore.ts"
import * as ReconciliationStore from "./payments/ReconciliationStore.ts"
import * as PaymentsStores from "./payments/Stores.ts"
import * as TestBank from "./payments/TestBank.ts"
import * as PaymentStore from "./sharing/PaymentStore.ts"
import * as SharingStores from "./sharing/Stores.ts"
import * as TenantGuard from "./tenant/TenantGuard.ts"

/**
 * Every store, the transaction and the signal, on one client, whose database is migrated. The rate limiter is not among
 * them, because hosts choose one.
 */
export const layer = Layer.mergeAll(
  AccessStores.layer,
  IdempotencyStore.layer,
  EmailCodeStore.layer,
  SandboxClockStore.layer,
  CapStore.layer,
  ComplianceStores.layer,
  GivingStores.layer,
  DonationIntake.layer,
  DonorStore.layer,
  InsightStores.layer,
  PaymentsStores.layer,
  ChargeStore.layer,
  LedgerStore.layer,
  NoticeStore.layer,
  ReconciliationStore.layer,
  TestBank.layer,
  SharingStores.layer,
  PaymentStore.layer,
  DeliveryStore.layer,
  EventConsumerStore.layer,
  MailOutbox.layer,
  Outbox.layer,
  SealedStore.layer,
  WebhookEndpointStore.layer,
  YearlySummaryStore.layer
).pipe(
  Layer.provideMerge(Layer.merge(DeliverySignal.layer, Transaction.layer)),
  Layer.provide(Layer.merge(KeysInFlight.layer, EventHint.layer)),
  Layer.provide(Notifications.layer),
  Layer.provide(TenantGuard.layer)
)
