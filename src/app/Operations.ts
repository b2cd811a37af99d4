import { apiKeyOperations } from "./access/ApiKeys.ts"
import { auditLogOperations } from "./access/AuditLog.ts"
import { organisationOperations } from "./access/Organisations.ts"
import { sealedSecretOperations } from "./access/SealedSecrets.ts"
import { userOperations } from "./access/Users.ts"
import { capOperations } from "./compliance/Caps.ts"
import { codeAssignmentOperations } from "./compliance/CodeAssignments.ts"
import { defaultCodeOperations } from "./compliance/DefaultCodes.ts"
import { disclosureOperations } from "./compliance/Disclosures.ts"
import { electionOperations } from "./compliance/Elections.ts"
import { regimeOperations } from "./compliance/Regimes.ts"
import { checkoutLinkOperations } from "./giving/CheckoutLinks.ts"
import { consentPromptOperations } from "./giving/ConsentPrompts.ts"
import { contactLogOperations } from "./giving/ContactLogs.ts"
import { donationFormOperations } from "./giving/DonationForms.ts"
import { donationOperations } from "./giving/Donations.ts"
import { donorOperations } from "./giving/Donors.ts"
import { givingSettingsOperations } from "./giving/GivingSettings.ts"
import { refundOperations } from "./giving/Refunds.ts"
import { revenueCodeOperations } from "./giving/RevenueCodes.ts"
import { campaignOperations } from "./insight/Campaigns.ts"
import { intelligenceOperations } from "./insight/DonorIntelligence.ts"
import { segmentOperations } from "./insight/Segments.ts"
import { endpointTestOperations } from "./outbox/EndpointTests.ts"
import { eventConsumerOperations } from "./outbox/EventConsumers.ts"
import { eventOperations } from "./outbox/Events.ts"
import { mailOperations } from "./outbox/Mails.ts"
import { sandboxOperations } from "./outbox/Sandbox.ts"
import { webhookDeliveryOperations } from "./outbox/WebhookDeliveries.ts"
import { webhookEndpointOperations } from "./outbox/WebhookEndpoints.ts"
import { yearlySummaryOperations } from "./outbox/YearlySummaries.ts"
import { chargeOperations } from "./payments/Charges.ts"
import { creditOperations } from "./payments/Credits.ts"
import { ledgerOperations } from "./payments/Ledger.ts"
import { noticeOperations } from "./payments/Notices.ts"
import { paymentExceptionOperations } from "./payments/PaymentExceptions.ts"
import { reconcilerOperations } from "./payments/Reconciler.ts"
import { subscriptionOperations } from "./payments/Subscriptions.ts"
import { tariffOperations } from "./payments/Tariffs.ts"
import { testProcessorOperations } from "./payments/TestProcessor.ts"
import { checkoutOperations } from "./sharing/Checkouts.ts"
import { integrationOperations } from "./sharing/Integrations.ts"
import { introductionOperations } from "./sharing/Introductions.ts"
import { invitationOperations } from "./sharing/Invitations.ts"
import { paymentOperations } from "./sharing/Payments.ts"
import { personalisedLinkOperations } from "./sharing/PersonalisedLinks.ts"
import { recipientAccountOperations } from "./sharing/RecipientAccounts.ts"
import { recommendationSetOperations } from "./sharing/RecommendationSets.ts"
import { transferOperations } from "./sharing/Transfers.ts"

/** The operations by what they are about, as their own files declare them. */
type Operations = {
  readonly donors: typeof donorOperations
  readonly contactLogs: typeof contactLogOperations
  readonly donations: typeof donationOperations
  readonly refunds: typeof refundOperations
  readonly revenueCodes: typeof revenueCodeOperations & typeof codeAssignmentOperations & typeof defaultCodeOperations
  readonly subscriptions: typeof subscriptionOperations
  readonly givingSettings: typeof givingSettingsOperations
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
  readonly yearlySummaries: typeof yearlySummaryOperations
  readonly keyRing: typeof sealedSecretOperations
  readonly disclosures: typeof disclosureOperations
  readonly regimes: typeof regimeOperations
  readonly elections: typeof electionOperations
  readonly caps: typeof capOperations
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
 * Every operation under its one name, by which it is requested (`forms.mint_link`), as the API in process and the
 * client have it (`forms.mintLink`). The properties and methods of `Almoner` are made from it, and so are the
 * endpoints.
 */
export const operations: Operations = {
  donors: donorOperations,
  contactLogs: contactLogOperations,
  donations: donationOperations,
  refunds: refundOperations,
  revenueCodes: { ...revenueCodeOperations, ...codeAssignmentOperations, ...defaultCodeOperations },
  subscriptions: subscriptionOperations,
  givingSettings: givingSettingsOperations,
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
  yearlySummaries: yearlySummaryOperations,
  keyRing: sealedSecretOperations,
  disclosures: disclosureOperations,
  regimes: regimeOperations,
  elections: electionOperations,
  caps: capOperations,
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

type Named<O> = O extends { readonly requires: { readonly who: "caller"; readonly name: infer Name } } ? Name : never

/** The names of what API keys may be used for, as refusals and the audit have them. */
export type OperationName = {
  [G in keyof Groups]: { [N in keyof Groups[G]]: Named<Groups[G][N]> }[keyof Groups[G]]
}[keyof Groups]
