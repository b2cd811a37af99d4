import * as WebhookEndpoint from "../../../domain/outbox/WebhookEndpoint.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, takes, WebhookEndpoints } from "../WebhookEndpoints.ts"

const endpoints = operationsOf(WebhookEndpoints)

/** The operations of {@link WebhookEndpoints}. */
export const webhookEndpointOperations = {
  create: endpoints.forCaller({
    asks: asks.create,
    keyed: true,
    secret: true,
    takes: takes.create,
    gives: WebhookEndpoint.WebhookEndpointWithSecret,
    run: (use, input) => use.create(input),
    prepare: (use, input) => use.prepareCreate(input)
  }),
  read: endpoints.forCaller({
    asks: asks.read,
    takes: takes.read,
    gives: WebhookEndpoint.WebhookEndpointRecord,
    run: (use, endpoint) => use.read(endpoint)
  }),
  list: endpoints.forCaller({
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(WebhookEndpoint.WebhookEndpointRecord),
    run: (use, asked) => use.list(asked)
  }),
  update: endpoints.forCaller({
    asks: asks.update,
    keyed: true,
    takes: takes.update,
    gives: WebhookEndpoint.WebhookEndpointRecord,
    run: (use, endpoint, patch) => use.update(endpoint, patch),
    prepare: (use, endpoint, patch) => use.prepareUpdate(endpoint, patch)
  }),
  delete: endpoints.forCaller({
    asks: asks.delete,
    keyed: false,
    takes: takes.delete,
    gives: WebhookEndpoint.WebhookEndpointRecord,
    run: (use, endpoint) => use.delete(endpoint)
  }),
  rotateSecret: endpoints.forCaller({
    asks: asks.rotateSecret,
    keyed: true,
    secret: true,
    takes: takes.rotateSecret,
    gives: WebhookEndpoint.WebhookEndpointWithSecret,
    run: (use, endpoint, rotation) => use.rotateSecret(endpoint, rotation)
  })
}
