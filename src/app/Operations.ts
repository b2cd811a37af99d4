import { apiKeyOperations } from "./access/operations/apiKeys.ts"
import { auditLogOperations } from "./access/operations/auditLog.ts"
import { organisationOperations } from "./access/operations/organisations.ts"
import { sealedSecretOperations } from "./access/operations/sealedSecrets.ts"
import { userOperations } from "./access/operations/users.ts"
import { checkoutLinkOperations } from "./giving/operations/checkoutLinks.ts"
import { contactLogOperations } from "./giving/operations/contactLogs.ts"
import { donationFormOperations } from "./giving/operations/donationForms.ts"
import { donationOperations } from "./giving/operations/donations.ts"
import { donorOperations } from "./giving/operations/donors.ts"
import { refundOperations } from "./giving/operations/refunds.ts"
import { revenueCodeOperations } from "./giving/operations/revenueCodes.ts"
import { campaignOperations } from "./insight/operations/campaigns.ts"
import { intelligenceOperations, segmentOperations } from "./insight/operations/intelligence.ts"
import { endpointTestOperations } from "./outbox/operations/endpointTests.ts"
import { eventConsumerOperations } from "./outbox/operations/eventConsumers.ts"
import { eventOperations } from "./outbox/operations/events.ts"
import { mailOperations } from "./outbox/operations/mails.ts"
import { webhookDeliveryOperations } from "./outbox/operations/webhookDeliveries.ts"
import { webhookEndpointOperations } from "./outbox/operations/webhookEndpoints.ts"
import { integrationOperations } from "./sharing/operations/integrations.ts"
import { introductionOperations } from "./sharing/operations/introductions.ts"
import { invitationOperations } from "./sharing/operations/invitations.ts"
import { personalisedLinkOperations } from "./sharing/operations/personalisedLinks.ts"
import { recipientAccountOperations } from "./sharing/operations/recipientAccounts.ts"
import { recommendationSetOperations } from "./sharing/operations/recommendationSets.ts"

/** The operations of each service, as their own files declare them. */
type Operations = {
  readonly donors: typeof donorOperations
  readonly contactLogs: typeof contactLogOperations
  readonly donations: typeof donationOperations
  readonly refunds: typeof refundOperations
  readonly revenueCodes: typeof revenueCodeOperations
  readonly donationForms: typeof donationFormOperations
  readonly checkoutLinks: typeof checkoutLinkOperations
  readonly personalisedLinks: typeof personalisedLinkOperations
  readonly recommendationSets: typeof recommendationSetOperations
  readonly recipientAccounts: typeof recipientAccountOperations
  readonly integrations: typeof integrationOperations
  readonly introductions: typeof introductionOperations
  readonly campaigns: typeof campaignOperations
  readonly donorIntelligence: typeof intelligenceOperations
  readonly segments: typeof segmentOperations
  readonly invitations: typeof invitationOperations
  readonly users: typeof userOperations
  readonly webhookEndpoints: typeof webhookEndpointOperations
  readonly endpointTests: typeof endpointTestOperations
  readonly webhookDeliveries: typeof webhookDeliveryOperations
  readonly events: typeof eventOperations
  readonly eventConsumers: typeof eventConsumerOperations
  readonly organisations: typeof organisationOperations
  readonly apiKeys: typeof apiKeyOperations
  readonly auditLog: typeof auditLogOperations
  readonly mails: typeof mailOperations
  readonly sealedSecrets: typeof sealedSecretOperations
}

/**
 * Every operation, by the service of its use case. The properties and methods of `Almoner` are made from it, and so are
 * the endpoints.
 */
export const operations: Operations = {
  donors: donorOperations,
  contactLogs: contactLogOperations,
  donations: donationOperations,
  refunds: refundOperations,
  revenueCodes: revenueCodeOperations,
  donationForms: donationFormOperations,
  checkoutLinks: checkoutLinkOperations,
  personalisedLinks: personalisedLinkOperations,
  recommendationSets: recommendationSetOperations,
  recipientAccounts: recipientAccountOperations,
  integrations: integrationOperations,
  introductions: introductionOperations,
  campaigns: campaignOperations,
  donorIntelligence: intelligenceOperations,
  segments: segmentOperations,
  invitations: invitationOperations,
  users: userOperations,
  webhookEndpoints: webhookEndpointOperations,
  endpointTests: endpointTestOperations,
  webhookDeliveries: webhookDeliveryOperations,
  events: eventOperations,
  eventConsumers: eventConsumerOperations,
  organisations: organisationOperations,
  apiKeys: apiKeyOperations,
  auditLog: auditLogOperations,
  mails: mailOperations,
  sealedSecrets: sealedSecretOperations
}

type Groups = typeof operations

type Named<O> = O extends { readonly asks: { readonly who: "caller"; readonly name: infer Name } } ? Name : never

/** The names of what API keys may be used for, as refusals and the audit have them. */
export type OperationName = {
  [G in keyof Groups]: { [N in keyof Groups[G]]: Named<Groups[G][N]> }[keyof Groups[G]]
}[keyof Groups]
