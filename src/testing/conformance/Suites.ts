import * as Checks from "./Checks.ts"
import { suiteOf } from "./Registering.ts"

/**
 * Registers what every `ApiKeyStore` must do, as a vitest suite.
 * @example Conformance.apiKeyStore("my apiKeyStore", { layer })
 */
export const apiKeyStore = suiteOf(Checks.apiKeyStore)

/**
 * Registers what every `AuditStore` must do, as a vitest suite.
 * @example Conformance.auditStore("my auditStore", { layer })
 */
export const auditStore = suiteOf(Checks.auditStore)

/**
 * Registers what every `ConsentPromptStore` must do, as a vitest suite.
 * @example Conformance.consentPromptStore("my consentPromptStore", { layer })
 */
export const consentPromptStore = suiteOf(Checks.consentPromptStore)

/**
 * Registers what every `ContactLogStore` must do, as a vitest suite.
 * @example Conformance.contactLogStore("my contactLogStore", { layer })
 */
export const contactLogStore = suiteOf(Checks.contactLogStore)

/**
 * Registers what every `DeliverySignal` must do, as a vitest suite.
 * @example Conformance.deliverySignal("my deliverySignal", { layer })
 */
export const deliverySignal = suiteOf(Checks.deliverySignal)

/**
 * Registers what every `DeliveryStore` must do, as a vitest suite. No other delivery may be pending in it.
 * @example Conformance.deliveryStore("my deliveryStore", { layer })
 */
export const deliveryStore = suiteOf(Checks.deliveryStore)

/**
 * Registers what every `ChargeStore` must do, as a vitest suite. No other charge may be looked at in it.
 * @example Conformance.chargeStore("my chargeStore", { layer })
 */
export const chargeStore = suiteOf(Checks.chargeStore)

/**
 * Registers what every `DisputeStore` must do, as a vitest suite.
 * @example Conformance.disputeStore("my disputeStore", { layer })
 */
export const disputeStore = suiteOf(Checks.disputeStore)

/**
 * Registers what every `InvoiceStore` must do, as a vitest suite.
 * @example Conformance.invoiceStore("my invoiceStore", { layer })
 */
export const invoiceStore = suiteOf(Checks.invoiceStore)

/**
 * Registers what every `MandateStore` must do, as a vitest suite.
 * @example Conformance.mandateStore("my mandateStore", { layer })
 */
export const mandateStore = suiteOf(Checks.mandateStore)

/**
 * Registers what every `SubscriptionStore` must do, as a vitest suite. No other recurring gift may be looked at in it.
 * @example Conformance.subscriptionStore("my subscriptionStore", { layer })
 */
export const subscriptionStore = suiteOf(Checks.subscriptionStore)

/**
 * Registers what every `TransferAttemptStore` must do, as a vitest suite. No other attempt may be due in it.
 * @example Conformance.transferAttemptStore("my transferAttemptStore", { layer })
 */
export const transferAttemptStore = suiteOf(Checks.transferAttemptStore)

/**
 * Registers what every `LedgerStore` must do, as a vitest suite.
 * @example Conformance.ledgerStore("my ledgerStore", { layer })
 */
export const ledgerStore = suiteOf(Checks.ledgerStore)

/**
 * Registers what every `PaymentExceptionStore` must do, as a vitest suite.
 * @example Conformance.paymentExceptionStore("my paymentExceptionStore", { layer })
 */
export const paymentExceptionStore = suiteOf(Checks.paymentExceptionStore)

/**
 * Registers what every `TariffStore` must do, as a vitest suite.
 * @example Conformance.tariffStore("my tariffStore", { layer })
 */
export const tariffStore = suiteOf(Checks.tariffStore)

/**
 * Registers what every `CheckoutLinkStore` must do, as a vitest suite.
 * @example Conformance.checkoutLinkStore("my checkoutLinkStore", { layer })
 */
export const checkoutLinkStore = suiteOf(Checks.checkoutLinkStore)

/**
 * Registers what every `EventConsumerStore` must do, as a vitest suite.
 * @example Conformance.eventConsumerStore("my eventConsumerStore", { layer })
 */
export const eventConsumerStore = suiteOf(Checks.eventConsumerStore)

/**
 * Registers what every `DonationFormStore` must do, as a vitest suite.
 * @example Conformance.donationFormStore("my donationFormStore", { layer })
 */
export const donationFormStore = suiteOf(Checks.donationFormStore)

/**
 * Registers what every `DonationIntake` must do, as a vitest suite.
 * @example Conformance.donationIntake("my donationIntake", { layer })
 */
export const donationIntake = suiteOf(Checks.donationIntake)

/**
 * Registers what every `DonationStore` must do, as a vitest suite.
 * @example Conformance.donationStore("my donationStore", { layer })
 */
export const donationStore = suiteOf(Checks.donationStore)

/**
 * Registers what every `IdempotencyStore` must do, as a vitest suite.
 * @example Conformance.idempotencyStore("my idempotencyStore", { layer })
 */
export const idempotencyStore = suiteOf(Checks.idempotencyStore)

/**
 * Registers what every `IntegrationStore` must do, as a vitest suite.
 * @example Conformance.integrationStore("my integrationStore", { layer })
 */
export const integrationStore = suiteOf(Checks.integrationStore)

/**
 * Registers what every `LinkedOrganisationStore` must do, as a vitest suite.
 * @example Conformance.linkedOrganisationStore("my linkedOrganisationStore", { layer })
 */
