import fc from "fast-check"
import * as WebhookEndpoint from "../../domain/outbox/WebhookEndpoint.ts"
import { charity, modelOf, noChange, real, stateOf, timedCommand, unlessGone } from "./Charity.ts"

const commands: fc.Arbitrary<WebhookEndpoint.Command> = fc.oneof(
  { weight: 4, arbitrary: timedCommand("Disable", "Enable") },
  { weight: 1, arbitrary: timedCommand("Delete") }
)

/**
 * Webhook endpoints that are disabled, enabled and deleted, beside {@link WebhookEndpoint.machine}. A deleted one is not
 * shown. To disable one for its failures is the service's own, after five days of deliveries.
 */
export const webhookEndpoints = modelOf(WebhookEndpoint.machine, (driven) => ({
  commands,
  fields: Object.keys(WebhookEndpoint.WebhookEndpointRecord.fields),
  shown: (endpoint) => (endpoint.deleted_at === null ? endpoint : {}),
  open: async () => {
    const { calls, id: organisation_id } = await charity(driven)
    const { create, read, delete: remove, update } = calls.webhookEndpoints
    const shown = await create({ url: "https://93.184.215.14/hook", event_types: ["donor.created"] })
    const born = stateOf(WebhookEndpoint.WebhookEndpoint, shown, { organisation_id, sealed_secret: "" })
    const readIt = (id: string) => unlessGone(read(id))
    return real(driven, calls, born, readIt, (command: WebhookEndpoint.Command) =>
      command._tag === "Delete" ? remove(born.id) : update(born.id, { is_active: command._tag === "Enable" })
    )
  },
  answers: (decides, state, command) => {
    const isDeleted = state.deleted_at !== null
    if (command._tag === "Delete") return isDeleted ? noChange(state) : decides(state, command)
    const isRepetition = !isDeleted && state.is_active === (command._tag === "Enable")
    return isRepetition ? noChange(state) : decides(state, command)
  },
  // A deleted endpoint is none that callers know.
  refusal: () => "NotFound"
}))
