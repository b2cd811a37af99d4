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
    says: "Send again the events of all deliveries that ended since a time, or only count them",
    example: [{ since: "2026-04-01T00:00:00Z", dry_run: true }],
    asks: asks.replaySince,
    takes: takes.replaySince,
    gives: ReplayReport,
    run: (use, selection) => use.replaySince(selection)
  }),
  setAside: deliveries.forInstallation({
    says: "List deliveries of all organisations whose records cannot be read, with the reason",
    takes: [],
    gives: Schema.Array(Delivery.SetAside),
    run: ({ setAside }) => setAside
  }),
  putBack: deliveries.forInstallation({
    says: "Try deliveries that were set aside again, after their records were mended",
    takes: [],
    gives: Schema.Int,
    run: ({ putBack }) => putBack
  })
}
