/**
 * Records of an `Almoner` beside their machines, for `Models.run`: which commands there is a use case for, how each is
 * called, and how the record and its events are read back. Every script has an organisation of its own.
 */
export { apiKeys } from "./mappings/ApiKeys.ts"
export { type Calls, Clock, type Service, type ServiceUnderTest } from "./mappings/Charity.ts"
export { checkoutLinks } from "./mappings/CheckoutLinks.ts"
export { consentPrompts } from "./mappings/ConsentPrompts.ts"
export { consumedEvents } from "./mappings/ConsumedEvents.ts"
export { contactLogs } from "./mappings/ContactLogs.ts"
export { donationForms } from "./mappings/DonationForms.ts"
export { donations } from "./mappings/Donations.ts"
export { donors } from "./mappings/Donors.ts"
export { introductions } from "./mappings/Introductions.ts"
export { recipientAccounts } from "./mappings/RecipientAccounts.ts"
export { recommendationSets } from "./mappings/RecommendationSets.ts"
export { refunds } from "./mappings/Refunds.ts"
export { revenueCodes } from "./mappings/RevenueCodes.ts"
export { webhookEndpoints } from "./mappings/WebhookEndpoints.ts"
