import { defaultPaymentMethods } from "../../../domain/giving/CheckoutLinkDraft.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"

/**
 * The values of fields that a body leaves out, by schema and field, where they are the same for everybody. The OpenAPI
 * document does not have them: generators take a field with a default as one that must be sent.
 */
export const defaults: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  NewDonor: { donor_type: "INDIVIDUAL", country: "AU", do_not_contact: false },
  NewDonationForm: {
    status: "DRAFT",
    allow_custom_amount: true,
    allow_recurring: true,
    recurring_frequencies: ["MONTHLY"],
    default_cadence: "ONE_TIME",
    address_visibility: "NONE",
    phone_visibility: "OPTIONAL"
  },
  NewCheckoutLink: { payment_methods: defaultPaymentMethods },
  NewRecommendationSet: { amount_mode: "FIXED" },
  NewIntroduction: { ttl_days: Limits.introductionTtlDefaultDays },
  SecretRotation: { overlap_hours: Limits.secretOverlapDefaultHours }
}
