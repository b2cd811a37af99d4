import { Layer } from "effect"
import { ApiKeys } from "../app/access/ApiKeys.ts"
import { AuditLog } from "../app/access/AuditLog.ts"
import { Authentication } from "../app/access/Authentication.ts"
import { Campaigns } from "../app/insight/Campaigns.ts"
import { CheckoutLinks } from "../app/giving/CheckoutLinks.ts"
import { ContactLogs } from "../app/giving/ContactLogs.ts"
import { DonationForms } from "../app/giving/DonationForms.ts"
import { Donations } from "../app/giving/Donations.ts"
import { DonorIntelligence } from "../app/insight/DonorIntelligence.ts"
import { Donors } from "../app/giving/Donors.ts"
import { Events } from "../app/outbox/Events.ts"
import { Integrations } from "../app/sharing/Integrations.ts"
import { Introductions } from "../app/sharing/Introductions.ts"
import { Invitations } from "../app/sharing/Invitations.ts"
import { Mails } from "../app/outbox/Mails.ts"
import { Organisations } from "../app/access/Organisations.ts"
import { PersonalisedLinks } from "../app/sharing/PersonalisedLinks.ts"
import { RecipientAccounts } from "../app/sharing/RecipientAccounts.ts"
import { RecommendationSets } from "../app/sharing/RecommendationSets.ts"
import { Refunds } from "../app/giving/Refunds.ts"
import { RevenueCodes } from "../app/giving/RevenueCodes.ts"
import { SealedSecrets } from "../app/access/SealedSecrets.ts"
import { Segments } from "../app/insight/Segments.ts"
import { Sweeper } from "../app/outbox/Sweeper.ts"
import { Journal } from "../app/access/steps/Journal.ts"
import { KeyCache } from "../app/access/steps/KeyCache.ts"
import { Users } from "../app/access/Users.ts"
import { WebhookDeliveries } from "../app/outbox/WebhookDeliveries.ts"
import { WebhookEndpoints } from "../app/outbox/WebhookEndpoints.ts"

/** Every use case over the ports: what each way in (HTTP, command line, promises) is built on. */
export const useCases = Layer.mergeAll(
  ApiKeys.layer,
  AuditLog.layer,
  Authentication.layer,
  Campaigns.layer,
  CheckoutLinks.layer,
  ContactLogs.layer,
  DonationForms.layer,
  Donations.layer,
  Donors.layer,
  Events.layer,
  Integrations.layer,
  DonorIntelligence.layer,
  Introductions.layer,
  Invitations.layer,
  Mails.layer,
  Organisations.layer,
  PersonalisedLinks.layer,
  RecipientAccounts.layer,
  RecommendationSets.layer,
  Refunds.layer,
  RevenueCodes.layer,
  SealedSecrets.layer,
  Segments.layer,
  Sweeper.layer,
  Users.layer,
  WebhookDeliveries.layer,
  WebhookEndpoints.layer
).pipe(Layer.provideMerge(Layer.merge(Journal.layer, KeyCache.layer)))
