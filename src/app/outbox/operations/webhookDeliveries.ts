import { Effect, Schema } from "effect"
import * as Delivery from "../../../domain/outbox/Delivery.ts"
import { ReplayReport } from "../../../domain/outbox/Replay.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, takes, WebhookDeliveries } from "../WebhookDeliveries.ts"

const deliveries = operationsOf(WebhookDeliveries)

/** The operations of {@link WebhookDeliveries}. */
export const webhookDeliveryOperations = {
  read: deliveries.forCaller({
    asks: asks.read,
    takes: takes.read,
    gives: Delivery.DeliveryDetail,
    run: (use, delivery) => Effect.map(use.read(delivery), ({ attempts, delivery }) => ({ ...delivery, attempts }))
  }),
  list: deliveries.forCaller({
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(Delivery.DeliveryRecord),
    run: (use, asked) => use.list(asked)
  }),
  replay: deliveries.forCaller({
    asks: asks.replay,
    keyed: true,
    takes: takes.replay,
    gives: Delivery.DeliveryRecord,
    run: (use, delivery) => use.replay(delivery)
  }),
  replaySince: deliveries.forOperator({
    asks: asks.replaySince,
    takes: takes.replaySince,
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
