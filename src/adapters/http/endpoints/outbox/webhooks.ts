import { Effect } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { eventOperations } from "../../../../app/outbox/operations/events.ts"
import { webhookDeliveryOperations } from "../../../../app/outbox/operations/webhookDeliveries.ts"
import { webhookEndpointOperations } from "../../../../app/outbox/operations/webhookEndpoints.ts"
import { WebhookEndpoints } from "../../../../app/outbox/WebhookEndpoints.ts"
import * as Delivery from "../../../../domain/outbox/Delivery.ts"
import * as Event from "../../../../domain/outbox/Event.ts"
import * as WebhookEndpoint from "../../../../domain/outbox/WebhookEndpoint.ts"
import { changeErrors, createErrors, listErrors, readErrors } from "../../pipeline/ErrorEnvelope.ts"
import type { OwnHandlersOf } from "../../pipeline/Handler.ts"
import { over, pageOf, performs } from "../Declare.ts"

export class WebhooksGroup extends HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.post("createEndpoint", "/webhook-endpoints", {
      ...over(webhookEndpointOperations.create),
      success: WebhookEndpoint.WebhookEndpointWithSecret.pipe(HttpApiSchema.status(201)),
      error: createErrors
    }).annotateMerge(
      performs(webhookEndpointOperations.create, {
        summary: "Register a webhook endpoint",
        description:
          "The signing secret is in this answer and never again. Live organisations need https; addresses in private, loopback and similar networks are refused.",
        secret: true
      })
    )
  )
  .add(
    HttpApiEndpoint.get("listEndpoints", "/webhook-endpoints", {
      ...over(webhookEndpointOperations.list),
      success: pageOf(WebhookEndpoint.WebhookEndpointRecord, "WebhookEndpointPage"),
      error: listErrors
    }).annotateMerge(
      performs(webhookEndpointOperations.list, {
        summary: "List webhook endpoints",
        description: "Newest first, without deleted ones."
      })
    )
  )
  .add(
    HttpApiEndpoint.get("readEndpoint", "/webhook-endpoints/:id", {
      ...over(webhookEndpointOperations.read, "id"),
      success: WebhookEndpoint.WebhookEndpointRecord,
      error: readErrors
    }).annotateMerge(
      performs(webhookEndpointOperations.read, {
        summary: "Read a webhook endpoint",
        description: "The secret is never shown again; secret_last4 tells which one it is."
      })
    )
  )
  .add(
    HttpApiEndpoint.patch("updateEndpoint", "/webhook-endpoints/:id", {
      ...over(webhookEndpointOperations.update, "id"),
      success: WebhookEndpoint.WebhookEndpointRecord,
      error: changeErrors
    }).annotateMerge(
      performs(webhookEndpointOperations.update, {
        summary: "Change a webhook endpoint",
        description: "is_active false ends its pending deliveries as FAILED; true takes it up again."
      })
    )
  )
  .add(
    HttpApiEndpoint.delete("deleteEndpoint", "/webhook-endpoints/:id", {
      ...over(webhookEndpointOperations.remove, "id"),
      success: WebhookEndpoint.WebhookEndpointRecord,
      error: readErrors
    }).annotateMerge(
      performs(webhookEndpointOperations.remove, {
        summary: "Delete a webhook endpoint",
        description: "Ends its pending deliveries. Its deliveries stay readable."
      })
    )
  )
  .add(
    HttpApiEndpoint.post("rotateSecret", "/webhook-endpoints/:id/rotate_secret", {
      ...over(webhookEndpointOperations.rotateSecret, "id"),
      success: WebhookEndpoint.WebhookEndpointWithSecret,
      error: changeErrors
    }).annotateMerge(
      performs(webhookEndpointOperations.rotateSecret, {
        summary: "Rotate a signing secret",
        description:
          "Answers the new secret, once. For overlap_hours (0 to 72, 24 when not given) deliveries carry the signatures of both secrets.",
        secret: true
      })
    )
  )
  .add(
    HttpApiEndpoint.get("listDeliveries", "/webhook-deliveries", {
      ...over(webhookDeliveryOperations.list),
      success: pageOf(Delivery.DeliveryRecord, "WebhookDeliveryPage"),
      error: listErrors
    }).annotateMerge(
      performs(webhookDeliveryOperations.list, {
        summary: "List webhook deliveries",
        description: "Newest first."
      })
    )
  )
  .add(
    HttpApiEndpoint.get("readDelivery", "/webhook-deliveries/:id", {
      ...over(webhookDeliveryOperations.read, "id"),
      success: Delivery.DeliveryDetail,
      error: readErrors
    }).annotateMerge(
      performs(webhookDeliveryOperations.read, {
        summary: "Read a webhook delivery",
        description: "With every attempt. What receivers answered is untrusted text."
      })
    )
  )
  .add(
    HttpApiEndpoint.post("replayDelivery", "/webhook-deliveries/:id/replay", {
      ...over(webhookDeliveryOperations.replay, "id"),
      success: Delivery.DeliveryRecord,
      error: changeErrors
    }).annotateMerge(
      performs(webhookDeliveryOperations.replay, {
        summary: "Send an event again",
        description: "Makes a new delivery of the same event to the same endpoint, with an id of its own."
      })
    )
  )
  .add(
    HttpApiEndpoint.get("listEvents", "/events", {
      ...over(eventOperations.list),
      success: pageOf(Event.EventRecord, "EventPage"),
      error: listErrors
    }).annotateMerge(performs(eventOperations.list, { summary: "List events", description: "Newest first." }))
  )
  .add(
    HttpApiEndpoint.get("readEvent", "/events/:id", {
      ...over(eventOperations.read, "id"),
      success: Event.EventRecord,
      error: readErrors
    }).annotateMerge(
      performs(eventOperations.read, { summary: "Read an event", description: "With its data as it was delivered." })
    )
  )
  .annotate(OpenApi.Description, "Endpoints, events, and their deliveries.") {}

export const webhooksHandlers = Effect.map(
  WebhookEndpoints,
  (endpoints): OwnHandlersOf<typeof WebhooksGroup> => ({
    createEndpoint: { prepare: ({ payload }) => endpoints.prepareCreate(payload) },
    updateEndpoint: { prepare: ({ params, payload }) => endpoints.prepareUpdate(params.id, payload) }
  })
)
