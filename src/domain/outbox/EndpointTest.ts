import { DateTime, Schema } from "effect"
import { DeliveryId, type OrganisationId, WebhookEndpointId } from "../kernel/Ids.ts"
import { Instant } from "../kernel/Timestamp.ts"

/**
 * The type of a test's body. It is no event: it is not in the catalogue, nobody can subscribe to it, and receivers that
 * do not know it ignore it, as they do types of later versions. docs/decisions/0036.
 */
export const testEventType = "webhook_endpoint.test"

/** The exact text of a test, in the shape of every delivery. service-spec, Delivery shape. */
export const testBodyOf = (
  endpoint: { readonly id: WebhookEndpointId; readonly organisation_id: OrganisationId },
  at: DateTime.Utc
): string =>
  JSON.stringify({
    type: testEventType,
    occurred_at: DateTime.formatIso(at),
    organisation_id: endpoint.organisation_id,
    data: { webhook_endpoint_id: endpoint.id }
  })

/** The result of a test. Nothing of it is kept. */
export class EndpointTest extends Schema.Opaque<EndpointTest>()(
  Schema.Struct({
    endpoint_id: WebhookEndpointId,
    url: Schema.String,
    /** The `webhook-id` that the receiver was sent; no delivery has it. */
    webhook_id: DeliveryId,
    sent_at: Instant,
    /** Whether a delivery with this answer would be DELIVERED. */
    received: Schema.Boolean,
    /** The HTTP status, null when no answer came. */
    response_status: Schema.NullOr(Schema.Int),
    /** The first bytes of the answer. Untrusted text. */
    response_excerpt: Schema.NullOr(Schema.String),
    /** The answer's Retry-After. */
    retry_after: Schema.NullOr(Schema.String),
    /** The reason why no answer came, as in a delivery's attempt; `secret_unavailable` when nothing could be signed. */
    error: Schema.NullOr(Schema.String),
    /** Null when nothing was sent. */
    duration_ms: Schema.NullOr(Schema.Int)
  }).annotate({ identifier: "WebhookEndpointTest" })
) {}
