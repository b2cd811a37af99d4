import { Effect } from "effect"
import { Events } from "../../../app/outbox/Events.ts"
import { WebhookDeliveries } from "../../../app/outbox/WebhookDeliveries.ts"
import { WebhookEndpoints } from "../../../app/outbox/WebhookEndpoints.ts"
import type { WebhooksGroup } from "../endpoints/outbox/webhooks.ts"
import type { HandlersOf } from "../pipeline/Handler.ts"

export const webhooksHandlers = Effect.gen(function* () {
  const endpoints = yield* WebhookEndpoints
  const deliveries = yield* WebhookDeliveries
  const events = yield* Events
  const handlers: HandlersOf<typeof WebhooksGroup> = {
    createEndpoint: {
      run: ({ payload }) => endpoints.create(payload),
      prepare: ({ payload }) => endpoints.prepareCreate(payload)
    },
    listEndpoints: { run: ({ list }) => endpoints.list(list) },
    readEndpoint: { run: ({ params }) => endpoints.read(params.id) },
    updateEndpoint: {
      run: ({ params, payload }) => endpoints.update(params.id, payload),
      prepare: ({ params, payload }) => endpoints.prepareUpdate(params.id, payload)
    },
    deleteEndpoint: { run: ({ params }) => endpoints.remove(params.id) },
    rotateSecret: { run: ({ params, payload }) => endpoints.rotateSecret(params.id, payload) },
    listDeliveries: { run: ({ list }) => deliveries.list(list) },
    readDelivery: {
      run: ({ params }) =>
        Effect.map(deliveries.read(params.id), ({ attempts, delivery }) => ({ ...delivery, attempts }))
    },
    replayDelivery: { run: ({ params }) => deliveries.replay(params.id) },
    listEvents: { run: ({ list }) => events.list(list) },
    readEvent: { run: ({ params }) => events.read(params.id) }
  }
  return handlers
})
