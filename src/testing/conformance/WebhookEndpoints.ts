import { Effect } from "effect"
import fc from "fast-check"
import { listing, WebhookEndpoint } from "../../domain/outbox/WebhookEndpoint.ts"
import { WebhookEndpointStore } from "../../ports/outbox/WebhookEndpointStore.ts"
import * as Generators from "../Generators.ts"
import { recordStore } from "./RecordStores.ts"
import { at, endpointOf, freshId } from "./Records.ts"
import { same, type Thoroughness, together, transactionOf } from "./Suite.ts"

/** The laws of {@link WebhookEndpointStore}. */
export const webhookEndpoints = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "webhook endpoints",
    port: WebhookEndpointStore,
    arbitrary: Generators.webhookEndpoint,
    schema: WebhookEndpoint,
    fresh: freshId("webhookEndpoint"),
    must: ["WebhookEndpointStore MUST see no deleted one", "WebhookEndpointStore MUST find one, too"],
    hidden: ({ deleted_at }) => deleted_at !== null,
    answers: Effect.fnUntraced(function* (_, other) {
      same(yield* (yield* WebhookEndpointStore).countForUpdate(other), 0)
    }),
    list: { spec: listing, few: fc.record({ deleted_at: fc.option(fc.nat(3).map(at), { freq: 3 }) }) }
  })(({ must }) => [
    must(
      "of many that count and insert at the same moment, each counts those before it",
      ["WebhookEndpointStore.countForUpdate MUST let one transaction after the other count and insert"],
      function* ({ store, id }) {
        const register = transactionOf(function* () {
          const count = yield* store.countForUpdate(id)
          yield* Effect.yieldNow
          if (count < 3) yield* store.insert(yield* endpointOf(id))
          return count
        })
        yield* store.insert(yield* endpointOf(id, { is_active: false, deleted_at: at(1) }))
        const counts = yield* together(6, register)
        same(counts.toSorted(), [0, 1, 2, 3, 3, 3])
      }
    )
  ])
