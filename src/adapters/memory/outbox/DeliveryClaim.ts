import { DateTime, HashMap, Option, Result } from "effect"
import type { DeliveryId } from "../../../domain/kernel/Ids.ts"
import { addTime } from "../../../domain/kernel/InstantRange.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import type { Delivery } from "../../../domain/outbox/Delivery.ts"
import type { ClaimedDelivery, ClaimResult, DeliveryStore, Shares } from "../../../ports/outbox/DeliveryStore.ts"
import type { Change } from "../Memory.ts"
import { get, pendingKey, type State, type UnfinishedDelivery } from "../State.ts"

export interface LeasedDelivery {
  readonly delivery: Delivery
  readonly lease: UnfinishedDelivery["lease"]
}

export const pendingOf = (state: State): ReadonlyArray<LeasedDelivery> =>
  HashMap.toValues(state.pending).flatMap(({ id, lease, organisation_id }) =>
    Option.match(get(state.deliveries, organisation_id, id), {
      onNone: () => [],
      onSome: (delivery) => [{ delivery, lease }]
    })
  )

/** When a delivery's next attempt is due, milliseconds since the epoch. */
export const dueMillis = ({ next_attempt_at }: Delivery): number =>
  next_attempt_at === null ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(next_attempt_at)

const earliestFirst = (a: LeasedDelivery, b: LeasedDelivery): number =>
  dueMillis(a.delivery) - dueMillis(b.delivery) || compareCodePoints(a.delivery.id, b.delivery.id)

/** The pending deliveries with a lease on one of them. */
export const withLease = (
  pending: State["pending"],
  { id, organisation_id }: Delivery,
  lease: UnfinishedDelivery["lease"]
): State["pending"] => HashMap.set(pending, pendingKey({ id, organisation_id }), { id, organisation_id, lease })

interface Ranked extends LeasedDelivery {
  /** Its place in what is being ranked, counted from what is under way. */
  readonly place: number
}

/** Of deliveries in order, of each key those within its share, with their places. */
const ranked = <Id>(inOrder: ReadonlyArray<LeasedDelivery>, keyOf: (delivery: Delivery) => Id, shares: Shares<Id>) => {
  const places = new Map<Id, number>()
  return inOrder.flatMap((held): ReadonlyArray<Ranked> => {
    const key = keyOf(held.delivery)
    const { room, under_way } = shares.known.get(key) ?? { room: shares.others, under_way: 0 }
    const place = (places.get(key) ?? under_way) + 1
    places.set(key, place)
    return place > under_way + room ? [] : [{ ...held, place }]
  })
}

const byPlace = (a: Ranked, b: Ranked): number => a.place - b.place || earliestFirst(a, b)

const claimedOf = (state: State, delivery: Delivery, lease_id: string): Option.Option<ClaimedDelivery> =>
  Option.map(
    Option.all({
      event: get(state.events, delivery.organisation_id, delivery.event_id),
      endpoint: get(state.webhookEndpoints, delivery.organisation_id, delivery.endpoint_id),
      organisation: HashMap.get(state.organisations, delivery.organisation_id)
    }),
    ({ endpoint, event, organisation }) => ({
      delivery,
      lease_id,
      body: event.body,
      endpoint,
      is_sandbox: organisation.is_sandbox,
      webhook_allowed_cidrs: organisation.webhook_allowed_cidrs
    })
  )

/** Leases what is due and free, fairly over endpoints and organisations. */
export const claim = (
  state: State,
  now: DateTime.Utc,
  { due, endpoints, lease_id, lease_millis, limit, organisations }: Parameters<DeliveryStore["Service"]["claim"]>[0]
): Change<ClaimResult, never> => {
  const until = due === undefined ? now : DateTime.min(due, now)
  const ready = pendingOf(state)
    .filter(({ delivery, lease }) => lease === null && dueMillis(delivery) <= DateTime.toEpochMillis(until))
    .sort(earliestFirst)
  const inEndpoints = ranked(ready, ({ endpoint_id }) => endpoint_id, endpoints).sort(byPlace)
  const inOrganisations = ranked(inEndpoints, ({ organisation_id }) => organisation_id, organisations).sort(byPlace)
  const claimed = inOrganisations
    .slice(0, limit)
    .flatMap(({ delivery }) => Option.toArray(claimedOf(state, delivery, lease_id)))
  const lease = { id: lease_id, until: addTime(now, lease_millis) }
  const pending = claimed.reduce((all, { delivery }) => withLease(all, delivery, lease), state.pending)
  return Result.succeed([
    { at: now, claimed },
    { ...state, pending }
  ])
}

/** Begins a lease anew where it stands. */
export const renew = (
  state: State,
  now: DateTime.Utc,
  lease_id: string,
  lease_millis: number
): Change<{ readonly at: DateTime.Utc; readonly ids: ReadonlySet<DeliveryId> }, never> => {
  const held = pendingOf(state).filter(({ lease }) => lease?.id === lease_id)
  const lease = { id: lease_id, until: addTime(now, lease_millis) }
  const pending = held.reduce((all, { delivery }) => withLease(all, delivery, lease), state.pending)
  return Result.succeed([
    { at: now, ids: new Set(held.map(({ delivery }) => delivery.id)) },
    { ...state, pending }
  ])
}
