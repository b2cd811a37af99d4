import { Flag } from "effect/cli"
import { endpointTestOperations } from "../../../app/outbox/EndpointTests.ts"
import { webhookEndpointOperations } from "../../../app/outbox/WebhookEndpoints.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import type { Operation } from "../Operation.ts"
import { runAgainst } from "../Over.ts"
import { commaList, idOf, optional, pageFlags, shownOnce, withDescription } from "./Parameters.ts"

const eventTypesFlag = Flag.map(
  withDescription(Flag.String("event-types"), "Types of events, comma-separated, e.g. donation.created"),
  commaList
)
const urlFlag = withDescription(Flag.String("url"), "Where events are sent")
const descriptionFlag = optional(Flag.String("description"), "What the endpoint is for; an empty text clears it")

export const webhookEndpointCommands: ReadonlyArray<Operation> = [
  runAgainst(webhookEndpointOperations.create, {
    group: "endpoint",
    name: "create",
    description: "Register a webhook endpoint and show its secret once",
    parameters: { url: urlFlag, event_types: eventTypesFlag, description: descriptionFlag },
    remark: shownOnce
  }),
  runAgainst(webhookEndpointOperations.list, {
    group: "endpoint",
    name: "list",
    description: "List webhook endpoints, newest first",
    parameters: pageFlags,
    columns: ["id", "url", "is_active", "disabled_reason", "event_types"]
  }),
  runAgainst(webhookEndpointOperations.read, {
    group: "endpoint",
    name: "show",
    description: "Show a webhook endpoint",
    parameters: { id: idOf("endpoint") }
  }),
  runAgainst(webhookEndpointOperations.update, {
    group: "endpoint",
    name: "update",
    description: "Change a webhook endpoint; switching it off ends its pending deliveries",
    parameters: {
      id: idOf("endpoint"),
      url: Flag.optional(urlFlag),
      event_types: Flag.optional(eventTypesFlag),
      description: descriptionFlag,
      is_active: Flag.optional(
        Flag.map(
          withDescription(Flag.Literals("active", ["on", "off"]), "Whether events are sent"),
          (text) => text === "on"
        )
      )
    }
  }),
  runAgainst(webhookEndpointOperations.delete, {
    group: "endpoint",
    name: "delete",
    description: "Delete a webhook endpoint and end its pending deliveries",
    parameters: { id: idOf("endpoint") }
  }),
  runAgainst(webhookEndpointOperations.rotateSecret, {
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
    remark: shownOnce
  }),
  runAgainst(endpointTestOperations.test, { group: "endpoint", name: "test", parameters: { id: idOf("endpoint") } })
]
