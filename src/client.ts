/**
 * A typed client of the HTTP API, and the verifier of its webhooks, for Node, Bun, Deno, browsers and edge runtimes.
 * docs/guides/client.md shows both.
 */
export type { Beside, Rate } from "./client/Answer.ts"
export type { Attempt, Outcome } from "./client/Attempt.ts"
export { type Client, createClient } from "./client/Client.ts"
export { AlmonerError, ConnectionError, type ConnectionReason, type ErrorCode, type Failure } from "./client/Failure.ts"
export type { Policy } from "./client/Retry.ts"
export type { CallOptions, ClientOptions, WriteOptions } from "./client/Settings.ts"
export {
  type EventOf,
  type EventType,
  type ReceivedHeaders,
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  WebhookRejected,
  type WebhookRejectedReason
} from "./client/Webhook.ts"
