/**
 * A typed client of the HTTP API, and the verifier of its webhooks, for Node, Bun, Deno, browsers and edge runtimes. It
 * needs no package, at run time or for its types. docs/guides/client.md shows it.
 */
export type { Beside, Rate } from "./client/Answer.ts"
export type { Attempt, Outcome } from "./client/Attempt.ts"
export { type Client, createClient, type RequestOptions } from "./client/Client.ts"
export { AlmonerError, ConnectionError, type ConnectionReason, type Failure } from "./client/Failure.ts"
export type * from "./client/generated/Calls.ts"
export type * from "./client/generated/Records.ts"
export type { AnyEvent, DeclaredEvents, HostEvent } from "./client/HostEvents.ts"
export type { Policy } from "./client/Retry.ts"
export type { AttemptLine, CallOptions, ClientOptions, ExtraHeaders, WriteOptions } from "./client/Settings.ts"
export type { InputOf, OutputOf, StandardIssue, StandardResult, StandardSchema } from "./client/StandardSchema.ts"
export type { Comparison, Equality, Filter, Id, Page, PageQuery } from "./client/Types.ts"
export {
  type EventOf,
  type HostEventOf,
  type ReceivedHeaders,
  type VerifyOptions,
  verifyWebhook,
  type WebhookEvent,
  WebhookRejected,
  type WebhookRejectedReason
} from "./client/Webhook.ts"
export { type SignedWebhook, type SignOptions, signWebhook } from "./client/WebhookSigner.ts"
