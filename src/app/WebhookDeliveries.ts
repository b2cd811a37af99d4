import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { Delivery } from "../domain/Delivery.ts"
import type { DeliveryId } from "../domain/Ids.ts"
import { Limits } from "../domain/Limits.ts"
import type { ListQuery } from "../domain/Listing.ts"
import { RecordArchived } from "../domain/Rejection.ts"
import { DeliverySignal } from "../ports/DeliverySignal.ts"
import { DeliveryStore } from "../ports/DeliveryStore.ts"
import { Tokens } from "../ports/Tokens.ts"
import { Transaction } from "../ports/Transaction.ts"
import { WebhookEndpointStore } from "../ports/WebhookEndpointStore.ts"
import { orNotFound } from "./steps/Finding.ts"
import { Journal } from "./steps/Journal.ts"
import { permitted } from "./steps/Permission.ts"

/** Reads deliveries with their attempts, and repeats one by hand. */
export class WebhookDeliveries extends Context.Service<WebhookDeliveries>()("almoner/app/WebhookDeliveries", {
  make: Effect.gen(function* () {
    const store = yield* DeliveryStore
    const endpoints = yield* WebhookEndpointStore
    const journal = yield* Journal
    const signal = yield* DeliverySignal
    const tokens = yield* Tokens
    const transaction = yield* Transaction

    const find = Effect.fnUntraced(function* (organisation_id: Delivery["organisation_id"], id: DeliveryId) {
      return yield* store.find(organisation_id, id).pipe(orNotFound("webhook delivery", id))
    })

    const read = Effect.fn("WebhookDeliveries.read")(function* (id: DeliveryId) {
      const caller = yield* permitted("webhook_deliveries.read")
      return yield* find(caller.organisation.id, id)
    })

    const list = Effect.fn("WebhookDeliveries.list")(function* (query: ListQuery) {
      const caller = yield* permitted("webhook_deliveries.list")
      return yield* store.list(caller.organisation.id, query)
    })

    /**
     * Sends the event of a delivery to its endpoint once more, as a new delivery with an id of its own, whatever became of
     * the old one. Fails with {@link RecordArchived} when the endpoint is deleted or disabled.
     */
    const replay = Effect.fn("WebhookDeliveries.replay")(function* (id: DeliveryId) {
      const caller = yield* permitted("webhook_deliveries.replay")
      const { delivery } = yield* find(caller.organisation.id, id)
      const endpoint = yield* endpoints.findForUpdate(caller.organisation.id, delivery.endpoint_id)
      if (Option.isNone(endpoint) || !endpoint.value.is_active || endpoint.value.deleted_at !== null) {
        return yield* new RecordArchived({ record: "webhook endpoint", id: delivery.endpoint_id })
      }
      const at = yield* DateTime.now
      const replayed: Delivery = {
        id: yield* tokens.id("delivery"),
        organisation_id: delivery.organisation_id,
        endpoint_id: delivery.endpoint_id,
        event_id: delivery.event_id,
        event_type: delivery.event_type,
        status: "PENDING",
        attempt_count: 0,
        interruption_count: 0,
        next_attempt_at: yield* store.now,
        replay_of: delivery.id,
        created_at: at,
        updated_at: at,
        completed_at: null
      }
      yield* store.insert(replayed)
      yield* journal.write({ operation: "webhook_deliveries.replay", subject_id: replayed.id, at, events: [] })
      yield* transaction.afterCommit(signal.raise)
      return replayed
    }, transaction.run)

    /** Deliveries of all organisations whose records cannot be read, at most a page of them: an operator's to look into. */
    const setAside = store.setAside(Limits.pageMaximum)

    /** Has all that is set aside tried again, once an operator has mended it, and answers how many there were. */
    const putBack = Effect.tap(store.putBack, (count) =>
      Effect.andThen(Effect.logInfo(`${count} deliveries that were set aside are tried again`), signal.raise)
    )

    return { read, list, replay, setAside, putBack } as const
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
