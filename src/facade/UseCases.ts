import { Layer } from "effect"
import { ApiKeys } from "../app/ApiKeys.ts"
import { AuditLog } from "../app/AuditLog.ts"
import { Authentication } from "../app/Authentication.ts"
import { Campaigns } from "../app/Campaigns.ts"
import { CheckoutLinks } from "../app/CheckoutLinks.ts"
import { ContactLogs } from "../app/ContactLogs.ts"
import { DonationForms } from "../app/DonationForms.ts"
import { Donations } from "../app/Donations.ts"
import { DonorIntelligence } from "../app/DonorIntelligence.ts"
import { Donors } from "../app/Donors.ts"
import { Events } from "../app/Events.ts"
import { Integrations } from "../app/Integrations.ts"
import { Introductions } from "../app/Introductions.ts"
import { Invitations } from "../app/Invitations.ts"
import { Mails } from "../app/Mails.ts"
import { Organisations } from "../app/Organisations.ts"
import { PersonalisedLinks } from "../app/PersonalisedLinks.ts"
import { RecipientAccounts } from "../app/RecipientAccounts.ts"
import { RecommendationSets } from "../app/RecommendationSets.ts"
import { Refunds } from "../app/Refunds.ts"
import { RevenueCodes } from "../app/RevenueCodes.ts"
import { SealedSecrets } from "../app/SealedSecrets.ts"
import { Segments } from "../app/Segments.ts"
import { Sweeper } from "../app/Sweeper.ts"
import { Journal } from "../app/steps/Journal.ts"
import { KeyCache } from "../app/steps/KeyCache.ts"
import { Users } from "../app/Users.ts"
import { WebhookDeliveries } from "../app/WebhookDeliveries.ts"
import { WebhookEndpoints } from "../app/WebhookEndpoints.ts"

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
