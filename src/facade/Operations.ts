import { apiKeyOperations } from "./operations/apiKeys.ts"
import { auditLogOperations } from "./operations/auditLog.ts"
import { campaignOperations } from "./operations/campaigns.ts"
import { checkoutLinkOperations } from "./operations/checkoutLinks.ts"
import { contactLogOperations } from "./operations/contactLogs.ts"
import { donationFormOperations } from "./operations/donationForms.ts"
import { donationOperations } from "./operations/donations.ts"
import { donorOperations } from "./operations/donors.ts"
import { endpointTestOperations } from "./operations/endpointTests.ts"
import { eventOperations } from "./operations/events.ts"
import { integrationOperations } from "./operations/integrations.ts"
import { intelligenceOperations, segmentOperations } from "./operations/intelligence.ts"
import { introductionOperations } from "./operations/introductions.ts"
import { invitationOperations } from "./operations/invitations.ts"
import { mailOperations } from "./operations/mails.ts"
import { organisationOperations } from "./operations/organisations.ts"
import { personalisedLinkOperations } from "./operations/personalisedLinks.ts"
import { recipientAccountOperations } from "./operations/recipientAccounts.ts"
import { recommendationSetOperations } from "./operations/recommendationSets.ts"
import { refundOperations } from "./operations/refunds.ts"
import { revenueCodeOperations } from "./operations/revenueCodes.ts"
import { sealedSecretOperations } from "./operations/sealedSecrets.ts"
import { userOperations } from "./operations/users.ts"
import { webhookDeliveryOperations } from "./operations/webhookDeliveries.ts"
import { webhookEndpointOperations } from "./operations/webhookEndpoints.ts"

/**
 * Every use case that the promise face offers, by its service. A service that is added here is a property of `Almoner`;
 * the methods have the names of the use cases'.
 */
export const operations = {
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
  organisations: organisationOperations,
  apiKeys: apiKeyOperations,
  auditLog: auditLogOperations,
  mails: mailOperations,
  sealedSecrets: sealedSecretOperations
} as const
