/**
 * The checks of what every adapter must do, port by port, as plain effects: for any test runner. Each function returns
 * checks whose requirements are the ports that they use.
 */
import { ofSubject } from "./GivenSubject.ts"
import { macRings } from "./MacRings.ts"
import { mailTransports } from "./MailTransports.ts"
import { rateLimiters } from "./RateLimiters.ts"
import { secretBoxes } from "./SecretBoxes.ts"
import { statementContents } from "./Statements.ts"
import { transactions } from "./Transactions.ts"
import { transports } from "./Transports.ts"
import { addresses } from "./WebhookAddresses.ts"

export { apiKeys as apiKeyStore } from "./ApiKeys.ts"
export { audit as auditStore } from "./Audit.ts"
export { caps as capStore } from "./Caps.ts"
export { cardGuards as cardGuardStore } from "./CardGuards.ts"
export { charges as chargeStore } from "./Charges.ts"
export { checkoutLinks as checkoutLinkStore } from "./CheckoutLinks.ts"
export { consentPrompts as consentPromptStore } from "./ConsentPrompts.ts"
export { contactLogs as contactLogStore } from "./ContactLogs.ts"
export { credits as creditStore } from "./Credits.ts"
export { defaultCodes as defaultCodeStore } from "./DefaultCodes.ts"
export { deliveries as deliveryStore } from "./Deliveries.ts"
export { disclosures as disclosureStore } from "./Disclosures.ts"
export { disputes as disputeStore } from "./Disputes.ts"
export { donationForms as donationFormStore } from "./DonationForms.ts"
export { donations as donationStore, refunds as refundStore } from "./Donations.ts"
export { type DonorSubject, donors as donorStore } from "./Donors.ts"
export { elections as electionStore } from "./Elections.ts"
export { emailCodes as emailCodeStore } from "./EmailCodes.ts"
export { eventConsumers as eventConsumerStore } from "./EventConsumers.ts"
export { givingSettings as givingSettingsStore } from "./GivingSettings.ts"
export { idempotency as idempotencyStore } from "./Idempotency.ts"
export { campaigns as campaignStore, scores as scoreStore } from "./Insight.ts"
export { intake as donationIntake } from "./Intake.ts"
export { integrations as integrationStore } from "./Integrations.ts"
export { introductions as introductionStore } from "./Introductions.ts"
export { ledgerEntries as ledgerStore } from "./LedgerEntries.ts"
export { linkedOrganisations as linkedOrganisationStore } from "./LinkedOrganisations.ts"
export type { MacsSubject } from "./MacRings.ts"
export { mails as mailOutbox } from "./Mails.ts"
export type { MailTransportSubject } from "./MailTransports.ts"
export { notices as noticeStore } from "./Notices.ts"
export { organisations as organisationStore } from "./Organisations.ts"
export { outboxes as outbox } from "./Outboxes.ts"
export { passphraseFailures } from "./PassphraseWindows.ts"
export { paymentExceptions as paymentExceptionStore } from "./PaymentExceptions.ts"
export { paymentProcessors as paymentProcessor } from "./PaymentProcessors.ts"
export { payments as paymentStore } from "./Payments.ts"
export { type DonorTokens, type ProcessorDriver, ProcessorUnderTest } from "./ProcessorDriver.ts"
export type { LimiterSubject } from "./RateLimiters.ts"
export { recipientAccounts as recipientAccountStore } from "./RecipientAccounts.ts"
export { recommendationSets as recommendationSetStore } from "./RecommendationSets.ts"
export { reconciliations as reconciliationStore } from "./Reconciliations.ts"
export { revenueCodes as revenueCodeStore } from "./RevenueCodes.ts"
export { sandboxClocks as sandboxClockStore } from "./SandboxClocks.ts"
export { sealedStores as sealedStore } from "./SealedStores.ts"
export type { SecretBoxSubject } from "./SecretBoxes.ts"
export { segments as segmentStore } from "./Segments.ts"
export { signals as deliverySignal } from "./Signals.ts"
export { signers as webhookSigner } from "./Signers.ts"
export { type ContentSubject, statementMarkups as statementMarkup } from "./Statements.ts"
export {
  invoices as invoiceStore,
  mandates as mandateStore,
  subscriptions as subscriptionStore
} from "./Subscriptions.ts"
export type { Check, Thoroughness } from "./Suite.ts"
export { tariffs as tariffStore } from "./Tariffs.ts"
export { testBanks as testBank } from "./TestBanks.ts"
export { tokens } from "./Tokens.ts"
export {
  donorRecords,
  revenueCodeRecords,
  type TransactionRecords,
  type TransactionSubject
} from "./Transactions.ts"
export { transferAttempts as transferAttemptStore } from "./TransferAttempts.ts"
export type { Behaviour, ReceivedRequest, Receiver, TransportSubject } from "./Transports.ts"
export { users as userStore } from "./Users.ts"
export type { AddressesSubject } from "./WebhookAddresses.ts"
export { webhookEndpoints as webhookEndpointStore } from "./WebhookEndpoints.ts"
export { yearlySummaries as yearlySummaryStore } from "./YearlySummaries.ts"

/** The laws of Macs. How long a comparison takes is not measured. */
export const macs = ofSubject("macs", macRings)

/** The laws of MailTransport. */
export const mailTransport = ofSubject("mailTransport", mailTransports)

/** The laws of RateLimiter. */
export const rateLimiter = ofSubject("rateLimiter", rateLimiters)

/** The laws of SecretBox. */
export const secretBox = ofSubject("secretBox", secretBoxes)

/** The laws of StatementContent. */
export const statementContent = ofSubject("statementContent", statementContents)

/** The laws of Transaction. */
export const transaction = ofSubject("transaction", transactions)

/** The laws of WebhookAddresses. */
export const webhookAddresses = ofSubject("webhookAddresses", addresses)

/** The laws of WebhookTransport. TLS cannot be tried with receivers of plain HTTP. */
export const webhookTransport = ofSubject("webhookTransport", transports)
