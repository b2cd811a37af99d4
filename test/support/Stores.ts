import { Layer } from "effect"
import * as MemoryStores from "../../src/adapters/memory/Stores.ts"
import * as Migrations from "../../src/adapters/postgres/migrations/Migrations.ts"
import * as PostgresStores from "../../src/adapters/postgres/Stores.ts"
import type { ApiKeyStore } from "../../src/ports/access/ApiKeyStore.ts"
import type { AuditStore } from "../../src/ports/access/AuditStore.ts"
import type { EmailCodeStore } from "../../src/ports/access/EmailCodeStore.ts"
import type { IdempotencyStore } from "../../src/ports/access/IdempotencyStore.ts"
import type { IntegrationStore } from "../../src/ports/access/IntegrationStore.ts"
import type { LinkedOrganisationStore } from "../../src/ports/access/LinkedOrganisationStore.ts"
import type { OrganisationStore } from "../../src/ports/access/OrganisationStore.ts"
import type { SandboxClockStore } from "../../src/ports/access/SandboxClockStore.ts"
import type { SealedStore } from "../../src/ports/access/SealedStore.ts"
import type { UserStore } from "../../src/ports/access/UserStore.ts"
import type { CapStore } from "../../src/ports/compliance/CapStore.ts"
import type { DefaultCodeStore } from "../../src/ports/compliance/DefaultCodeStore.ts"
import type { DisclosureStore } from "../../src/ports/compliance/DisclosureStore.ts"
import type { ElectionStore } from "../../src/ports/compliance/ElectionStore.ts"
import type { CheckoutLinkStore } from "../../src/ports/giving/CheckoutLinkStore.ts"
import type { ConsentPromptStore } from "../../src/ports/giving/ConsentPromptStore.ts"
import type { ContactLogStore } from "../../src/ports/giving/ContactLogStore.ts"
import type { DonationFormStore } from "../../src/ports/giving/DonationFormStore.ts"
import type { DonationIntake } from "../../src/ports/giving/DonationIntake.ts"
import type { DonationStore } from "../../src/ports/giving/DonationStore.ts"
import type { DonorStore } from "../../src/ports/giving/DonorStore.ts"
import type { GivingSettingsStore } from "../../src/ports/giving/GivingSettingsStore.ts"
import type { RefundStore } from "../../src/ports/giving/RefundStore.ts"
import type { RevenueCodeStore } from "../../src/ports/giving/RevenueCodeStore.ts"
import type { CampaignStore } from "../../src/ports/insight/CampaignStore.ts"
import type { ScoreStore } from "../../src/ports/insight/ScoreStore.ts"
import type { SegmentStore } from "../../src/ports/insight/SegmentStore.ts"
import type { MailOutbox } from "../../src/ports/kernel/MailOutbox.ts"
import type { SecretBox } from "../../src/ports/kernel/SecretBox.ts"
import type { Transaction } from "../../src/ports/kernel/Transaction.ts"
import type { DeliverySignal } from "../../src/ports/outbox/DeliverySignal.ts"
import type { DeliveryStore } from "../../src/ports/outbox/DeliveryStore.ts"
import type { EventConsumerStore } from "../../src/ports/outbox/EventConsumerStore.ts"
import type { Outbox } from "../../src/ports/outbox/Outbox.ts"
import type { WebhookEndpointStore } from "../../src/ports/outbox/WebhookEndpointStore.ts"
import type { YearlySummaryStore } from "../../src/ports/outbox/YearlySummaryStore.ts"
import type { CardGuardStore } from "../../src/ports/payments/CardGuardStore.ts"
import type { ChargeStore } from "../../src/ports/payments/ChargeStore.ts"
import type { CreditStore } from "../../src/ports/payments/CreditStore.ts"
import type { DisputeStore } from "../../src/ports/payments/DisputeStore.ts"
import type { InvoiceStore } from "../../src/ports/payments/InvoiceStore.ts"
import type { LedgerStore } from "../../src/ports/payments/LedgerStore.ts"
import type { MandateStore } from "../../src/ports/payments/MandateStore.ts"
import type { NoticeStore } from "../../src/ports/payments/NoticeStore.ts"
import type { PaymentExceptionStore } from "../../src/ports/payments/PaymentExceptionStore.ts"
import type { ReconciliationStore } from "../../src/ports/payments/ReconciliationStore.ts"
import type { SubscriptionStore } from "../../src/ports/payments/SubscriptionStore.ts"
import type { TariffStore } from "../../src/ports/payments/TariffStore.ts"
import type { TestBank } from "../../src/ports/payments/TestBank.ts"
import type { IntroductionStore } from "../../src/ports/sharing/IntroductionStore.ts"
import type { PassphraseFailures } from "../../src/ports/sharing/PassphraseFailures.ts"
import type { PaymentStore } from "../../src/ports/sharing/PaymentStore.ts"
import type { RecipientAccountStore } from "../../src/ports/sharing/RecipientAccountStore.ts"
import type { RecommendationSetStore } from "../../src/ports/sharing/RecommendationSetStore.ts"
import type { TransferAttemptStore } from "../../src/ports/sharing/TransferAttemptStore.ts"
import { layerEmbedded, layerServer } from "./MigratedDatabase.ts"
import { kindsRun } from "./StoreKinds.ts"

/** Every port that keeps something. */
export type StorePorts =
  | ApiKeyStore
  | AuditStore
  | CampaignStore
  | CardGuardStore
  | ChargeStore
  | CheckoutLinkStore
  | ConsentPromptStore
  | ContactLogStore
  | DeliverySignal
  | DeliveryStore
  | EmailCodeStore
  | CreditStore
  | DisputeStore
  | SubscriptionStore
  | MandateStore
  | InvoiceStore
  | TransferAttemptStore
  | DonationFormStore
  | DonationIntake
  | DonationStore
  | DonorStore
  | GivingSettingsStore
  | EventConsumerStore
  | IdempotencyStore
  | IntegrationStore
  | LedgerStore
  | LinkedOrganisationStore
  | IntroductionStore
  | MailOutbox
  | OrganisationStore
  | Outbox
  | RefundStore
  | PassphraseFailures
  | NoticeStore
  | PaymentExceptionStore
  | PaymentStore
  | RecipientAccountStore
  | RecommendationSetStore
  | RevenueCodeStore
  | ScoreStore
  | SandboxClockStore
  | SealedStore
  | DefaultCodeStore
  | CapStore
  | ElectionStore
  | DisclosureStore
  | SegmentStore
  | TestBank
  | ReconciliationStore
  | TariffStore
  | Transaction
  | UserStore
  | WebhookEndpointStore
  | YearlySummaryStore

/** All stores of one kind, new and empty each time that the layer is built. */
export type StoresLayer = Layer.Layer<StorePorts, never, SecretBox>

export const memory: StoresLayer = MemoryStores.layer

/** The stores on the database in this process. */
export const embeddedStores: StoresLayer = PostgresStores.layer.pipe(
  Layer.provide(Migrations.layer.pipe(Layer.orDie)),
  Layer.provide(layerEmbedded)
)

/** The stores on a database of its own on a PostgreSQL server. */
export const server: StoresLayer = PostgresStores.layer.pipe(
  Layer.provide(Migrations.layer.pipe(Layer.orDie)),
  Layer.provide(layerServer)
)

/** The stores that the service is tested over now, by name. */
export const everyKind: ReadonlyArray<readonly [name: string, stores: StoresLayer]> = kindsRun([
  ["memory", memory],
  ["the embedded database", embeddedStores],
  ["PostgreSQL", server]
])
