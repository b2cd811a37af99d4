import { WebhookEndpointId } from "../../../domain/kernel/Ids.ts"
import * as Event from "../../../domain/outbox/Event.ts"
import * as WebhookEndpoint from "../../../domain/outbox/WebhookEndpoint.ts"
import { body, id, operationsOf, optionalBody, pageOf, query } from "../../access/steps/Operation.ts"
import { asks, WebhookEndpoints } from "../WebhookEndpoints.ts"

const endpoints = operationsOf(WebhookEndpoints)

const endpointId = id(WebhookEndpointId, "webhook endpoint")

/** The operations of {@link WebhookEndpoints}. */
export const webhookEndpointOperations = {
  create: endpoints.forCaller({
    asks: asks.create,
    keyed: true,
    takes: [body(WebhookEndpoint.newWebhookEndpoint(Event.EventType), WebhookEndpoint.WebhookEndpointRecord)],
    gives: WebhookEndpoint.WebhookEndpointWithSecret,
    run: (use, input) => use.create(input)
  }),
  read: endpoints.forCaller({
    asks: asks.read,
    takes: [endpointId],
    gives: WebhookEndpoint.WebhookEndpointRecord,
    run: (use, endpoint) => use.read(endpoint)
  }),
  list: endpoints.forCaller({
    asks: asks.list,
    takes: [query(WebhookEndpoint.listing)],
    gives: pageOf(WebhookEndpoint.WebhookEndpointRecord),
    run: (use, asked) => use.list(asked)
  }),
  update: endpoints.forCaller({
    asks: asks.update,
    keyed: true,
    takes: [
      endpointId,
      body(WebhookEndpoint.webhookEndpointPatch(Event.EventType), WebhookEndpoint.WebhookEndpointRecord)
    ],
    gives: WebhookEndpoint.WebhookEndpointRecord,
    run: (use, endpoint, patch) => use.update(endpoint, patch)
  }),
  remove: endpoints.forCaller({
    asks: asks.remove,
    keyed: false,
    takes: [endpointId],
    gives: WebhookEndpoint.WebhookEndpointRecord,
    run: (use, endpoint) => use.remove(endpoint)
  }),
  rotateSecret: endpoints.forCaller({
    asks: asks.rotateSecret,
    keyed: true,
    takes: [endpointId, optionalBody(WebhookEndpoint.SecretRotation, WebhookEndpoint.WebhookEndpointRecord)],
    gives: WebhookEndpoint.WebhookEndpointWithSecret,
    run: (use, endpoint, rotation) => use.rotateSecret(endpoint, rotation)
  })
}
