/**
 * Records of an `Almoner` beside their machines, for `Models.run`: which commands there is a use case for, how each is
 * called, and how the record and its events are read back. Every script has an organisation of its own.
 */
export { apiKeys } from "./mappings/ApiKeys.ts"
export { type Calls, Clock, type Service, type ServiceUnderTest } from "./mappings/Charity.ts"
export { consumedEvents } from "./mappings/ConsumedEvents.ts"
export { donors } from "./mappings/Donors.ts"
export {
  checkoutLinks,
  consentPrompts,
  contactLogs,
  donationForms,
  donations,
  refunds,
  revenueCodes
} from "./mappings/GivingModels.ts"
export { introductions, recipientAccounts, recommendationSets } from "./mappings/SharingModels.ts"
export { webhookEndpoints } from "./mappings/WebhookEndpoints.ts"
