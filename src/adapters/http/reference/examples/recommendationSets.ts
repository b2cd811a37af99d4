import { idOf, instant } from "../Samples.ts"
import { donor } from "./donors.ts"
import { type Examples, later, page } from "./Example.ts"

const link = idOf("recipientAccountLink")

const newSet = {
  name: "Winter shelter partners",
  allocations: [{ recipient_org_account_link_id: link, amount_cents: 5_000 }],
  amount_mode: "SUGGESTED",
  min_total_cents: 1_000
}

const set = {
  id: idOf("recommendationSet"),
  name: newSet.name,
  slug: "winter-shelter-partners",
  is_active: true,
  archived_at: null,
  expires_at: null,
  amount_mode: newSet.amount_mode,
  min_total_cents: newSet.min_total_cents,
  total_amount_cents: 5_000,
  allocation_count: 1,
  created_at: instant
}

const urlKey = "EXAMPLEexample0123456789"
const noPayments = { referred_cents: 0, referred_count: 0, in_flight_cents: 0, in_flight_count: 0 }

const detail = {
  ...set,
  url_key: urlKey,
  description: null,
  giving_url: `https://riverside.example.org/g/${urlKey}`,
  payment_summary: { referred_cents: 6_000, referred_count: 1, in_flight_cents: 0, in_flight_count: 0 },
  allocations: [
    {
      id: idOf("allocation"),
      amount_cents: 5_000,
      recipient_org_account_link_id: link,
      link_label: "Harbour Food Bank",
      recipient_org_name: "Harbour Food Bank"
    }
  ]
}

const payment = {
  id: idOf("payment"),
  recommendation_set_id: set.id,
  donor_id: donor.id,
  payment_status: "SUCCEEDED",
  distribution_status: "SUCCEEDED",
  total_amount_cents: 6_000,
  ask_total_cents: null,
  payment_method_type: "card",
  created_at: later,
  allocations: [
    {
      id: idOf("paymentAllocation"),
      recipient_org_account_link_id: link,
      gross_amount_cents: 6_000,
      net_amount_cents: 5_800,
      transfer_status: "succeeded",
      donation_id: idOf("donation")
    }
  ]
}

export const recommendationSetExamples = {
  "recommendation_sets.create": { request: newSet, answer: { ...detail, payment_summary: noPayments } },
  "recommendation_sets.list": { answer: page(set) },
  "recommendation_sets.read": { answer: detail },
  "recommendation_sets.update": {
    request: { min_total_cents: null },
    answer: { ...detail, min_total_cents: null }
  },
  "recommendation_sets.deactivate": { answer: { ...detail, is_active: false } },
  "recommendation_sets.archive": { answer: { ...detail, is_active: false, archived_at: later } },
  "recommendation_sets.list_payments": { answer: page(payment) },
  "recommendation_sets.mint_link": {
    request: { donor_id: donor.id },
    answer: {
      url: `${detail.giving_url}?dt=v1.a1.${donor.id}.1.mnfr8x30.RgE7Q2mXcJ0uVd9sKp4TzLwYb6NhAf1iOe3BqD8rUxC`,
      donor_id: donor.id,
      recommendation_set_id: set.id,
      expires_at: "2026-05-01T02:30:00.000Z"
    }
  }
} satisfies Examples
