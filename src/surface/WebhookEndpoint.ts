export {
  births,
  Command,
  listing,
  machine,
  type NewWebhookEndpoint,
  WebhookEndpoint,
  type WebhookEndpointPatch,
  WebhookEndpointRecord,
  WebhookEndpointWithSecret
} from "../domain/outbox/WebhookEndpoint.ts"
