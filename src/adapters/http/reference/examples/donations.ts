import { idOf, instant } from "../Samples.ts"
import { donor } from "./donors.ts"
import { type Examples, later, page } from "./Example.ts"

const newDonation = {
  donor_id: donor.id,
  donation_type: "MONETARY",
  amount_cents: 5_000,
  donation_date: "2026-04-01",
  payment_method: "cheque",
  revenue_code: "SPRING-2026"
}

export const donation = {
  ...newDonation,
  id: idOf("donation"),
  external_id: null,
  source: "MANUAL",
  status: "CONFIRMED",
  refunded_amount_cents: 0,
  currency: "AUD",
  in_kind_category: null,
  in_kind_description: null,
  donation_date: "2026-03-31T13:00:00.000Z",
  received_date: null,
  revenue_code_id: idOf("revenueCode"),
  recommendation_set_id: null,
  allocation_id: null,
  subscription_id: null,
  is_recurring: false,
  donation_form_id: null,
  campaign_id: null,
  consent_given: null,
  created_at: instant,
  updated_at: instant,
  deleted_at: null
}

const refund = {
  id: idOf("refund"),
  donation_id: donation.id,
  amount_cents: 2_000,
  reason: "Paid twice",
  status: "SUCCEEDED",
  refunded_at: later,
  processor_reference: null,
  created_at: later,
  updated_at: later
}

export const donationExamples = {
  "donations.create": { request: newDonation, answer: donation },
  "donations.list": { answer: page(donation) },
  "donations.refund": {
    request: { amount_cents: 2_000, reason: "Paid twice" },
    answer: {
      ...donation,
      refunded_amount_cents: 2_000,
      updated_at: later,
      refund
    }
  },
  "donations.list_refunds": { answer: page(refund) },
  "donations.read": { answer: { ...donation, submitted_donor: null } }
} satisfies Examples
