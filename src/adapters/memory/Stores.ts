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
import * as LinkedOrganisationStore from "./LinkedOrganisationStore.ts"
import * as MailOutbox from "./MailOutbox.ts"
import { Memory } from "./Memory.ts"
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
import * as Transaction from "./Transaction.ts"
import * as UserStore from "./UserStore.ts"
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
  CheckoutLinkStore.layer,
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
  RecipientAccountStore.layer,
  RecommendationSetStore.layer,
  PaymentStore.layer,
  PassphraseFailures.layer,
  LinkedOrganisationStore.layer,
  IntroductionStore.layer,
  UserStore.layer,
  MailOutbox.layer,
  WebhookEndpointStore.layer,
  Outbox.layer,
  DeliveryStore.layer,
  IdempotencyStore.layer,
  AuditStore.layer
).pipe(Layer.provideMerge(Layer.merge(Memory.layer, DeliverySignal.layer)))
