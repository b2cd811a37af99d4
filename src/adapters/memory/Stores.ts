import { Layer } from "effect"
import * as AuditStore from "./access/AuditStore.ts"
import * as IdempotencyStore from "./access/IdempotencyStore.ts"
import * as AccessStores from "./access/Stores.ts"
import * as ComplianceStores from "./compliance/Stores.ts"
import * as DonationIntake from "./giving/DonationIntake.ts"
import * as GivingStores from "./giving/Stores.ts"
import * as InsightStores from "./insight/Stores.ts"
import { Memory } from "./Memory.ts"
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
import * as SharingStores from "./sharing/Stores.ts"
import * as Transaction from "./Transaction.ts"

/**
 * All stores over one state, and {@link Memory} itself. Each build of the layer makes an empty state. Needs the port
 * `SecretBox`, which seals the answers that hold secrets.
 */
export const layer = Layer.mergeAll(
  Transaction.layer,
  AccessStores.layer,
  AuditStore.layer,
  ComplianceStores.layer,
  IdempotencyStore.layer,
  GivingStores.layer,
  DonationIntake.layer,
  InsightStores.layer,
  PaymentsStores.layer,
  ChargeStore.layer,
  LedgerStore.layer,
  NoticeStore.layer,
  ReconciliationStore.layer,
  TestBank.layer,
  SharingStores.layer,
  MailOutbox.layer,
  WebhookEndpointStore.layer,
  Outbox.layer,
  DeliveryStore.layer,
  EventConsumerStore.layer,
  SealedStore.layer,
  YearlySummaryStore.layer
).pipe(Layer.provide(EventHint.layer), Layer.provideMerge(Layer.merge(Memory.layer, DeliverySignal.layer)))
