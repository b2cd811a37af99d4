import { Layer } from "effect"
import * as ApiKeyStore from "./ApiKeyStore.ts"
import * as AuditStore from "./AuditStore.ts"
import * as DeliverySignal from "./DeliverySignal.ts"
import * as DeliveryStore from "./DeliveryStore.ts"
import * as DonationIntake from "./DonationIntake.ts"
import * as DonationStore from "./DonationStore.ts"
import * as DonorStore from "./DonorStore.ts"
import * as IdempotencyStore from "./IdempotencyStore.ts"
import { Memory } from "./Memory.ts"
import * as OrganisationStore from "./OrganisationStore.ts"
import * as Outbox from "./Outbox.ts"
import * as RevenueCodeStore from "./RevenueCodeStore.ts"
import * as Transaction from "./Transaction.ts"
import * as WebhookEndpointStore from "./WebhookEndpointStore.ts"

/**
 * All stores over one value, and {@link Memory} itself. Each building makes an empty one. Needs the port `SecretBox`,
 * which seals the answers that hold secrets.
 */
export const layer = Layer.mergeAll(
  Transaction.layer,
  OrganisationStore.layer,
  ApiKeyStore.layer,
  DonorStore.layer,
  DonationStore.layer,
  DonationIntake.layer,
  RevenueCodeStore.layer,
  WebhookEndpointStore.layer,
  Outbox.layer,
  DeliveryStore.layer,
  IdempotencyStore.layer,
  AuditStore.layer
).pipe(Layer.provideMerge(Layer.merge(Memory.layer, DeliverySignal.layer)))
