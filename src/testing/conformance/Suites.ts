import * as Checks from "./Checks.ts"
import { suiteOf } from "./Registration.ts"

/** Registers what every `ApiKeyStore` must do, as a vitest suite. */
export const apiKeyStore = suiteOf(Checks.apiKeyStore)

/** Registers what every `AuditStore` must do, as a vitest suite. */
export const auditStore = suiteOf(Checks.auditStore)

/** Registers what every `ConsentPromptStore` must do, as a vitest suite. */
export const consentPromptStore = suiteOf(Checks.consentPromptStore)

/** Registers what every `ContactLogStore` must do, as a vitest suite. */
export const contactLogStore = suiteOf(Checks.contactLogStore)

/** Registers what every `DeliverySignal` must do, as a vitest suite. */
export const deliverySignal = suiteOf(Checks.deliverySignal)

/** Registers what every `DeliveryStore` must do, as a vitest suite. No other delivery may be pending in it. */
export const deliveryStore = suiteOf(Checks.deliveryStore)

/** Registers what every `ChargeStore` must do, as a vitest suite. No other charge may be looked at in it. */
export const chargeStore = suiteOf(Checks.chargeStore)

/** Registers what every `DefaultCodeStore` must do, as a vitest suite. */
export const defaultCodeStore = suiteOf(Checks.defaultCodeStore)

/** Registers what every `DisclosureStore` must do, as a vitest suite. */
export const disclosureStore = suiteOf(Checks.disclosureStore)

/** Registers what every `CapStore` must do, as a vitest suite. */
export const capStore = suiteOf(Checks.capStore)

/** Registers what every `CardGuardStore` must do, as a vitest suite. */
export const cardGuardStore = suiteOf(Checks.cardGuardStore)

/** Registers what every `EmailCodeStore` must do, as a vitest suite. */
export const emailCodeStore = suiteOf(Checks.emailCodeStore)

/** Registers what every `GivingSettingsStore` must do, as a vitest suite. */
export const givingSettingsStore = suiteOf(Checks.givingSettingsStore)

/** Registers what every `ElectionStore` must do, as a vitest suite. */
export const electionStore = suiteOf(Checks.electionStore)

/** Registers what every `DisputeStore` must do, as a vitest suite. */
export const disputeStore = suiteOf(Checks.disputeStore)

/** Registers what every `InvoiceStore` must do, as a vitest suite. */
export const invoiceStore = suiteOf(Checks.invoiceStore)

/** Registers what every `MandateStore` must do, as a vitest suite. */
export const mandateStore = suiteOf(Checks.mandateStore)

/** Registers what every `SubscriptionStore` must do, as a vitest suite. No other recurring gift may be looked at in it. */
export const subscriptionStore = suiteOf(Checks.subscriptionStore)

/** Registers what every `TransferAttemptStore` must do, as a vitest suite. No other attempt may be due in it. */
export const transferAttemptStore = suiteOf(Checks.transferAttemptStore)

/** Registers what every `LedgerStore` must do, as a vitest suite. */
export const ledgerStore = suiteOf(Checks.ledgerStore)

/** Registers what every `PaymentExceptionStore` must do, as a vitest suite. */
export const paymentExceptionStore = suiteOf(Checks.paymentExceptionStore)

/** Registers what every `TariffStore` must do, as a vitest suite. */
export const tariffStore = suiteOf(Checks.tariffStore)

/** Registers what every `CheckoutLinkStore` must do, as a vitest suite. */
export const checkoutLinkStore = suiteOf(Checks.checkoutLinkStore)

/** Registers what every `EventConsumerStore` must do, as a vitest suite. */
export const eventConsumerStore = suiteOf(Checks.eventConsumerStore)

/** Registers what every `DonationFormStore` must do, as a vitest suite. */
export const donationFormStore = suiteOf(Checks.donationFormStore)

/** Registers what every `DonationIntake` must do, as a vitest suite. */
export const donationIntake = suiteOf(Checks.donationIntake)

/** Registers what every `DonationStore` must do, as a vitest suite. */
export const donationStore = suiteOf(Checks.donationStore)

