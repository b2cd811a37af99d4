import { Effect, Layer, Option } from "effect"
import type { WebhookEndpoint } from "../../domain/WebhookEndpoint.ts"
import { WebhookEndpointStore } from "../../ports/WebhookEndpointStore.ts"
import { type Listed, page } from "./Listing.ts"
import { Memory } from "./Memory.ts"
import { add, get, records, replace } from "./State.ts"

const isDeleted = (endpoint: WebhookEndpoint): boolean => endpoint.deleted_at !== null

const listed: Listed<WebhookEndpoint> = {
  table: (state) => state.webhookEndpoints,
  columns: (endpoint) => endpoint,
  hidden: isDeleted
}

/** Webhook endpoints in memory. */
export const layer = Layer.effect(
  WebhookEndpointStore,
  Effect.map(Memory, (memory) =>
    WebhookEndpointStore.of({
      insert: (endpoint) =>
        memory.change((state) => ({
          ...state,
          webhookEndpoints: add(state.webhookEndpoints, endpoint)
        })),
      countForUpdate: (organisation_id) =>
        memory.read(
          (state) =>
            Array.from(records(state.webhookEndpoints, organisation_id)).filter((endpoint) => !isDeleted(endpoint))
              .length
        ),
      find: (organisation_id, id) =>
        memory.read((state) =>
          Option.filter(get(state.webhookEndpoints, organisation_id, id), (endpoint) => !isDeleted(endpoint))
        ),
      findForUpdate: (organisation_id, id) => memory.read((state) => get(state.webhookEndpoints, organisation_id, id)),
      update: (endpoint) =>
        memory.change((state) => ({ ...state, webhookEndpoints: replace(state.webhookEndpoints, endpoint) })),
      list: (organisation_id, query) =>
        Effect.flatten(memory.read((state) => page(listed, state, organisation_id, query)))
    })
  )
)
