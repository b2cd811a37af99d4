import { apiKeyOperations } from "./access/operations/apiKeys.ts"
import { auditLogOperations } from "./access/operations/auditLog.ts"
import { organisationOperations } from "./access/operations/organisations.ts"
import { sealedSecretOperations } from "./access/operations/sealedSecrets.ts"
import { userOperations } from "./access/operations/users.ts"
import { checkoutLinkOperations } from "./giving/operations/checkoutLinks.ts"
import { consentPromptOperations } from "./giving/operations/consentPrompts.ts"
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
import { sandboxOperations } from "./outbox/operations/sandbox.ts"
import { webhookDeliveryOperations } from "./outbox/operations/webhookDeliveries.ts"
import { webhookEndpointOperations } from "./outbox/operations/webhookEndpoints.ts"
import { chargeOperations } from "./payments/operations/charges.ts"
import { creditOperations } from "./payments/operations/credits.ts"
import { ledgerOperations } from "./payments/operations/ledger.ts"
import { noticeOperations } from "./payments/operations/notices.ts"
import { paymentExceptionOperations } from "./payments/operations/paymentExceptions.ts"
import { reconcilerOperations } from "./payments/operations/reconciler.ts"
import { subscriptionOperations } from "./payments/operations/subscriptions.ts"
import { tariffOperations } from "./payments/operations/tariffs.ts"
import { testProcessorOperations } from "./payments/operations/testProcessor.ts"
import { checkoutOperations } from "./sharing/operations/checkouts.ts"
import { integrationOperations } from "./sharing/operations/integrations.ts"
import { introductionOperations } from "./sharing/operations/introductions.ts"
import { invitationOperations } from "./sharing/operations/invitations.ts"
import { paymentOperations } from "./sharing/operations/payments.ts"
import { personalisedLinkOperations } from "./sharing/operations/personalisedLinks.ts"
import { recipientAccountOperations } from "./sharing/operations/recipientAccounts.ts"
import { recommendationSetOperations } from "./sharing/operations/recommendationSets.ts"
import { transferOperations } from "./sharing/operations/transfers.ts"

/** The operations by what they are about, as their own files declare them. */
type Operations = {
  readonly donors: typeof donorOperations
  readonly contactLogs: typeof contactLogOperations
  readonly donations: typeof donationOperations
  readonly refunds: typeof refundOperations
  readonly revenueCodes: typeof revenueCodeOperations
  readonly subscriptions: typeof subscriptionOperations
  readonly forms: typeof donationFormOperations & {
    readonly mintLink: typeof personalisedLinkOperations.mintForForm
  }
  readonly checkoutLinks: typeof checkoutLinkOperations
  readonly personalisedLinks: Pick<typeof personalisedLinkOperations, "verify">
  readonly recommendationSets: typeof recommendationSetOperations & {
    readonly mintLink: typeof personalisedLinkOperations.mintForSet
    readonly readPayment: typeof paymentOperations.read
    readonly refundPayment: typeof paymentOperations.refund
  }
  readonly recipientAccounts: typeof recipientAccountOperations
  readonly integrations: typeof integrationOperations
  readonly introductions: typeof introductionOperations
  readonly campaigns: typeof campaignOperations
  readonly intelligence: typeof intelligenceOperations
  readonly segments: typeof segmentOperations
  readonly invitations: typeof invitationOperations
  readonly users: typeof userOperations
  readonly webhookEndpoints: typeof webhookEndpointOperations & typeof endpointTestOperations
  readonly webhookDeliveries: typeof webhookDeliveryOperations
  readonly events: typeof eventOperations
  readonly eventConsumers: typeof eventConsumerOperations
  readonly organisations: typeof organisationOperations
  readonly apiKeys: typeof apiKeyOperations
  readonly audit: typeof auditLogOperations
  readonly mails: typeof mailOperations
  readonly keyRing: typeof sealedSecretOperations
  readonly checkouts: typeof checkoutOperations
  readonly consentPrompts: typeof consentPromptOperations
  readonly charges: typeof chargeOperations
  readonly credits: typeof creditOperations
  readonly ledger: typeof ledgerOperations
  readonly reconciler: typeof reconcilerOperations
  readonly paymentExceptions: typeof paymentExceptionOperations
  readonly notices: typeof noticeOperations
  readonly sandbox: typeof sandboxOperations
  readonly tariffs: typeof tariffOperations
  readonly testProcessor: typeof testProcessorOperations
  readonly transfers: typeof transferOperations
}

/**
 * Every operation under its one name: that which it is asked for under (`forms.mint_link`), as the face and the client have
 * it (`forms.mintLink`). The properties and methods of `Almoner` are made from it, and so are the endpoints.
 */
export const operations: Operations = {
  donors: donorOperations,
  contactLogs: contactLogOperations,
  donations: donationOperations,
  refunds: refundOperations,
  revenueCodes: revenueCodeOperations,
  subscriptions: subscriptionOperations,
  forms: { ...donationFormOperations, mintLink: personalisedLinkOperations.mintForForm },
  checkoutLinks: checkoutLinkOperations,
  personalisedLinks: { verify: personalisedLinkOperations.verify },
  recommendationSets: {
    ...recommendationSetOperations,
    mintLink: personalisedLinkOperations.mintForSet,
    readPayment: paymentOperations.read,
    refundPayment: paymentOperations.refund
  },
  recipientAccounts: recipientAccountOperations,
  integrations: integrationOperations,
  introductions: introductionOperations,
  campaigns: campaignOperations,
  intelligence: intelligenceOperations,
  segments: segmentOperations,
  invitations: invitationOperations,
  users: userOperations,
  webhookEndpoints: { ...webhookEndpointOperations, ...endpointTestOperations },
  webhookDeliveries: webhookDeliveryOperations,
  events: eventOperations,
  eventConsumers: eventConsumerOperations,
  organisations: organisationOperations,
  apiKeys: apiKeyOperations,
  audit: auditLogOperations,
  mails: mailOperations,
  keyRing: sealedSecretOperations,
  checkouts: checkoutOperations,
  consentPrompts: consentPromptOperations,
  charges: chargeOperations,
  credits: creditOperations,
  ledger: ledgerOperations,
  reconciler: reconcilerOperations,
  paymentExceptions: paymentExceptionOperations,
  notices: noticeOperations,
  sandbox: sandboxOperations,
  tariffs: tariffOperations,
  testProcessor: testProcessorOperations,
  transfers: transferOperations
}

type Groups = typeof operations

type Named<O> = O extends { readonly asks: { readonly who: "caller"; readonly name: infer Name } } ? Name : never

/** The names of what API keys may be used for, as refusals and the audit have them. */
export type OperationName = {
  [G in keyof Groups]: { [N in keyof Groups[G]]: Named<Groups[G][N]> }[keyof Groups[G]]
}[keyof Groups]
