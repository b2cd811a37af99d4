import { Schema } from "effect"
import { HttpApiGroup, OpenApi } from "effect/http-api"
import { eventOperations } from "../../../../app/outbox/Events.ts"
import { webhookDeliveryOperations } from "../../../../app/outbox/WebhookDeliveries.ts"
import { webhookEndpointOperations } from "../../../../app/outbox/WebhookEndpoints.ts"
import { DonationId, DonorId, EventId, OrganisationId } from "../../../../domain/kernel/Ids.ts"
import { instantAt } from "../../../../domain/kernel/InstantRange.ts"
import * as Event from "../../../../domain/outbox/Event.ts"
import { exampleOrganisation } from "../access/organisations.ts"
import { del, get, patch, post } from "../Declare.ts"
import { idOf, instant, later, page } from "../Example.ts"
import { exampleDonation } from "../giving/donations.ts"
import { exampleDonor } from "../giving/donors.ts"

const newEndpoint = {
  url: "https://hooks.example.org/almoner",
  event_types: ["donation.created", "donation.succeeded"],
  description: "Accounting"
}

const endpoint = {
  id: idOf("webhookEndpoint"),
  ...newEndpoint,
  is_active: true,
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
  interruption_count: 0,
  created_at: instant,
  updated_at: instant,
  completed_at: instant
}

const attempt = {
  number: 1,
  attempted_at: instant,
  response_status: 200,
  response_excerpt: "ok",
  duration_ms: 42
}

/** The fields of the example gift that its events carry; the rest of their data is null. */
const donationData = {
  id: DonationId.make(exampleDonation.id),
  donor_id: DonorId.make(exampleDonor.id),
  amount_cents: exampleDonation.amount_cents,
  currency: exampleDonation.currency,
  refunded_amount_cents: 0,
  source: "MANUAL",
  status: "CONFIRMED",
  donation_date: instantAt(exampleDonation.donation_date),
  failure_code: null,
  revenue_code: exampleDonation.revenue_code,
  revenue_code_id: exampleDonation.revenue_code_id,
  tracking_code: exampleDonation.revenue_code,
  tracking_code_id: exampleDonation.revenue_code_id,
  subscription_id: null,
  is_recurring: false,
  donation_form_id: null,
  campaign_id: null,
  consent_given: null,
  consent_responses: [],
  differs_from_record: null,
  recommendation_set_id: null,
  allocation_id: null,
  updated_at: instantAt(instant)
} as const

const donationEvent = Event.make({
  id: EventId.make(idOf("event")),
  organisation_id: OrganisationId.make(exampleOrganisation.id),
  type: "donation.succeeded",
  occurred_at: instantAt(instant),
  dedupe_key: exampleDonation.id,
  data: donationData
})

/** The body of a delivery, as the examples show it. */
const deliveredBody = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Unknown))(donationEvent.body)

const event = { id: donationEvent.id, ...Object(deliveredBody), created_at: instant }

export class WebhookEndpointsGroup extends HttpApiGroup.make("webhook-endpoints")
  .add(
    post(webhookEndpointOperations.create, "create", "/webhook-endpoints", {
      status: 201,
      description:
        "The signing secret is in this answer and never again. Live organisations need https; addresses in private, loopback and similar networks are refused.",
      example: { request: newEndpoint, answer: { ...endpoint, secret } }
    }),
    get(webhookEndpointOperations.list, "list", "/webhook-endpoints", {
      description: "Newest first, without deleted ones.",
      example: { answer: page(endpoint) }
    }),
    get(webhookEndpointOperations.read, "read", "/webhook-endpoints/:id", {
      description: "The secret is never shown again; secret_last4 tells which one it is.",
      example: { answer: endpoint }
    }),
    patch(webhookEndpointOperations.update, "update", "/webhook-endpoints/:id", {
      description:
        "is_active false ends its pending deliveries as FAILED; true takes it up again. What happens in between has no deliveries: it is in the list of events.",
      example: {
        request: { is_active: false },
        answer: { ...endpoint, is_active: false, disabled_reason: "disabled_by_owner", updated_at: later }
      }
    }),
    del(webhookEndpointOperations.delete, "delete", "/webhook-endpoints/:id", {
      description: "Ends its pending deliveries. Its deliveries stay readable.",
      example: { answer: { ...endpoint, is_active: false, updated_at: later } }
    }),
    post(webhookEndpointOperations.rotateSecret, "rotateSecret", "/webhook-endpoints/:id/rotate_secret", {
      description:
        "Answers the new secret, once. For overlap_hours (0 to 72, 24 when not given) deliveries carry the signatures of both secrets, and of those before them whose time is not over; at most five sign at once. 0 ends all former ones.",
      example: { request: { overlap_hours: 24 }, answer: { ...endpoint, secret, updated_at: later } }
    })
  )
  .annotate(OpenApi.Description, "Endpoints, events, and their deliveries.") {}

export class WebhookDeliveriesGroup extends HttpApiGroup.make("webhook-deliveries")
  .add(
    get(webhookDeliveryOperations.list, "list", "/webhook-deliveries", {
      description: "Newest first.",
      example: { answer: page(delivery) }
    }),
    get(webhookDeliveryOperations.read, "read", "/webhook-deliveries/:id", {
      description: "With every attempt. What receivers answered is untrusted text.",
      example: { answer: { ...delivery, attempts: [attempt] } }
    }),
    post(webhookDeliveryOperations.replay, "replay", "/webhook-deliveries/:id/replay", {
      description: "Makes a new delivery of the same event to the same endpoint, with an id of its own.",
      example: {
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
      }
    })
  )
  .annotate(OpenApi.Description, "Attempts to deliver events to endpoints.") {}

export class EventsGroup extends HttpApiGroup.make("events")
  .add(
    get(eventOperations.list, "list", "/events", {
      description:
        "Newest first, or with sort=created_at the oldest first. The order is that of their times, and a change that commits late may put an event before those that were listed already: to be told of each, receive webhooks.",
      example: { answer: page(event) }
    }),
    get(eventOperations.read, "read", "/events/:id", {
      description: "With its data as it was delivered.",
      example: { answer: event }
    })
  )
  .annotate(OpenApi.Description, "What happened.") {}
