import { Effect, Schema } from "effect"
import { Flag } from "effect/cli"
import { EndpointTests } from "../../../app/outbox/EndpointTests.ts"
import { WebhookEndpoints } from "../../../app/outbox/WebhookEndpoints.ts"
import { WebhookEndpointId } from "../../../domain/kernel/Ids.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { EndpointTest } from "../../../domain/outbox/EndpointTest.ts"
import { EventType } from "../../../domain/outbox/Event.ts"
import * as WebhookEndpoint from "../../../domain/outbox/WebhookEndpoint.ts"
import { type Operation, ofOrganisation } from "../Operation.ts"
import { described, idOf, optional, pageOf, paging, parseQuery, Query, shownOnce } from "./Parameters.ts"

const commaList = (text: string): ReadonlyArray<string> => text.split(",").map((item) => item.trim())

const eventTypesFlag = Flag.map(
  described(Flag.String("event-types"), "Types of events, comma-separated, e.g. donation.created"),
  commaList
)
const urlFlag = described(Flag.String("url"), "Where events are sent")
const descriptionFlag = optional(Flag.String("description"), "What the endpoint is for; an empty text clears it")
const Patch = WebhookEndpoint.webhookEndpointPatch(EventType)

export const endpointOperations: ReadonlyArray<Operation> = [
  ofOrganisation({
    group: "endpoint",
    name: "create",
    description: "Register a webhook endpoint and show its secret once",
    parameters: { url: urlFlag, event_types: eventTypesFlag, description: descriptionFlag },
    input: WebhookEndpoint.newWebhookEndpoint(EventType),
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
      overlap_hours: optional(
        Flag.Int("overlap-hours"),
        `Hours for which the old secret signs, too: 0 to ${Limits.secretOverlapHours} (default: ${Limits.secretOverlapDefaultHours})`
      )
    },
    input: WebhookEndpoint.SecretRotation.mapFields((fields) => ({ ...fields, id: WebhookEndpointId })),
    output: WebhookEndpoint.WebhookEndpointWithSecret,
    remark: shownOnce,
    run: ({ id, ...rotation }) => WebhookEndpoints.use((endpoints) => endpoints.rotateSecret(id, rotation))
  }),
  ofOrganisation({
    group: "endpoint",
    name: "test",
    description: "Send an endpoint a signed test now, and show what came back; it is no event, and no delivery is kept",
    parameters: { id: idOf("endpoint") },
    input: Schema.Struct({ id: WebhookEndpointId }),
    output: EndpointTest,
    run: ({ id }) => EndpointTests.use((tests) => tests.send(id))
  })
]
