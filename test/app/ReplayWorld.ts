import { Effect } from "effect"
import { WebhookDeliveries } from "../../src/app/outbox/WebhookDeliveries.ts"
import type { Organisation } from "../../src/domain/access/Organisation.ts"
import type { Delivery } from "../../src/domain/outbox/Delivery.ts"
import type { ReplaySelection } from "../../src/domain/outbox/Replay.ts"
import { DeliveryStore, WebhookEndpointStore } from "../../src/ports.ts"
import { at, deliveryOf, endpointOf, eventOf, newOrganisation } from "../../src/testing/conformance/Records.ts"
import { asOperator } from "../support/Tenant.ts"

type State = "active" | "disabled" | "deleted"
type Became = "none" | "FAILED" | "DELIVERED" | "PENDING"

/** One event's way to one endpoint: when it was made, how it ended, and what became of a replay. */
export interface Way {
  readonly second: number
  readonly status: Delivery["status"]
  readonly endpoint: State
  readonly replay: Became
}

const ended = (status: Delivery["status"], second: number) =>
  status === "PENDING"
    ? { status }
    : { status, next_attempt_at: null, attempt_count: status === "FAILED" ? 6 : 1, completed_at: at(second) }

export const store = Effect.fnUntraced(function* (ways: ReadonlyArray<Way>) {
  const organisation = yield* newOrganisation()
  const deliveries = yield* DeliveryStore
  const endpoints = yield* WebhookEndpointStore
  const active = yield* endpointOf(organisation.id)
  const disabled = yield* endpointOf(organisation.id, { is_active: false, disabled_reason: "delivery_failures" })
  const deleted = yield* endpointOf(organisation.id, { is_active: false, deleted_at: at(5) })
  for (const endpoint of [active, disabled, deleted]) yield* endpoints.insert(endpoint)
  const byState = { active, disabled, deleted }
  const originals: Array<Delivery> = []
  for (const { endpoint, replay, second, status } of ways) {
    const event = yield* eventOf(organisation.id)
    const original = yield* deliveryOf(event, byState[endpoint], { created_at: at(second), ...ended(status, second) })
    yield* deliveries.insert(original)
    originals.push(original)
    if (replay === "none") continue
    const given = { created_at: at(second), replay_of: original.id, ...ended(replay, second) }
    yield* deliveries.insert(yield* deliveryOf(event, byState[endpoint], given))
  }
  return { organisation, originals, byState }
})

export const replay = (organisation: Organisation, given: Partial<ReplaySelection> = {}) =>
  WebhookDeliveries.use((deliveries) =>
    deliveries.replaySince({ since: at(0), until: at(1_000_000), dry_run: false, ...given })
  ).pipe(asOperator(organisation))
