import { Effect, Schema } from "effect"
import { DeliveryId } from "../../../domain/kernel/Ids.ts"
import * as Delivery from "../../../domain/outbox/Delivery.ts"
import * as Event from "../../../domain/outbox/Event.ts"
import { ReplayReport, replaySelection } from "../../../domain/outbox/Replay.ts"
import { body, id, operationsOf, pageOf, query } from "../../access/steps/Operation.ts"
import { asks, WebhookDeliveries } from "../WebhookDeliveries.ts"

const deliveries = operationsOf(WebhookDeliveries)

const deliveryId = id(DeliveryId, "webhook delivery")

/** The operations of {@link WebhookDeliveries}. */
export const webhookDeliveryOperations = {
  read: deliveries.forCaller({
    asks: asks.read,
    takes: [deliveryId],
    gives: Delivery.DeliveryDetail,
    run: (use, delivery) => Effect.map(use.read(delivery), ({ attempts, delivery }) => ({ ...delivery, attempts }))
  }),
  list: deliveries.forCaller({
    asks: asks.list,
    takes: [query(Delivery.listing(Event.eventTypes))],
    gives: pageOf(Delivery.DeliveryRecord),
    run: (use, asked) => use.list(asked)
  }),
  replay: deliveries.forCaller({
    asks: asks.replay,
    keyed: true,
    takes: [deliveryId],
    gives: Delivery.DeliveryRecord,
    run: (use, delivery) => use.replay(delivery)
  }),
  replaySince: deliveries.forOperator({
    asks: asks.replaySince,
    takes: [body(replaySelection(Event.eventTypes))],
    gives: ReplayReport,
    run: (use, selection) => use.replaySince(selection)
  }),
  setAside: deliveries.forInstallation({
    takes: [],
    gives: Schema.Array(Delivery.SetAside),
    run: ({ setAside }) => setAside
  }),
  putBack: deliveries.forInstallation({
    takes: [],
    gives: Schema.Int,
    run: ({ putBack }) => putBack
  })
}
