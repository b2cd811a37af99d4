import { idOf, instant } from "../Samples.ts"
import { type Examples, farAhead, later, page } from "./Example.ts"

const newLink = {
  donor_email: "ada@example.org",
  donor_first_name: "Ada",
  donor_last_name: "Okafor",
  amount_cents: 25_000,
  description: "Table at the spring dinner",
  revenue_code: "SPRING-2026",
  payment_methods: ["card", "bank_transfer"],
  expires_at: farAhead
}

const code = "4VnYk8QmZr1Wc6Tb9XhJ2D"

const link = {
  ...newLink,
  id: idOf("checkoutLink"),
  code,
  url: `https://riverside.example.org/c/${code}`,
  donor_phone: null,
  currency: "AUD",
  status: "ACTIVE",
  source: "API",
  revenue_code_id: idOf("revenueCode"),
  processor_integration_id: null,
  donor_id: null,
  donation_id: null,
  visit_count: 0,
  last_visited_at: null,
  created_at: instant,
  updated_at: instant,
  archived_at: null
}

export const checkoutLinkExamples = {
  "checkout_links.create": { request: newLink, answer: link },
  "checkout_links.list": { answer: page(link) },
  "checkout_links.read": { answer: link },
  "checkout_links.update": {
    request: { amount_cents: 30_000, expires_at: null },
    answer: { ...link, amount_cents: 30_000, expires_at: null, updated_at: later }
  },
  "checkout_links.cancel": { answer: { ...link, status: "CANCELED", updated_at: later } },
  "checkout_links.archive": { answer: { ...link, updated_at: later, archived_at: later } }
} satisfies Examples
