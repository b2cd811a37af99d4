import { Effect } from "effect"
import * as WebhookEndpoint from "../../../domain/outbox/WebhookEndpoint.ts"
import { DeliveryStore } from "../../../ports/outbox/DeliveryStore.ts"
import { WebhookEndpointStore } from "../../../ports/outbox/WebhookEndpointStore.ts"
import { type ChangeResult, keptIn, makeChange } from "../../access/change/Change.ts"
import { refuseDeleted } from "../../kernel/store/RecordChecks.ts"

export const makeWebhookEndpointChange = Effect.gen(function* () {
  const store = yield* WebhookEndpointStore
  const deliveries = yield* DeliveryStore
  const { statusOf } = WebhookEndpoint.machine

  const change = (yield* makeChange)({
    machine: WebhookEndpoint.machine,
    ...keptIn("webhook endpoint", store),
    refuseEnded: (endpoint) => refuseDeleted("webhook endpoint", endpoint)
  })

  /** Ends what is pending where an endpoint came into a status in which nothing is sent to it. decisions, section 5. */
  const abandonPending = ({
    at,
    before,
    state
  }: ChangeResult<WebhookEndpoint.WebhookEndpoint>): Effect.Effect<void> => {
    const status = statusOf(state)
    return status === "ACTIVE" || status === statusOf(before)
      ? Effect.void
      : deliveries.abandon(state.organisation_id, state.id, at)
  }

  return { ...change, abandonPending } as const
})