/** Registers what every `IdempotencyStore` must do, as a vitest suite. */
export const idempotencyStore = suiteOf(Checks.idempotencyStore)

/** Registers what every `IntegrationStore` must do, as a vitest suite. */
export const integrationStore = suiteOf(Checks.integrationStore)

/** Registers what every `LinkedOrganisationStore` must do, as a vitest suite. */
export const linkedOrganisationStore = suiteOf(Checks.linkedOrganisationStore)

/** Registers what every `IntroductionStore` must do, as a vitest suite. */
export const introductionStore = suiteOf(Checks.introductionStore)

/** Registers what every `MailOutbox` must do, as a vitest suite. No other mail may be pending in it. */
export const mailOutbox = suiteOf(Checks.mailOutbox)

/** Registers what every `UserStore` must do, as a vitest suite. */
export const userStore = suiteOf(Checks.userStore)

/** Registers what every `OrganisationStore` must do, as a vitest suite. */
export const organisationStore = suiteOf(Checks.organisationStore)

/** Registers what every `Outbox` must do, as a vitest suite. */
export const outbox = suiteOf(Checks.outbox)

/** Registers what every `PassphraseFailures` must do, as a vitest suite. */
export const passphraseFailures = suiteOf(Checks.passphraseFailures)

/** Registers what every `RecipientAccountStore` must do, as a vitest suite. */
export const recipientAccountStore = suiteOf(Checks.recipientAccountStore)

/** Registers what every `RecommendationSetStore` must do, as a vitest suite. */
export const recommendationSetStore = suiteOf(Checks.recommendationSetStore)

/** Registers what every `PaymentProcessor` must do, as a vitest suite: its layer is a driver of it. */
export const paymentProcessor = suiteOf(Checks.paymentProcessor)

/** Registers what every `PaymentStore` must do, as a vitest suite. */
export const paymentStore = suiteOf(Checks.paymentStore)

/** Registers what every `RefundStore` must do, as a vitest suite. */
export const refundStore = suiteOf(Checks.refundStore)

/** Registers what every `RevenueCodeStore` must do, as a vitest suite. */
export const revenueCodeStore = suiteOf(Checks.revenueCodeStore)

/** Registers what every `CampaignStore` must do, as a vitest suite. */
export const campaignStore = suiteOf(Checks.campaignStore)

/** Registers what every `ScoreStore` must do, as a vitest suite. */
export const scoreStore = suiteOf(Checks.scoreStore)

/** Registers what every `SealedStore` must do, as a vitest suite. */
export const sealedStore = suiteOf(Checks.sealedStore)

/** Registers what every `SegmentStore` must do, as a vitest suite. */
export const segmentStore = suiteOf(Checks.segmentStore)

/** Registers what every `TestBank` must do, as a vitest suite. */
export const testBank = suiteOf(Checks.testBank)

/** Registers what every `StatementMarkup` must do, as a vitest suite. */
export const statementMarkup = suiteOf(Checks.statementMarkup)

/** Registers what every `Tokens` must do, as a vitest suite. */
export const tokens = suiteOf(Checks.tokens)

/** Registers what every `WebhookEndpointStore` must do, as a vitest suite. */
export const webhookEndpointStore = suiteOf(Checks.webhookEndpointStore)

/** Registers what every `YearlySummaryStore` must do, as a vitest suite. */
export const yearlySummaryStore = suiteOf(Checks.yearlySummaryStore)

/** Registers what every `WebhookSigner` must do, as a vitest suite. */
export const webhookSigner = suiteOf(Checks.webhookSigner)

/** Registers what every `NoticeStore` must do, as a vitest suite. */
export const noticeStore = suiteOf(Checks.noticeStore)

/** Registers what every `ReconciliationStore` must do, as a vitest suite. */
export const reconciliationStore = suiteOf(Checks.reconciliationStore)

/** Registers what every `SandboxClockStore` must do, as a vitest suite. */
export const sandboxClockStore = suiteOf(Checks.sandboxClockStore)

/** Registers what every `CreditStore` must do, as a vitest suite. */
export const creditStore = suiteOf(Checks.creditStore)
