import { DateTime, Effect, HashMap, Layer, Option, Result } from "effect"
import { type Delivery, machine } from "../../domain/Delivery.ts"
import { decide } from "../../domain/Machine.ts"
import { DeliveryStore } from "../../ports/DeliveryStore.ts"
import { claim, dueMillis, pendingOf } from "./DeliveryClaim.ts"
import { settle, trim } from "./DeliverySettle.ts"
import { type Listed, page } from "./Listing.ts"
import { Memory } from "./Memory.ts"
import { add, attemptsOf, get, pendingKey, replace, type State, withPending } from "./State.ts"

const listed: Listed<Delivery> = {
  table: (state) => state.deliveries,
  columns: (delivery) => delivery
}

const inserted = (state: State, delivery: Delivery): State => ({
  ...state,
  deliveries: add(state.deliveries, delivery),
  pending: delivery.status === "PENDING" ? withPending(state.pending, [delivery]) : state.pending
})

const abandonOne = (state: State, delivery: Delivery, at: DateTime.Utc): State =>
  Result.match(decide(machine, delivery, { _tag: "Abandon", at }), {
    onFailure: () => state,
    onSuccess: ({ state: ended }) => ({
      ...state,
      deliveries: replace(state.deliveries, ended),
      pending: HashMap.remove(state.pending, pendingKey(ended))
    })
  })

const millis = DateTime.toEpochMillis

/** Deliveries in memory. */
export const layer = Layer.effect(
  DeliveryStore,
  Effect.map(Memory, (memory) =>
    DeliveryStore.of({
      insert: (delivery) => memory.change((state) => inserted(state, delivery)),
      find: (organisation_id, id) =>
        memory.read((state) =>
          Option.map(get(state.deliveries, organisation_id, id), (delivery) => ({
            delivery,
            attempts: attemptsOf(state, organisation_id, id)
          }))
        ),
      list: (organisation_id, query) =>
        Effect.flatten(memory.read((state) => page(listed, state, organisation_id, query))),
      claim: (options) => memory.decide((state) => claim(state, options)),
      expired: (now, limit) =>
        memory.read((state) =>
          pendingOf(state)
            .flatMap(({ delivery, lease }) =>
              lease !== null && millis(lease.until) <= millis(now) ? [{ delivery, lease_id: lease.id }] : []
            )
            .slice(0, limit)
        ),
      settle: (outcomes) => memory.change((state) => settle(state, outcomes)),
      nextDue: memory.read((state) => {
        const instants = pendingOf(state).map(({ delivery, lease }) =>
          lease === null ? dueMillis(delivery) : millis(lease.until)
        )
        const first = instants.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
        return Number.isFinite(first) ? Option.some(DateTime.makeUnsafe(first)) : Option.none()
      }),
      abandon: (organisation_id, endpoint_id, at) =>
        memory.change((state) =>
          pendingOf(state)
            .map(({ delivery }) => delivery)
            .filter((each) => each.organisation_id === organisation_id && each.endpoint_id === endpoint_id)
            .reduce((next, delivery) => abandonOne(next, delivery, at), state)
        ),
      trim: (before, limit) => memory.decide((state) => trim(state, before, limit)),
      failing: (since) =>
        memory.read((state) =>
          HashMap.toValues(state.webhookEndpoints)
            .flatMap((endpoints) => HashMap.toValues(endpoints))
            .filter(
              ({ deleted_at, exhausted_at, failing_since, is_active }) =>
                is_active &&
                deleted_at === null &&
                exhausted_at !== null &&
                failing_since !== null &&
                millis(failing_since) <= millis(since)
            )
        ),
      releaseAll: Effect.flatMap(DateTime.now, (now) =>
        memory.change((state) => ({
          ...state,
          pending: HashMap.map(state.pending, (each) =>
            each.lease === null ? each : { ...each, lease: { ...each.lease, until: now } }
          )
        }))
      )
    })
  )
)
