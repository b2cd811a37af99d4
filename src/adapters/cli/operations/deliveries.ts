import { Effect, Schema } from "effect"
import { Flag } from "effect/cli"
import { WebhookDeliveries } from "../../../app/WebhookDeliveries.ts"
import * as Delivery from "../../../domain/Delivery.ts"
import { eventTypes } from "../../../domain/Event.ts"
import { DeliveryId } from "../../../domain/Ids.ts"
import { type Operation, ofInstallation, ofOrganisation } from "../Operation.ts"
import { idOf, optional, pageOf, paging, parseQuery, Query } from "./Parameters.ts"

export const deliveryOperations: ReadonlyArray<Operation> = [
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
    columns: [
      "id",
      "event_type",
      "status",
      "attempt_count",
      "interruption_count",
      "next_attempt_at",
      "endpoint_id",
      "created_at"
    ],
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
  }),
  ofInstallation({
    group: "delivery",
    name: "set-aside",
    description: "List deliveries of all organisations whose records cannot be read, with the reason",
    parameters: {},
    input: Schema.Struct({}),
    output: pageOf(Delivery.SetAside),
    columns: ["organisation_id", "id", "reason"],
    run: () => WebhookDeliveries.use(({ setAside }) => Effect.map(setAside, (data) => ({ data, has_more: false })))
  }),
  ofInstallation({
    group: "delivery",
    name: "put-back",
    description: "Try deliveries that were set aside again, after their records were mended",
    parameters: {},
    input: Schema.Struct({}),
    output: Schema.Struct({ put_back: Schema.Int }),
    run: () => WebhookDeliveries.use(({ putBack }) => Effect.map(putBack, (put_back) => ({ put_back })))
  })
]
