import { DateTime, Schema } from "effect"
import * as Event from "../../../domain/Event.ts"
import { DonationId, DonorId, EventId, OrganisationId } from "../../../domain/Ids.ts"
import type { Operation } from "../../../domain/Policy.ts"
import { idOf, instant } from "./Samples.ts"

interface Example {
  readonly request?: unknown
  readonly answer: unknown
}

const later = "2026-04-02T00:00:00.000Z"

const organisation = {
  id: idOf("organisation"),
  slug: "riverside",
  name: "Riverside Shelter",
  is_sandbox: false,
  timezone: "Australia/Sydney",
  default_currency: "AUD",
  abn: null,
  website_url: "https://riverside.example.org",
  created_at: instant
}

const newDonor = { first_name: "Ada", last_name: "Okafor", email: "ada@example.org" }

const donor = {
  id: idOf("donor"),
  donor_type: "INDIVIDUAL",
  ...newDonor,
  organisation_name: null,
  phone: null,
  address_line1: null,
  address_line2: null,
  suburb: null,
  state: null,
  postcode: null,
  country: "AU",
  employer_name: null,
  occupation: null,
  do_not_contact: false,
  marketing_consent_at: null,
  created_at: instant,
  updated_at: instant,
  archived_at: null
}

const newDonation = {
  donor_id: donor.id,
  donation_type: "MONETARY",
  amount_cents: 5_000,
  donation_date: "2026-04-01",
  payment_method: "cheque",
  revenue_code: "SPRING-2026"
}

const donation = {
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

const revenueCode = {
  id: idOf("revenueCode"),
  code: "SPRING-2026",
  namespace: "INTERNAL",
  description: "Spring appeal",
  is_fca: false,
  archived_at: null,
  created_at: instant,
  updated_at: instant
}

const newEndpoint = {
  url: "https://hooks.example.org/almoner",
  event_types: ["donation.created", "donation.succeeded"],
  description: "Accounting"
}

const endpoint = {
  id: idOf("webhookEndpoint"),
  ...newEndpoint,
  is_active: true,
  disabled_reason: null,
  secret_last4: "7Qxk",
  created_at: instant,
  updated_at: instant
}

const secret = "almwh_EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE7Qxk"

const delivery = {
  id: idOf("delivery"),
  endpoint_id: endpoint.id,
  event_id: idOf("event"),
  event_type: "donation.succeeded",
  status: "DELIVERED",
  attempt_count: 1,
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

const donationEvent = Event.make({
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

const page = (record: unknown) => ({ data: [record], has_more: false })

/** A request and its answer for every operation: one that is forgotten does not compile. */
export const examples: Readonly<Record<Operation, Example>> = {
  "meta.whoami": { answer: { organisation_id: organisation.id, scope: "WRITE" } },
  "organisations.read_own": { answer: organisation },
  "organisations.update_own": { request: { abn: "51824753556" }, answer: { ...organisation, abn: "51824753556" } },
  "donors.create": { request: newDonor, answer: donor },
  "donors.list": {
    answer: {
      ...page(donor),
      filters: {
        search: "ada",
        email: null,
        donor_type: null,
        created_at: { gte: "2026-04-01" },
        segment: null,
        sort: "-created_at"
      }
    }
  },
  "donors.read": { answer: donor },
  "donors.update": {
    request: { phone: "+61 2 5550 0000" },
    answer: { ...donor, phone: "+61 2 5550 0000", updated_at: later }
  },
  "donors.archive": { answer: { ...donor, archived_at: later, updated_at: later } },
  "donations.create": { request: newDonation, answer: donation },
  "donations.list": { answer: page(donation) },
  "donations.read": { answer: { ...donation, submitted_donor: null } },
  "revenue_codes.create": { request: { code: "SPRING-2026", description: "Spring appeal" }, answer: revenueCode },
  "revenue_codes.list": { answer: page(revenueCode) },
  "revenue_codes.read": { answer: revenueCode },
  "revenue_codes.update": {
    request: { description: null },
    answer: { ...revenueCode, description: null, updated_at: later }
  },
  "revenue_codes.archive": { answer: { ...revenueCode, archived_at: later, updated_at: later } },
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
      next_attempt_at: later,
      replay_of: delivery.id,
      created_at: later,
      updated_at: later,
      completed_at: null
    }
  },
  "events.list": { answer: page(event) },
  "events.read": { answer: event }
}

/** The example of the one operation that needs no key. */
export const healthExample = (version: string): Example => ({
  answer: { status: "ok", version, request_id: idOf("request") }
})
