import { Schema } from "effect"

export { PaymentMethod } from "../kernel/PaymentMethod.ts"

/** How a gift came in; four values stand for third-party systems. service-spec, Donation. */
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

/** Whether money or goods were given. service-spec, Donation. */
export const DonationType = Schema.Literals(["MONETARY", "IN_KIND"]).annotate({ identifier: "DonationType" })

/** How a gift that staff record was paid. service-spec, Create-donation body: payment_method. */
export const ManualPaymentMethod = Schema.Literals(["cash", "cheque", "bank_transfer", "other"]).annotate({
  identifier: "ManualPaymentMethod"
})

/** The kind of goods that were given. service-spec, Donation. */
export const InKindCategory = Schema.Literals(["GOODS", "SERVICES", "DISCOUNT", "EXCESS_PAYMENT", "OTHER"]).annotate({
  identifier: "InKindCategory"
})
