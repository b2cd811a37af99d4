import { Layer } from "effect"
import * as ApiKeyStore from "./ApiKeyStore.ts"
import * as AuditStore from "./AuditStore.ts"
import * as DeliverySignal from "./DeliverySignal.ts"
import * as DeliveryStore from "./DeliveryStore.ts"
import * as DonationIntake from "./DonationIntake.ts"
import * as DonationStore from "./DonationStore.ts"
import * as DonorStore from "./DonorStore.ts"
import * as IdempotencyStore from "./IdempotencyStore.ts"
import * as KeysInFlight from "./KeysInFlight.ts"
import * as OrganisationStore from "./OrganisationStore.ts"
import * as Outbox from "./Outbox.ts"
import * as RevenueCodeStore from "./RevenueCodeStore.ts"
import * as Transaction from "./Transaction.ts"
import * as WebhookEndpointStore from "./WebhookEndpointStore.ts"

/**
 * Every store, the transaction and the signal, on one client, whose database is migrated. The rate limiter is apart,
 * because it is a choice.
 */
export const layer = Layer.mergeAll(
  ApiKeyStore.layer,
  AuditStore.layer,
  DeliveryStore.layer,
  DonationIntake.layer,
  DonationStore.layer,
  DonorStore.layer,
  IdempotencyStore.layer,
  OrganisationStore.layer,
  Outbox.layer,
  RevenueCodeStore.layer,
  WebhookEndpointStore.layer
).pipe(Layer.provideMerge(Layer.merge(DeliverySignal.layer, Transaction.layer)), Layer.provide(KeysInFlight.layer))
