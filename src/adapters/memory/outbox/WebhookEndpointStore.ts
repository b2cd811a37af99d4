import { Effect, Option } from "effect"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { undeletedRule, type WebhookEndpoint } from "../../../domain/outbox/WebhookEndpoint.ts"
import { WebhookEndpointStore } from "../../../ports/outbox/WebhookEndpointStore.ts"
import { storeOf } from "../Memory.ts"
import { makeRecords, tableOf } from "../Records.ts"
import { records as recordsOf } from "../State.ts"

const isDeleted = (endpoint: WebhookEndpoint): boolean => !Rule.holds(undeletedRule, endpoint)

export const layer = storeOf(WebhookEndpointStore, (memory) => {
  const records = makeRecords(memory, {
    ...tableOf("webhookEndpoints"),
    hidden: isDeleted
  })
  return {
    ...records,
    find: (organisation_id, id) =>
      Effect.map(
        records.find(organisation_id, id),
        Option.filter((endpoint) => !isDeleted(endpoint))
      ),
    countForUpdate: (organisation_id) =>
      memory.read(
        (state) =>
          Array.from(recordsOf(state.webhookEndpoints, organisation_id)).filter((each) => !isDeleted(each)).length
      )
  }
})
