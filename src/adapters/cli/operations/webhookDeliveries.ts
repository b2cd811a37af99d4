import { Effect, Predicate, Schema } from "effect"
import { Argument, Flag } from "effect/cli"
import { WebhookDeliveries, webhookDeliveryOperations } from "../../../app/outbox/WebhookDeliveries.ts"
import { DeliveryId } from "../../../domain/kernel/Ids.ts"
import { MalformedInput } from "../../../domain/kernel/Rejection.ts"
import * as Delivery from "../../../domain/outbox/Delivery.ts"
import { eventTypes } from "../../../domain/outbox/Event.ts"
import * as Replay from "../../../domain/outbox/Replay.ts"
import { commandsOf, ofInstallation, ofOrganisation, runAgainst } from "../Operation.ts"
import { idOf, optional, optionalText, pageFlags, pageOf, withDefault } from "./Parameters.ts"

const oneOrAll = "Give the id of one delivery, or --since a time."

/** The input that selects one delivery by its id, or several by the filters of a replay. */
const OneOrAll = Replay.replaySelection(eventTypes).mapFields(({ dry_run: _, since, ...fields }) => ({
  ...fields,
  id: Schema.optionalKey(DeliveryId),
  since: Schema.optionalKey(since),
  yes: Schema.Boolean
}))

export const webhookDeliveryCommands = commandsOf("delivery", {
  list: runAgainst(webhookDeliveryOperations.list, {
    description: "List deliveries, newest first",
    parameters: {
      endpoint_id: optionalText("endpoint", "Those to this endpoint"),
      status: optional(Flag.Literals("status", Delivery.Status.literals), "Those that are this far"),
      event_type: optionalText("event-type", "Those of this type of event"),
      ...pageFlags
    },
    columns: [
      "id",
      "event_type",
      "status",
      "attempt_count",
      "interruption_count",
      "next_attempt_at",
      "endpoint_id",
      "created_at"
    ]
  }),
  show: runAgainst(webhookDeliveryOperations.read, {
    description: "Show a delivery with every attempt",
    parameters: { id: idOf("delivery") }
  }),
  replay: ofOrganisation({
    description:
      "Send the event of a delivery once more, as a new delivery; or those of all that ended since a time, counted only without --yes",
    parameters: {
      id: Argument.optional(idOf("delivery")),
      since: optionalText("since", "All that were made at this time or later: RFC 3339, or a date in UTC"),
      until: optionalText("until", "With --since: those made before this time (default: now)"),
      endpoint_id: optionalText("endpoint", "With --since: those to this endpoint"),
      event_type: optionalText("event-type", "With --since: those of this type of event"),
      status: optional(
        Flag.Literals("status", ["FAILED", "DELIVERED"]),
        "With --since: those that ended so (default: FAILED)"
      ),
      starting_after: optionalText("starting-after", "With --since: where the replay before ended, its next"),
      yes: withDefault(Flag.Boolean("yes"), "With --since: send them, rather than count them", false)
    },
    misuse: ({ id, since, yes, ...others }) => {
      if ((id === undefined) === (since === undefined)) return oneOrAll
      return id !== undefined && (yes === true || Object.keys(others).length > 0)
        ? "One delivery is replayed by its id alone: the flags are for --since."
        : undefined
    },
    input: OneOrAll,
    output: Schema.Union([Replay.ReplayReport, Delivery.DeliveryRecord]),
    remark: (result) => {
      if (Predicate.hasProperty(result, "next") && Predicate.isString(result.next)) {
        return `There are more: --starting-after ${result.next}`
      }
      return Predicate.hasProperty(result, "dry_run") && result.dry_run === true
        ? "Nothing was sent. To send what is replayable, repeat it with --yes."
        : undefined
    },
    run: Effect.fnUntraced(function* ({ id, since, yes, ...selection }) {
      const deliveries = yield* WebhookDeliveries
      if (id !== undefined) return yield* deliveries.replay(id)
      if (since === undefined) return yield* new MalformedInput({ message: oneOrAll })
      return yield* deliveries.replaySince({ ...selection, since, dry_run: !yes })
    })
  }),
  "set-aside": ofInstallation({
    description: webhookDeliveryOperations.setAside.summary,
    parameters: {},
    input: Schema.Struct({}),
    output: pageOf(Delivery.SetAside),
    columns: ["organisation_id", "id", "reason"],
    run: () => WebhookDeliveries.use(({ setAside }) => Effect.map(setAside, (data) => ({ data, has_more: false })))
  }),
  "put-back": ofInstallation({
    description: webhookDeliveryOperations.putBack.summary,
    parameters: {},
    input: Schema.Struct({}),
    output: Schema.Struct({ put_back: Schema.Int }),
    run: () => WebhookDeliveries.use(({ putBack }) => Effect.map(putBack, (put_back) => ({ put_back })))
  })
})
