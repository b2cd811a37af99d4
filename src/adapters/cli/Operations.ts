import { Effect, Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import { ApiKeys } from "../../app/ApiKeys.ts"
import { AuditLog } from "../../app/AuditLog.ts"
import { Organisations } from "../../app/Organisations.ts"
import { WebhookDeliveries } from "../../app/WebhookDeliveries.ts"
import { WebhookEndpoints } from "../../app/WebhookEndpoints.ts"
import { ApiKeyRecord, Scope } from "../../domain/ApiKey.ts"
import { AuditEntry } from "../../domain/Audit.ts"
import { Timezone } from "../../domain/CalendarDate.ts"
import * as Delivery from "../../domain/Delivery.ts"
import { eventTypes } from "../../domain/Event.ts"
import { ApiKeyId, DeliveryId, WebhookEndpointId } from "../../domain/Ids.ts"
import * as Listing from "../../domain/Listing.ts"
import { Currency } from "../../domain/Money.ts"
import { Organisation, Slug, sandboxSuffix } from "../../domain/Organisation.ts"
import { Plan, plans } from "../../domain/Plan.ts"
import { Name } from "../../domain/Text.ts"
import * as WebhookEndpoint from "../../domain/WebhookEndpoint.ts"
import { type Operation, ofInstallation, ofOrganisation, operator } from "./Operation.ts"

const described = <A>(flag: Flag.Flag<A>, description: string) => Flag.withDescription(flag, description)
const optional = <A>(flag: Flag.Flag<A>, description: string) => Flag.optional(described(flag, description))
const idOf = (record: string) => Argument.withDescription(Argument.String("id"), `The id of the ${record}`)

const listOf = <S extends Schema.Top>(schema: S) => Schema.Struct({ data: Schema.Array(schema) })
const pageOf = <S extends Schema.Top>(schema: S) =>
  Schema.Struct({ data: Schema.Array(schema), has_more: Schema.Boolean })

const shownOnce = "It is shown this once. Keep it where only those who need it can read it."

const Nothing = Schema.Struct({})
const paging = {
  limit: optional(Flag.String("limit"), "Records on a page, 1 to 100"),
  starting_after: optional(Flag.String("starting-after"), "The id of the last record of the page before")
}
const Query = Schema.Record(Schema.String, Schema.String)

const parseQuery = (spec: Listing.ListSpec, query: typeof Query.Type) =>
  Effect.fromResult(Listing.parse(spec, Object.entries(query)))

/** A slug that leaves room for its sandbox twin's. */
const NewSlug = Slug.check(
  Schema.isMaxLength(63 - sandboxSuffix.length),
  Schema.makeFilter((slug) => !slug.endsWith(sandboxSuffix), {
    expected: `a slug that does not end in ${sandboxSuffix}`
  })
)
const FilledName = Name.check(Schema.isPattern(/\S/, { description: "a name that is not empty" }))

const organisationOperations: ReadonlyArray<Operation> = [
  ofInstallation({
    group: "organisation",
    name: "create",
    description: "Make an organisation with its sandbox twin",
    parameters: {
      slug: described(Flag.String("slug"), "Its unique name in addresses: lower-case letters, digits and hyphens"),
      name: described(Flag.String("name"), "Its name"),
      timezone: described(Flag.String("timezone"), "A timezone of the IANA database, e.g. Australia/Sydney"),
      default_currency: described(Flag.String("currency"), "The ISO 4217 code of its currency, e.g. AUD"),
      plan: Flag.withDefault(described(Flag.Literals("plan", plans), "Its plan"), "FREE")
    },
    input: Schema.Struct({
      slug: NewSlug,
      name: FilledName,
      timezone: Timezone,
      default_currency: Currency,
      plan: Plan
    }),
    output: Schema.Struct({ live: Organisation, sandbox: Organisation }),
    run: (input) =>
      Effect.flatMap(operator, (acting) =>
        Organisations.use((organisations) =>
          organisations.create({ ...input, name: input.name.trim(), sandbox_webhook_cidrs: [] }, acting)
        )
      )
  }),
  ofInstallation({
    group: "organisation",
    name: "list",
    description: "List all organisations, oldest first",
    parameters: {},
    input: Nothing,
    output: listOf(Organisation),
    columns: ["slug", "name", "plan", "is_sandbox", "timezone", "default_currency", "id"],
    run: () => Organisations.use((organisations) => Effect.map(organisations.all, (data) => ({ data })))
  }),
  ofOrganisation({
    group: "organisation",
    name: "set-plan",
    description: "Set the plan of an organisation",
    parameters: { plan: Argument.withDescription(Argument.Literals("plan", plans), "The plan") },
    input: Schema.Struct({ plan: Plan }),
    output: Organisation,
    run: ({ plan }) => Organisations.use((organisations) => organisations.setPlan(plan))
  })
]

const DisclosedKey = ApiKeyRecord.mapFields((fields) => ({ ...fields, secret: Schema.String }))

const keyOperations: ReadonlyArray<Operation> = [
  ofOrganisation({
    group: "key",
    name: "create",
    description: "Make an API key and show it once",
    parameters: {
      name: described(Flag.String("name"), "What the key is for"),
      scope: described(Flag.Literals("scope", Scope.literals), "What it may do: WRITE includes READ")
    },
    input: Schema.Struct({ name: FilledName, scope: Scope }),
    output: DisclosedKey,
    remark: shownOnce,
    run: ({ name, scope }) => ApiKeys.use((keys) => keys.create({ name: name.trim(), scope }))
  }),
  ofOrganisation({
    group: "key",
    name: "rotate",
    description: "Give a key a new text and show it once: the old one stops within five seconds",
    parameters: { id: idOf("key") },
    input: Schema.Struct({ id: ApiKeyId }),
    output: DisclosedKey,
    remark: shownOnce,
    run: ({ id }) => ApiKeys.use((keys) => keys.rotate(id))
  }),
  ofOrganisation({
    group: "key",
    name: "revoke",
    description: "Revoke a key for good: it stops within five seconds",
    parameters: { id: idOf("key") },
    input: Schema.Struct({ id: ApiKeyId }),
    output: ApiKeyRecord,
    run: ({ id }) => ApiKeys.use((keys) => keys.revoke(id))
  }),
  ofOrganisation({
    group: "key",
    name: "list",
    description: "List the keys of an organisation, oldest first",
    parameters: {},
    input: Nothing,
    output: listOf(ApiKeyRecord),
    columns: ["id", "name", "scope", "last4", "generation", "created_at", "revoked_at"],
    run: () => ApiKeys.use((keys) => Effect.map(keys.list(), (data) => ({ data })))
  })
]

const commaList = (text: string): ReadonlyArray<string> => text.split(",").map((item) => item.trim())

const eventTypesFlag = Flag.map(
  described(Flag.String("event-types"), "Types of events, comma-separated, e.g. donation.created"),
  commaList
)
const urlFlag = described(Flag.String("url"), "Where events are sent")
const descriptionFlag = optional(Flag.String("description"), "What the endpoint is for; an empty text clears it")
const Patch = WebhookEndpoint.webhookEndpointPatch(eventTypes)

const endpointOperations: ReadonlyArray<Operation> = [
  ofOrganisation({
    group: "endpoint",
    name: "create",
    description: "Register a webhook endpoint and show its secret once",
    parameters: { url: urlFlag, event_types: eventTypesFlag, description: descriptionFlag },
    input: WebhookEndpoint.newWebhookEndpoint(eventTypes),
    output: WebhookEndpoint.WebhookEndpointWithSecret,
    remark: shownOnce,
    run: (input) => WebhookEndpoints.use((endpoints) => endpoints.create(input))
  }),
  ofOrganisation({
    group: "endpoint",
    name: "list",
    description: "List webhook endpoints, newest first",
    parameters: paging,
    input: Query,
    output: pageOf(WebhookEndpoint.WebhookEndpointRecord),
    columns: ["id", "url", "is_active", "disabled_reason", "event_types"],
    run: (query) =>
      Effect.flatMap(parseQuery(WebhookEndpoint.listing, query), (parsed) =>
        WebhookEndpoints.use((endpoints) => endpoints.list(parsed))
      )
  }),
  ofOrganisation({
    group: "endpoint",
    name: "show",
    description: "Show a webhook endpoint",
    parameters: { id: idOf("endpoint") },
    input: Schema.Struct({ id: WebhookEndpointId }),
    output: WebhookEndpoint.WebhookEndpointRecord,
    run: ({ id }) => WebhookEndpoints.use((endpoints) => endpoints.read(id))
  }),
  ofOrganisation({
    group: "endpoint",
    name: "update",
    description: "Change a webhook endpoint; switching it off ends its pending deliveries",
    parameters: {
      id: idOf("endpoint"),
      url: Flag.optional(urlFlag),
      event_types: Flag.optional(eventTypesFlag),
      description: descriptionFlag,
      is_active: Flag.optional(
        Flag.map(described(Flag.Literals("active", ["on", "off"]), "Whether events are sent"), (text) => text === "on")
      )
    },
    input: Patch.mapFields((fields) => ({ ...fields, id: WebhookEndpointId })),
    output: WebhookEndpoint.WebhookEndpointRecord,
    run: ({ id, ...patch }) => WebhookEndpoints.use((endpoints) => endpoints.update(id, patch))
  }),
  ofOrganisation({
    group: "endpoint",
    name: "delete",
    description: "Delete a webhook endpoint and end its pending deliveries",
    parameters: { id: idOf("endpoint") },
    input: Schema.Struct({ id: WebhookEndpointId }),
    output: WebhookEndpoint.WebhookEndpointRecord,
    run: ({ id }) => WebhookEndpoints.use((endpoints) => endpoints.remove(id))
  }),
  ofOrganisation({
    group: "endpoint",
    name: "rotate-secret",
    description: "Give an endpoint a new signing secret and show it once",
    parameters: {
      id: idOf("endpoint"),
      overlap_hours: optional(Flag.Int("overlap-hours"), "Hours for which the old secret signs, too: 0 to 72, else 24")
    },
    input: WebhookEndpoint.SecretRotation.mapFields((fields) => ({ ...fields, id: WebhookEndpointId })),
    output: WebhookEndpoint.WebhookEndpointWithSecret,
    remark: shownOnce,
    run: ({ id, ...rotation }) => WebhookEndpoints.use((endpoints) => endpoints.rotateSecret(id, rotation))
  })
]

const deliveryOperations: ReadonlyArray<Operation> = [
  ofOrganisation({
    group: "delivery",
    name: "list",
    description: "List deliveries, newest first",
    parameters: {
      endpoint_id: optional(Flag.String("endpoint"), "Those to this endpoint"),
      status: optional(Flag.Literals("status", Delivery.Status.literals), "Those that are this far"),
      event_type: optional(Flag.String("event-type"), "Those of this type of event"),
      ...paging
    },
    input: Query,
    output: pageOf(Delivery.DeliveryRecord),
    columns: ["id", "event_type", "status", "attempt_count", "next_attempt_at", "endpoint_id", "created_at"],
    run: (query) =>
      Effect.flatMap(parseQuery(Delivery.listing(eventTypes), query), (parsed) =>
        WebhookDeliveries.use((deliveries) => deliveries.list(parsed))
      )
  }),
  ofOrganisation({
    group: "delivery",
    name: "show",
    description: "Show a delivery with every attempt",
    parameters: { id: idOf("delivery") },
    input: Schema.Struct({ id: DeliveryId }),
    output: Delivery.DeliveryDetail,
    run: ({ id }) =>
      WebhookDeliveries.use((deliveries) =>
        Effect.map(deliveries.read(id), ({ attempts, delivery }) => ({ ...delivery, attempts }))
      )
  }),
  ofOrganisation({
    group: "delivery",
    name: "replay",
    description: "Send the event of a delivery once more, as a new delivery",
    parameters: { id: idOf("delivery") },
    input: Schema.Struct({ id: DeliveryId }),
    output: Delivery.DeliveryRecord,
    run: ({ id }) => WebhookDeliveries.use((deliveries) => deliveries.replay(id))
  })
]

const auditOperations: ReadonlyArray<Operation> = [
  ofOrganisation({
    group: "audit",
    name: "list",
    description: "List who did what, newest first",
    parameters: { limit: Flag.withDefault(described(Flag.Int("limit"), "Entries at most, 1 to 1000"), 100) },
    input: Schema.Struct({ limit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000 })) }),
    output: listOf(AuditEntry),
    columns: ["created_at", "operation", "subject_id", "actor_type", "actor_id", "request_id"],
    run: ({ limit }) => AuditLog.use((audit) => Effect.map(audit.list(limit), (data) => ({ data })))
  })
]

/** Every operation of the command: the same table serves a command by itself and a running server for one. */
export const operations: ReadonlyArray<Operation> = [
  ...organisationOperations,
  ...keyOperations,
  ...endpointOperations,
  ...deliveryOperations,
  ...auditOperations
]
