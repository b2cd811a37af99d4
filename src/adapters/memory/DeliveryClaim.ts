import { DateTime, HashMap, Option, Result } from "effect"
import type { Delivery } from "../../domain/Delivery.ts"
import type { WebhookEndpointId } from "../../domain/Ids.ts"
import { compareCodePoints } from "../../domain/Text.ts"
import type { Claimed, DeliveryStore } from "../../ports/DeliveryStore.ts"
import type { Change } from "./Memory.ts"
import { get, type Pending, pendingKey, type State } from "./State.ts"

/** A delivery that has not ended, with its lease. */
export interface Held {
  readonly delivery: Delivery
  readonly lease: Pending["lease"]
}

/** All deliveries that have not ended. */
export const pendingOf = (state: State): ReadonlyArray<Held> =>
  HashMap.toValues(state.pending).flatMap(({ id, lease, organisation_id }) =>
    Option.match(get(state.deliveries, organisation_id, id), {
      onNone: () => [],
      onSome: (delivery) => [{ delivery, lease }]
    })
  )

/** When a delivery's next attempt is due, milliseconds since the epoch. */
export const dueMillis = ({ next_attempt_at }: Delivery): number =>
  next_attempt_at === null ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(next_attempt_at)

const earliestFirst = (a: Held, b: Held): number =>
  dueMillis(a.delivery) - dueMillis(b.delivery) || compareCodePoints(a.delivery.id, b.delivery.id)

/** Of deliveries in order, those that leave each endpoint within its share. */
const withinShares = (
  due: ReadonlyArray<Held>,
  perEndpoint: number,
  room: ReadonlyMap<WebhookEndpointId, number>
): ReadonlyArray<Held> => {
  const left = new Map(room)
  return due.filter(({ delivery }) => {
    const rest = left.get(delivery.endpoint_id) ?? perEndpoint
    if (rest <= 0) return false
    left.set(delivery.endpoint_id, rest - 1)
    return true
  })
}

const claimedOf = (state: State, delivery: Delivery, lease_id: string): Option.Option<Claimed> =>
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

/** Leases what is due and free, each endpoint within its share. */
export const claim = (
  state: State,
  { lease_id, lease_until, limit, now, per_endpoint, room }: Parameters<DeliveryStore["Service"]["claim"]>[0]
): Change<ReadonlyArray<Claimed>, never> => {
  const due = pendingOf(state)
    .filter(({ delivery, lease }) => lease === null && dueMillis(delivery) <= DateTime.toEpochMillis(now))
    .sort(earliestFirst)
  const claimed = withinShares(due, per_endpoint, room)
    .slice(0, limit)
    .flatMap(({ delivery }) => Option.toArray(claimedOf(state, delivery, lease_id)))
  const lease = { id: lease_id, until: lease_until }
  const pending = claimed.reduce(
    (all, { delivery: { id, organisation_id } }) =>
      HashMap.set(all, pendingKey({ id, organisation_id }), { id, organisation_id, lease }),
    state.pending
  )
  return Result.succeed([claimed, { ...state, pending }])
}
