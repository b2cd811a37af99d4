import { Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import { endpointTestOperations } from "../../../app/outbox/EndpointTests.ts"
import { eventConsumerOperations } from "../../../app/outbox/EventConsumers.ts"
import { mailOperations } from "../../../app/outbox/Mails.ts"
import { Sweeper } from "../../../app/outbox/Sweeper.ts"
import { webhookEndpointOperations } from "../../../app/outbox/WebhookEndpoints.ts"
import { yearlySummaryOperations } from "../../../app/outbox/YearlySummaries.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { Budget, Status } from "../../../domain/kernel/Mail.ts"
import { Swept } from "../../../domain/outbox/Sweep.ts"
import { commandsOf, ofInstallation, overInstallation, runAgainst } from "../Operation.ts"
import {
  idOf,
  optional,
  optionalText,
  pageFlags,
  shownOnce,
  text,
  valuesOf,
  wholeNumber,
  withDescription
} from "./Parameters.ts"

const name = Argument.withDescription(Argument.String("name"), "The name of the consumer")
const event = { name, id: Argument.withDescription(Argument.String("event"), "The id of the event") }

export const eventConsumerCommands = commandsOf("consumer", {
  list: overInstallation(eventConsumerOperations.list, {
    columns: ["name", "behind", "waiting", "parked", "created_at"]
  }),
  show: overInstallation(eventConsumerOperations.read, { parameters: { name } }),
  retry: overInstallation(eventConsumerOperations.retry, { parameters: event }),
  skip: overInstallation(eventConsumerOperations.skip, { parameters: event }),
  delete: overInstallation(eventConsumerOperations.delete, { parameters: { name } })
})

const eventTypesFlag = valuesOf("event-types", "Types of events, comma-separated, e.g. donation.created")
const urlFlag = text("url", "Where events are sent")
const descriptionFlag = optionalText("description", "What the endpoint is for; an empty text clears it")

export const webhookEndpointCommands = commandsOf("endpoint", {
  create: runAgainst(webhookEndpointOperations.create, {
    description: "Register a webhook endpoint and show its secret once",
    parameters: { url: urlFlag, event_types: eventTypesFlag, description: descriptionFlag },
    remark: shownOnce
  }),
  list: runAgainst(webhookEndpointOperations.list, {
    description: "List webhook endpoints, newest first",
    columns: ["id", "url", "is_active", "disabled_reason", "event_types"]
  }),
  show: runAgainst(webhookEndpointOperations.read, { description: "Show a webhook endpoint" }),
  update: runAgainst(webhookEndpointOperations.update, {
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
  delete: runAgainst(webhookEndpointOperations.delete, {
    description: "Delete a webhook endpoint and end its pending deliveries"
  }),
  "rotate-secret": runAgainst(webhookEndpointOperations.rotateSecret, {
    description: "Give an endpoint a new signing secret and show it once",
    parameters: {
      id: idOf("endpoint"),
      overlap_hours: optional(
        wholeNumber("overlap-hours"),
        `Hours for which the old secret signs, too: 0 to ${Limits.secretOverlapHours} (default: ${Limits.secretOverlapDefaultHours})`
      )
    },
    remark: shownOnce
  }),
  test: runAgainst(endpointTestOperations.test)
})

export const mailCommands = commandsOf("mail", {
  list: runAgainst(mailOperations.list, {
    parameters: {
      status: optional(
        Flag.Literals("status", [...Status.literals, "UNREADABLE"]),
        "Those that are this far; UNREADABLE are set aside"
      ),
      delayed_by: optional(Flag.Literals("delayed-by", Budget.literals), "Those that wait for this budget"),
      ...pageFlags
    },
    columns: ["id", "template", "subject_id", "status", "attempt_count", "delayed_by", "next_attempt_at", "created_at"]
  })
})

export const yearlySummaryCommands = commandsOf("yearly-summary", {
  list: runAgainst(yearlySummaryOperations.list, {
    columns: ["year", "mail_count", "begun_at", "completed_at"]
  }),
  send: runAgainst(yearlySummaryOperations.send)
})

export const sweepCommands = commandsOf(null, {
  sweep: ofInstallation({
    description: "Write what has expired, and forget what is kept no longer, now rather than within the hour",
    parameters: {},
    input: Schema.Struct({}),
    output: Swept,
    run: () => Sweeper.use(({ sweepOnce }) => sweepOnce)
  })
})
