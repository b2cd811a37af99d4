import { defaultPaymentMethods } from "../../../domain/giving/CheckoutLinkDraft.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"

/**
 * What stands in a field that a body leaves out, by schema and field, where it is the same for everybody. The OpenAPI
 * document does not say it: generators take a field that has a default for one that must be sent.
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