export const linkedOrganisationStore = suiteOf(Checks.linkedOrganisationStore)

/**
 * Registers what every `IntroductionStore` must do, as a vitest suite.
 * @example Conformance.introductionStore("my introductionStore", { layer })
 */
export const introductionStore = suiteOf(Checks.introductionStore)

/**
 * Registers what every `MailOutbox` must do, as a vitest suite. No other mail may be pending in it.
 * @example Conformance.mailOutbox("my mailOutbox", { layer })
 */
export const mailOutbox = suiteOf(Checks.mailOutbox)

/**
 * Registers what every `UserStore` must do, as a vitest suite.
 * @example Conformance.userStore("my userStore", { layer })
 */
export const userStore = suiteOf(Checks.userStore)

/**
 * Registers what every `OrganisationStore` must do, as a vitest suite.
 * @example Conformance.organisationStore("my organisationStore", { layer })
 */
export const organisationStore = suiteOf(Checks.organisationStore)

/**
 * Registers what every `Outbox` must do, as a vitest suite.
 * @example Conformance.outbox("my outbox", { layer })
 */
export const outbox = suiteOf(Checks.outbox)

/**
 * Registers what every `PassphraseFailures` must do, as a vitest suite.
 * @example Conformance.passphraseFailures("my passphraseFailures", { layer })
 */
export const passphraseFailures = suiteOf(Checks.passphraseFailures)

/**
 * Registers what every `RecipientAccountStore` must do, as a vitest suite.
 * @example Conformance.recipientAccountStore("my recipientAccountStore", { layer })
 */
export const recipientAccountStore = suiteOf(Checks.recipientAccountStore)

/**
 * Registers what every `RecommendationSetStore` must do, as a vitest suite.
 * @example Conformance.recommendationSetStore("my recommendationSetStore", { layer })
 */
export const recommendationSetStore = suiteOf(Checks.recommendationSetStore)

/**
 * Registers what every `PaymentProcessor` must do, as a vitest suite: its layer is a driver of it.
 * @example Conformance.paymentProcessor("my paymentProcessor", { layer })
 */
export const paymentProcessor = suiteOf(Checks.paymentProcessor)

/**
 * Registers what every `PaymentStore` must do, as a vitest suite.
 * @example Conformance.paymentStore("my paymentStore", { layer })
 */
export const paymentStore = suiteOf(Checks.paymentStore)

/**
 * Registers what every `RefundStore` must do, as a vitest suite.
 * @example Conformance.refundStore("my refundStore", { layer })
 */
export const refundStore = suiteOf(Checks.refundStore)

/**
 * Registers what every `RevenueCodeStore` must do, as a vitest suite.
 * @example Conformance.revenueCodeStore("my revenueCodeStore", { layer })
 */
export const revenueCodeStore = suiteOf(Checks.revenueCodeStore)

/**
 * Registers what every `CampaignStore` must do, as a vitest suite.
 * @example Conformance.campaignStore("my campaignStore", { layer })
 */
export const campaignStore = suiteOf(Checks.campaignStore)

/**
 * Registers what every `ScoreStore` must do, as a vitest suite.
 * @example Conformance.scoreStore("my scoreStore", { layer })
 */
export const scoreStore = suiteOf(Checks.scoreStore)

/**
 * Registers what every `SealedStore` must do, as a vitest suite.
 * @example Conformance.sealedStore("my sealedStore", { layer })
 */
export const sealedStore = suiteOf(Checks.sealedStore)

/**
 * Registers what every `SegmentStore` must do, as a vitest suite.
 * @example Conformance.segmentStore("my segmentStore", { layer })
 */
export const segmentStore = suiteOf(Checks.segmentStore)

/**
 * Registers what every `TestBank` must do, as a vitest suite.
 * @example Conformance.testBank("my testBank", { layer })
 */
export const testBank = suiteOf(Checks.testBank)

/**
 * Registers what every `Tokens` must do, as a vitest suite.
 * @example Conformance.tokens("my tokens", { layer })
 */
export const tokens = suiteOf(Checks.tokens)

/**
 * Registers what every `WebhookEndpointStore` must do, as a vitest suite.
 * @example Conformance.webhookEndpointStore("my webhookEndpointStore", { layer })
 */
export const webhookEndpointStore = suiteOf(Checks.webhookEndpointStore)

/**
 * Registers what every `WebhookSigner` must do, as a vitest suite.
 * @example Conformance.webhookSigner("my webhookSigner", { layer })
 */
export const webhookSigner = suiteOf(Checks.webhookSigner)

/**
 * Registers what every `NoticeStore` must do, as a vitest suite.
 * @example Conformance.noticeStore("my noticeStore", { layer })
 */
export const noticeStore = suiteOf(Checks.noticeStore)

/**
 * Registers what every `ReconciliationStore` must do, as a vitest suite.
 * @example Conformance.reconciliationStore("my reconciliationStore", { layer })
 */
export const reconciliationStore = suiteOf(Checks.reconciliationStore)

/**
 * Registers what every `SandboxClockStore` must do, as a vitest suite.
 * @example Conformance.sandboxClockStore("my sandboxClockStore", { layer })
 */
export const sandboxClockStore = suiteOf(Checks.sandboxClockStore)

/**
 * Registers what every `CreditStore` must do, as a vitest suite.
 * @example Conformance.creditStore("my creditStore", { layer })
 */
export const creditStore = suiteOf(Checks.creditStore)
