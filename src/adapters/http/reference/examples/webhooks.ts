import { DateTime, Schema } from "effect"
import { DonationId, DonorId, EventId, OrganisationId } from "../../../../domain/kernel/Ids.ts"
import * as Event from "../../../../domain/outbox/Event.ts"
import { idOf, instant } from "../Samples.ts"
import { donation } from "./donations.ts"
import { donor } from "./donors.ts"
import { type Examples, later, page } from "./Example.ts"
import { organisation } from "./organisations.ts"

const newEndpoint = {
  url: "https://hooks.example.org/almoner",
  event_types: ["donation.created", "donation.succeeded"],
  description: "Accounting"
}

export const endpoint = {
  id: idOf("webhookEndpoint"),
  ...newEndpoint,
  is_active: true,
  disabled_reason: null,
  secret_last4: "7Qxk",
  created_at: instant,
  updated_at: instant
}

const secret = "almwh_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE7Qxk"

export const delivery = {
  id: idOf("delivery"),
  endpoint_id: endpoint.id,
  event_id: idOf("event"),
  event_type: "donation.succeeded",
  status: "DELIVERED",
  attempt_count: 1,
  interruption_count: 0,
  next_attempt_at: null,
  replay_of: null,
  created_at: instant,
  updated_at: instant,
  completed_at: instant
}

const attempt = {
  number: 1,
  attempted_at: instant,
  response_status: 200,
  response_excerpt: "ok",
  retry_after: null,
  error: null,
  duration_ms: 42
}

/** What of a gift its events say; the rest of their data is null. */
const donationData = {
  id: DonationId.make(donation.id),
  donor_id: DonorId.make(donor.id),
  amount_cents: donation.amount_cents,
  currency: donation.currency,
  refunded_amount_cents: 0,
  source: "MANUAL",
  status: "CONFIRMED",
  donation_date: DateTime.makeUnsafe(donation.donation_date),
  failure_code: null,
  revenue_code: donation.revenue_code,
  revenue_code_id: donation.revenue_code_id,
  tracking_code: donation.revenue_code,
  tracking_code_id: donation.revenue_code_id,
  subscription_id: null,
  is_recurring: false,
  donation_form_id: null,
  campaign_id: null,
  consent_given: null,
  consent_responses: [],
  differs_from_record: null,
  recommendation_set_id: null,
  allocation_id: null,
  updated_at: DateTime.makeUnsafe(instant)
} as const

export const donationEvent = Event.make({
  id: EventId.make(idOf("event")),
  organisation_id: OrganisationId.make(organisation.id),
  type: "donation.succeeded",
  occurred_at: DateTime.makeUnsafe(instant),
  dedupe_key: donation.id,
  data: donationData
})

/** The body of a delivery, as the examples show it. */
export const deliveredBody = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Unknown))(donationEvent.body)

const event = { id: donationEvent.id, ...Object(deliveredBody), created_at: instant }

export const webhookExamples = {
  "webhook_endpoints.create": { request: newEndpoint, answer: { ...endpoint, secret } },
  "webhook_endpoints.list": { answer: page(endpoint) },
  "webhook_endpoints.read": { answer: endpoint },
  "webhook_endpoints.update": {
    request: { is_active: false },
    answer: { ...endpoint, is_active: false, disabled_reason: "disabled_by_owner", updated_at: later }
  },
  "webhook_endpoints.delete": { answer: { ...endpoint, is_active: false, updated_at: later } },
  "webhook_endpoints.rotate_secret": {
    request: { overlap_hours: 24 },
    answer: { ...endpoint, secret, updated_at: later }
  },
  "webhook_deliveries.list": { answer: page(delivery) },
  "webhook_deliveries.read": { answer: { ...delivery, attempts: [attempt] } },
  "webhook_deliveries.replay": {
    answer: {
      ...delivery,
      id: "dlv_01jqz7a2m8f3rc6t1w9xyz4k0n",
      status: "PENDING",
      attempt_count: 0,
      interruption_count: 0,
      next_attempt_at: later,
      replay_of: delivery.id,
      created_at: later,
      updated_at: later,
      completed_at: null
    }
  },
  "events.list": { answer: page(event) },
  "events.read": { answer: event }
} satisfies Examples
