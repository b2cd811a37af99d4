import { Layer } from "effect"
import * as ApiKeyStore from "./ApiKeyStore.ts"
import * as AuditStore from "./AuditStore.ts"
import * as CampaignStore from "./CampaignStore.ts"
import * as CheckoutLinkStore from "./CheckoutLinkStore.ts"
import * as ContactLogStore from "./ContactLogStore.ts"
import * as DeliverySignal from "./DeliverySignal.ts"
import * as DeliveryStore from "./DeliveryStore.ts"
import * as DonationFormStore from "./DonationFormStore.ts"
import * as DonationIntake from "./DonationIntake.ts"
import * as DonationStore from "./DonationStore.ts"
import * as DonorStore from "./DonorStore.ts"
import * as IdempotencyStore from "./IdempotencyStore.ts"
import * as IntegrationStore from "./IntegrationStore.ts"
import * as IntroductionStore from "./IntroductionStore.ts"
import * as KeysInFlight from "./KeysInFlight.ts"
import * as LinkedOrganisationStore from "./LinkedOrganisationStore.ts"
import * as MailOutbox from "./MailOutbox.ts"
import * as OrganisationStore from "./OrganisationStore.ts"
import * as Outbox from "./Outbox.ts"
import * as PassphraseFailures from "./PassphraseFailures.ts"
import * as PaymentStore from "./PaymentStore.ts"
import * as RecipientAccountStore from "./RecipientAccountStore.ts"
import * as RecommendationSetStore from "./RecommendationSetStore.ts"
import * as RefundStore from "./RefundStore.ts"
import * as RevenueCodeStore from "./RevenueCodeStore.ts"
import * as ScoreStore from "./ScoreStore.ts"
import * as SealedStore from "./SealedStore.ts"
import * as SegmentStore from "./SegmentStore.ts"
import * as TenantWall from "./TenantWall.ts"
import * as Transaction from "./Transaction.ts"
import * as UserStore from "./UserStore.ts"
import * as WebhookEndpointStore from "./WebhookEndpointStore.ts"

/**
 * Every store, the transaction and the signal, on one client, whose database is migrated. The rate limiter is apart,
 * because it is a choice.
 */
export const layer = Layer.mergeAll(
  ApiKeyStore.layer,
  AuditStore.layer,
  CheckoutLinkStore.layer,
  ContactLogStore.layer,
  DeliveryStore.layer,
  DonationFormStore.layer,
  DonationIntake.layer,
  DonationStore.layer,
  DonorStore.layer,
  IdempotencyStore.layer,
  IntegrationStore.layer,
  LinkedOrganisationStore.layer,
  IntroductionStore.layer,
  MailOutbox.layer,
  OrganisationStore.layer,
  Outbox.layer,
  PassphraseFailures.layer,
  RecipientAccountStore.layer,
  RecommendationSetStore.layer,
  PaymentStore.layer,
  RefundStore.layer,
  RevenueCodeStore.layer,
  CampaignStore.layer,
  ScoreStore.layer,
  SealedStore.layer,
  SegmentStore.layer,
  UserStore.layer,
  WebhookEndpointStore.layer
).pipe(
  Layer.provideMerge(Layer.merge(DeliverySignal.layer, Transaction.layer)),
  Layer.provide(KeysInFlight.layer),
  Layer.provide(TenantWall.layer)
)
