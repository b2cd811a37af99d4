import { Schema } from "effect"

export { PaymentMethod } from "../kernel/PaymentMethod.ts"

/**
 * How a gift came in; four values stand for third-party systems. service-spec, Donation.
 *
 * @example
 * ```ts
 * Schema.is(DonationKinds.Source)("CHECKOUT_LINK") // => true
 * Schema.is(DonationKinds.Source)("ADMIN") // => false
 * ```
 */
export const Source = Schema.Literals([
  "PAYMENT_PROCESSOR",
  "CRM_A",
  "CAMPAIGN_PLATFORM_B",
  "CRM_C",
  "GATEWAY",
  "CHECKOUT_LINK",
  "RECOMMENDATION_SET",
  "MANUAL",
  "CSV_IMPORT",
  "OTHER"
]).annotate({ identifier: "DonationSource" })

/**
 * Whether money or goods were given. service-spec, Donation.
 * @example Schema.is(DonationKinds.DonationType)("PLEDGE") // => false
 */
export const DonationType = Schema.Literals(["MONETARY", "IN_KIND"]).annotate({ identifier: "DonationType" })

/**
 * How a gift that staff record was paid. service-spec, POST /donations.
 *
 * @example
 * ```ts
 * Schema.is(DonationKinds.ManualPaymentMethod)("cash") // => true
 * Schema.is(DonationKinds.ManualPaymentMethod)("card") // => false
 * ```
 */
export const ManualPaymentMethod = Schema.Literals(["cash", "cheque", "bank_transfer", "other"]).annotate({
  identifier: "ManualPaymentMethod"
})

/**
 * The kind of goods that were given. service-spec, Donation.
 * @example Schema.is(DonationKinds.InKindCategory)("EXCESS_PAYMENT") // => true
 */
export const InKindCategory = Schema.Literals(["GOODS", "SERVICES", "DISCOUNT", "EXCESS_PAYMENT", "OTHER"]).annotate({
  identifier: "InKindCategory"
})
