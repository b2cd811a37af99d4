import { type DateTime, Duration, Schema, Struct } from "effect"
import { differingFields } from "../kernel/FieldDifference.ts"
import { OrganisationId, WebhookEndpointId } from "../kernel/Ids.ts"
import { Limits } from "../kernel/Limits.ts"
import type { ListSpec } from "../kernel/Listing.ts"
import { type Births, define, type MachineType } from "../kernel/Machine.ts"
import * as Refusals from "../kernel/Refusals.ts"
import * as Rule from "../kernel/Rule.ts"
import { LongText, TextUpTo, textOrNull } from "../kernel/Text.ts"
import { Instant } from "../kernel/Timestamp.ts"

const meanings = {
  url: "Where deliveries are sent.",
  description: "A note of your own.",
  event_types: "Types of the events that are delivered to the endpoint. There is no wildcard.",
  is_active: "Whether events are delivered to the endpoint.",
  disabled_reason:
    "Why the endpoint gets no deliveries: its owner disabled it, or the service did after days of failure.",
  secret_last4: "The last four characters of the signing secret.",
  secret: "The signing secret. It is shown in this answer only.",
  overlap_hours: `How long deliveries are signed with the former secret, too: ${Limits.secretOverlapDefaultHours} when not given, at most ${Limits.secretOverlapHours}; 0 ends it at once, and with it all earlier ones.`
}

/** Why an endpoint is not active. decisions, section 4: Webhook endpoints. */
export const DisabledReason = Schema.Literals(["disabled_by_owner", "delivery_failures"]).annotate({
  identifier: "WebhookEndpointDisabledReason"
})
export type DisabledReason = typeof DisabledReason.Type

/** A receiver of an organisation's events. decisions, section 4: Webhook endpoints. */
export class WebhookEndpoint extends Schema.Opaque<WebhookEndpoint>()(
  Schema.Struct({
    id: WebhookEndpointId,
    organisation_id: OrganisationId,
    url: Schema.String,
    description: Schema.NullOr(Schema.String),
    event_types: Schema.Array(Schema.String),
    is_active: Schema.Boolean,
    disabled_reason: Schema.NullOr(DisabledReason),
    secret_last4: Schema.String,
    /** The signing secret, sealed with an encryption key. */
    sealed_secret: Schema.String,
    /** The secrets before rotations, sealed as one text, while one of them still signs. */
    previous_sealed_secret: Schema.NullOr(Schema.String),
    /** When the last of them stops to sign. */
    previous_secret_expires_at: Schema.NullOr(Instant),
    /** The beginning of the present run of failures; null after a 2xx. */
    failing_since: Schema.NullOr(Instant),
    /** When a delivery last used up all its attempts within the present run of failures. */
    exhausted_at: Schema.NullOr(Instant),
    created_at: Instant,
    updated_at: Instant,
    deleted_at: Schema.NullOr(Instant)
  }).annotate({ identifier: "StoredWebhookEndpoint" })
) {}

/** An endpoint as the API shows it. */
export const WebhookEndpointRecord = WebhookEndpoint.mapFields(
  Struct.pick([
    "id",
    "url",
    "description",
    "event_types",
    "is_active",
    "disabled_reason",
    "secret_last4",
    "created_at",
    "updated_at"
  ])
).annotate({ identifier: "WebhookEndpoint", meanings })

/** An endpoint with its secret, in the answers of create and rotate only. */
export const WebhookEndpointWithSecret = WebhookEndpointRecord.mapFields((fields) => ({
  ...fields,
  secret: Schema.String
})).annotate({ identifier: "WebhookEndpointWithSecret", meanings })

/** The list of endpoints. */
export const listing = {
  filters: {
    is_active: { kind: "boolean", description: "Whether deliveries are made" },
    created_at: { kind: "timestamp", description: "When the endpoint was registered" }
  }
} as const satisfies ListSpec

const eventTypesOf = <L extends ReadonlyArray<string>>(eventType: Schema.Literals<L>) =>
  Schema.Array(eventType).check(
    Schema.isMaxLength(eventType.literals.length),
    Schema.isMinLength(1),
    Schema.makeFilter((types) => new Set(types).size === types.length, { expected: "event types without repetition" })
  )

/** The body of POST /webhook-endpoints, for a catalogue of event types. */
export const newWebhookEndpoint = <L extends ReadonlyArray<string>>(eventType: Schema.Literals<L>) =>
  Schema.Struct({
    url: TextUpTo(Limits.urlCharacters),
    event_types: eventTypesOf(eventType),
    description: Schema.optionalKey(Schema.NullOr(LongText))
  }).annotate({ identifier: "NewWebhookEndpoint", meanings })
/** The body that registers a webhook endpoint. */
export type NewWebhookEndpoint = ReturnType<typeof newWebhookEndpoint>["Type"]

/** The body of PATCH /webhook-endpoints/{id}. */
export const webhookEndpointPatch = <L extends ReadonlyArray<string>>(eventType: Schema.Literals<L>) =>
  Schema.Struct({
    url: Schema.optionalKey(TextUpTo(Limits.urlCharacters)),
    event_types: Schema.optionalKey(eventTypesOf(eventType)),
    description: Schema.optionalKey(Schema.NullOr(LongText)),
    is_active: Schema.optionalKey(Schema.Boolean)
  }).annotate({ identifier: "WebhookEndpointPatch", meanings })
/** The fields of a webhook endpoint that may be changed; an absent field stays. */
export type WebhookEndpointPatch = ReturnType<typeof webhookEndpointPatch>["Type"]

