/**
 * The checks of what every adapter must do, port by port, as plain effects: for any test runner. Each function returns
 * checks whose requirements are the ports that they use.
 */
export { apiKeys as apiKeyStore } from "./ApiKeys.ts"
export { audit as auditStore } from "./Audit.ts"
export { campaigns as campaignStore } from "./Campaigns.ts"
export { checkoutLinks as checkoutLinkStore } from "./CheckoutLinks.ts"
export { contactLogs as contactLogStore } from "./ContactLogs.ts"
export { deliveries as deliveryStore } from "./Deliveries.ts"
export { donationForms as donationFormStore } from "./DonationForms.ts"
export { donations as donationStore } from "./Donations.ts"
export { type DonorSubject, donors as donorStore } from "./Donors.ts"
export { eventConsumers as eventConsumerStore } from "./EventConsumers.ts"
export { idempotency as idempotencyStore } from "./Idempotency.ts"
export { intake as donationIntake } from "./Intake.ts"
export { integrations as integrationStore } from "./Integrations.ts"
export { introductions as introductionStore } from "./Introductions.ts"
export { linkedOrganisations as linkedOrganisationStore } from "./LinkedOrganisations.ts"
export { type MacsSubject, macs } from "./MacRings.ts"
export { mails as mailOutbox } from "./Mails.ts"
export { type MailTransportSubject, mailTransports as mailTransport } from "./MailTransports.ts"
export { organisations as organisationStore } from "./Organisations.ts"
export { outboxes as outbox } from "./Outboxes.ts"
export { passphraseFailures } from "./PassphraseWindows.ts"
export { payments as paymentStore } from "./Payments.ts"
export { type LimiterSubject, rateLimiters as rateLimiter } from "./RateLimiters.ts"
export { recipientAccounts as recipientAccountStore } from "./RecipientAccounts.ts"
export { recommendationSets as recommendationSetStore } from "./RecommendationSets.ts"
export { refunds as refundStore } from "./Refunds.ts"
export { revenueCodes as revenueCodeStore } from "./RevenueCodes.ts"
export { scores as scoreStore } from "./Scores.ts"
export { sealedStores as sealedStore } from "./SealedStores.ts"
export { type SecretBoxSubject, secretBoxes as secretBox } from "./SecretBoxes.ts"
export { segments as segmentStore } from "./Segments.ts"
export { signals as deliverySignal } from "./Signals.ts"
export { signers as webhookSigner } from "./Signers.ts"
export type { Check, Thoroughness } from "./Suite.ts"
export { tokens } from "./Tokens.ts"
export { donorRecords, revenueCodeRecords, type TransactionRecords } from "./TransactionRecords.ts"
export { type TransactionSubject, transactions as transaction } from "./Transactions.ts"
export {
  type Behaviour,
  type Received,
  type Receiver,
  type TransportSubject,
  transports as webhookTransport
} from "./Transports.ts"
export { users as userStore } from "./Users.ts"
export { type AddressesSubject, addresses as webhookAddresses } from "./WebhookAddresses.ts"
export { webhookEndpoints as webhookEndpointStore } from "./WebhookEndpoints.ts"
