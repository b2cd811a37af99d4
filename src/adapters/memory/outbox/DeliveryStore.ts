import { DateTime, Duration, Effect, HashMap, Layer, Option, Result } from "effect"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { decide } from "../../../domain/kernel/Machine.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { type Delivery, inFlight, machine } from "../../../domain/outbox/Delivery.ts"
import * as WebhookEndpoint from "../../../domain/outbox/WebhookEndpoint.ts"
import { realNow } from "../../../ports/kernel/AheadClock.ts"
import { DeliveryStore } from "../../../ports/outbox/DeliveryStore.ts"
import { type Listed, page } from "../Listing.ts"
import { Memory } from "../Memory.ts"
import { add, attemptsOf, get, pendingKey, records, replace, type State, withPending } from "../State.ts"
import { claim, dueMillis, pendingOf, renew } from "./DeliveryClaim.ts"
import { trim } from "./DeliveryCleaner.ts"
import { settle } from "./DeliveryCompleter.ts"
import { expired, release, repair } from "./DeliveryRescuer.ts"

const listed: Listed<Delivery> = {
  table: (state) => state.deliveries,
  columns: (delivery) => delivery
}

const inserted = (state: State, delivery: Delivery): State => ({
  ...state,
  deliveries: add(state.deliveries, delivery),
  pending: Rule.holds(inFlight, delivery) ? withPending(state.pending, [delivery]) : state.pending
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

const earlier = (at: DateTime.Utc | null, by_millis: number): DateTime.Utc | null =>
  at === null ? null : DateTime.subtract(at, { milliseconds: by_millis })

/** Has the time of an organisation's deliveries pass at once. */
const broughtForward = (state: State, organisation_id: OrganisationId, by_millis: number): State => {
  const waiting = pendingOf(state).filter(
    ({ delivery, lease }) => lease === null && delivery.organisation_id === organisation_id
  )
  const failing = Array.from(records(state.webhookEndpoints, organisation_id)).filter(
    ({ failing_since }) => failing_since !== null
  )
  return {
    ...state,
    deliveries: waiting.reduce(
      (table, { delivery }) =>
        replace(table, { ...delivery, next_attempt_at: earlier(delivery.next_attempt_at, by_millis) }),
      state.deliveries
    ),
    webhookEndpoints: failing.reduce(
      (table, endpoint) =>
        replace(table, {
          ...endpoint,
          failing_since: earlier(endpoint.failing_since, by_millis),
          exhausted_at: earlier(endpoint.exhausted_at, by_millis)
        }),
      state.webhookEndpoints
    )
  }
}

/** Deliveries in memory. */
export const layer = Layer.effect(
  DeliveryStore,
  Effect.map(Memory, (memory) => {
    const soonest = (isMeant: (delivery: Delivery) => boolean) =>
      Effect.flatMap(realNow, (now) =>
        memory.read((state) => {
          const instants = pendingOf(state)
            .filter(({ delivery }) => isMeant(delivery))
            .map(({ delivery, lease }) => (lease === null ? dueMillis(delivery) : millis(lease.until)))
          const first = instants.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
          return Number.isFinite(first) ? Option.some(Duration.millis(Math.max(0, first - millis(now)))) : Option.none()
        })
      )
    return DeliveryStore.of({
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
      replaysOf: (organisation_id, events) =>
        memory.read((state) =>
          Array.from(records(state.deliveries, organisation_id))
            .filter(({ event_id, replay_of }) => replay_of !== null && events.includes(event_id))
            .map(({ endpoint_id, event_id, status }) => ({ event_id, endpoint_id, status }))
        ),
      now: realNow,
      claim: (options) => Effect.flatMap(realNow, (now) => memory.decide((state) => claim(state, now, options))),
      renew: (lease_id, lease_millis) =>
        Effect.flatMap(realNow, (now) => memory.decide((state) => renew(state, now, lease_id, lease_millis))),
      release: (lease_ids) => memory.change((state) => release(state, lease_ids)),
      expired: (options) => Effect.flatMap(realNow, (now) => memory.read((state) => expired(state, now, options))),
      settle: (outcomes) => memory.change((state) => settle(state, outcomes)),
      untilDue: soonest(() => true),
      untilDueOf: (organisation_id) => soonest((delivery) => delivery.organisation_id === organisation_id),
      bringForward: (organisation_id, by_millis) =>
        memory.change((state) => broughtForward(state, organisation_id, by_millis)),
      repair: (lease_millis) =>
        Effect.flatMap(realNow, (now) => memory.decide((state) => repair(state, now, lease_millis))),
      // A record in memory is one that was checked when it was made.
      setAside: () => Effect.succeed([]),
      putBack: Effect.succeed(0),
      abandon: (organisation_id, endpoint_id, at) =>
        memory.change((state) =>
          pendingOf(state)
            .map(({ delivery }) => delivery)
            .filter((each) => each.organisation_id === organisation_id && each.endpoint_id === endpoint_id)
            .reduce((next, delivery) => abandonOne(next, delivery, at), state)
        ),
      trim: (before, limit) => memory.decide((state) => trim(state, before, limit)),
      failing: (now) =>
        memory.read((state) =>
          HashMap.toValues(state.webhookEndpoints)
            .flatMap((endpoints) => HashMap.toValues(endpoints))
            .filter((endpoint) => Rule.holdsAt(WebhookEndpoint.failing, endpoint, now))
        ),
      releaseAll: memory.change((state) => ({
        ...state,
        pending: HashMap.map(state.pending, (each) =>
          each.lease === null ? each : { ...each, lease: { ...each.lease, until: DateTime.makeUnsafe(0) } }
        )
      }))
    })
  })
)