/** The fields, but `is_active`, that a patch makes different; empty when it changes nothing. */
export const changesOf = (
  endpoint: WebhookEndpoint,
  { description, event_types, url }: WebhookEndpointPatch
): Partial<Pick<WebhookEndpoint, "url" | "event_types" | "description">> =>
  differingFields(["url", "event_types", "description"], endpoint, {
    url,
    event_types,
    description: description === undefined ? undefined : textOrNull(description)
  })

/** The body of POST /webhook-endpoints/{id}/rotate_secret. decisions, section 4: Webhook endpoints. */
export const SecretRotation = Schema.Struct({
  overlap_hours: Schema.optionalKey(
    Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Limits.secretOverlapHours })))
  )
}).annotate({ identifier: "SecretRotation", meanings })
export type SecretRotation = typeof SecretRotation.Type

/** The prefix of a signing secret; 40 base62 characters follow. */
export const secretPrefix = "almwh_"

/** Random characters of a signing secret. decisions, section 4: Webhook endpoints. */
export const secretDigits = 40

/** The commands of the machine of a webhook endpoint. */
export const Command = Schema.TaggedUnion({
  Disable: { at: Instant },
  DisableFailing: { at: Instant },
  Enable: { at: Instant },
  Delete: { at: Instant }
})
export type Command = typeof Command.Type

/** The states of a webhook endpoint. */
export type Status = "ACTIVE" | "DISABLED" | "DELETED"

const { every, has, is, lacks, liesAhead, spans } = Rule.rulesOf<WebhookEndpoint>()

/** Endpoints that are not deleted: they are shown, count toward the organisation's limit, and their secrets are in use. */
export const undeletedRule = lacks("deleted_at")

/** Endpoints that receive deliveries. decisions, section 5: Webhook endpoint. */
export const active = every(is("is_active", true), undeletedRule)

/** Whether events of a type are delivered to an endpoint. */
export const receives = (endpoint: WebhookEndpoint, event_type: string): boolean =>
  Rule.holds(active, endpoint) && endpoint.event_types.includes(event_type)

/**
 * Endpoints whose failures have run unbroken for five days, from the first to a delivery that then used up its attempts.
 * Days on which nothing was sent are no failures, whatever came before them. decisions, section 4: Webhook endpoints;
 * docs/decisions/0093.
 */
export const dead = every(
  has("exhausted_at"),
  spans("failing_since", "exhausted_at", Duration.hours(Limits.endpointDisableHours))
)

/** Endpoints that are to be disabled for their failures. */
export const failingRule = every(active, dead)

/** Whether an endpoint is one of {@link dead}. */
export const isDead = (endpoint: WebhookEndpoint): boolean => Rule.holds(dead, endpoint)

const rule = "decisions, section 5: Webhook endpoint"

/** How endpoints come to be. */
export const births = {
  registered: { by: "POST /webhook-endpoints", to: "ACTIVE", emits: [], rule }
} as const satisfies Births<Status, never>

const defined = define({
  name: "Webhook endpoint",
  state: WebhookEndpoint,
  command: Command,
  wording: Refusals.webhookEndpoint,
  statuses: ["ACTIVE", "DISABLED", "DELETED"],
  rule,
  births,
  table: {
    Disable: {
      from: ["ACTIVE"],
      to: "DISABLED",
      patch: (_, { at }) => ({ disabled_reason: "disabled_by_owner" as const, updated_at: at })
    },
    DisableFailing: {
      from: ["ACTIVE"],
      to: "DISABLED",
      when: "failures have run unbroken for five days and include a delivery that used all six attempts",
      guard: (self) => isDead(self),
      patch: (_, { at }) => ({ disabled_reason: "delivery_failures" as const, updated_at: at }),
      rule: "decisions, section 4: Webhook endpoints"
    },
    Enable: {
      from: ["DISABLED"],
      to: "ACTIVE",
      patch: (_, { at }) => ({ disabled_reason: null, failing_since: null, exhausted_at: null, updated_at: at })
    },
    Delete: {
      from: ["ACTIVE", "DISABLED"],
      to: "DELETED",
      patch: (_, { at }) => ({ deleted_at: at, updated_at: at })
    }
  },
  statusOf: (endpoint) =>
    Rule.holds(active, endpoint) ? "ACTIVE" : Rule.holds(undeletedRule, endpoint) ? "DISABLED" : "DELETED",
  enter: (status) => ({ is_active: status === "ACTIVE" }),
  milestones: { deleted_at: ["DELETED"] }
})

export interface machine extends MachineType<typeof defined> {}
/** decisions, section 5: Webhook endpoint. */
export const machine: machine = defined

/** Endpoints of which secrets from before a rotation still sign, beside the present one. */
export const overlapRule = every(has("previous_sealed_secret"), liesAhead("previous_secret_expires_at"))

/** Secrets from before rotations, sealed, and when the last of them stops to sign. */
interface SealedFormer {
  readonly sealed: string
  readonly expires_at: DateTime.Utc
}

/** The sealed secrets that sign at an instant beside the present one; null where none does. */
export const formerSecrets = (
  endpoint: Pick<WebhookEndpoint, "previous_sealed_secret" | "previous_secret_expires_at">,
  at: DateTime.Utc
): SealedFormer | null => {
  const { previous_sealed_secret: sealed, previous_secret_expires_at: expires_at } = endpoint
  const overlaps = Rule.holdsAt(overlapRule, endpoint, at)
  return overlaps && sealed !== null && expires_at !== null ? { sealed, expires_at } : null
}
