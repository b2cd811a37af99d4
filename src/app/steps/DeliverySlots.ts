import { Context } from "effect"
import type { Delivery } from "../../domain/Delivery.ts"
import type { DeliveryId, WebhookEndpointId } from "../../domain/Ids.ts"

/** How many deliveries a worker holds at most, from the claim to the record of the outcome. */
export interface DeliveryCapacity {
  readonly total: number
  /** For one endpoint that nothing is known of. */
  readonly perEndpoint: number
  /** For one endpoint that answered quickly: what is claimed with one statement, and recorded with one, grows with it. */
  readonly perFastEndpoint: number
  /** For one endpoint that answered slowly or not at all: a few of those must not use up the total. */
  readonly perSlowEndpoint: number
}

/** What a worker may hold; an operator may set it. */
export const Capacity = Context.Reference<DeliveryCapacity>("almoner/app/steps/DeliverySlots/Capacity", {
  defaultValue: () => ({ total: 512, perEndpoint: 32, perFastEndpoint: 64, perSlowEndpoint: 4 })
})

/** An endpoint whose last exchange took less than this is fast, milliseconds. */
const fastMillis = 250

/** An endpoint whose last exchange took this long is slow, milliseconds. */
const slowMillis = 1_000

/** Endpoints whose pace is remembered; the one that was learned of longest ago is forgotten first. */
const endpointsRemembered = 1_024

/** What a worker holds: from the claim of a delivery until its outcome is recorded. */
export interface DeliverySlots {
  /** How many are taken. */
  size(): number
  /** How many more may be claimed. */
  room(): number
  /** How many more each endpoint may be given that has not the share of an unknown one all to itself. */
  rooms(): ReadonlyMap<WebhookEndpointId, number>
  /**
   * Whether an endpoint whose room a claim used up, seen as `rooms` was before it, has room by now: what was given back
   * meanwhile was not seen to be waited for.
   */
  hasRoomAgain(seen: ReadonlyMap<WebhookEndpointId, number>, claimed: ReadonlyArray<Delivery>): boolean
  holds(id: DeliveryId): boolean
  take(delivery: Delivery): void
  /** Gives a slot back. True when something may have waited for it. */
  free(delivery: Delivery): boolean
  /** Learns how long an endpoint took, milliseconds. True when something may have waited for the share that it has now. */
  learn(endpoint_id: WebhookEndpointId, duration_ms: number): boolean
}

/** Empty slots. */
export const makeDeliverySlots = (capacity: DeliveryCapacity): DeliverySlots => {
  const held = new Set<DeliveryId>()
  const counts = new Map<WebhookEndpointId, number>()
  const shares = new Map<WebhookEndpointId, number>()

  const shareFor = (duration_ms: number): number =>
    duration_ms >= slowMillis
      ? capacity.perSlowEndpoint
      : duration_ms < fastMillis
        ? capacity.perFastEndpoint
        : capacity.perEndpoint

  const roomOf = (id: WebhookEndpointId): number =>
    Math.max(0, (shares.get(id) ?? capacity.perEndpoint) - (counts.get(id) ?? 0))

  return {
    size: () => held.size,
    room: () => capacity.total - held.size,
    rooms: () => new Map([...counts.keys(), ...shares.keys()].map((id) => [id, roomOf(id)])),
    hasRoomAgain: (seen, claimed) => {
      const after = new Map(seen)
      for (const { endpoint_id } of claimed) {
        after.set(endpoint_id, (after.get(endpoint_id) ?? capacity.perEndpoint) - 1)
      }
      return [...after].some(([id, room]) => room <= 0 && roomOf(id) > 0)
    },
    holds: (id) => held.has(id),
    take: ({ endpoint_id, id }) => {
      held.add(id)
      counts.set(endpoint_id, (counts.get(endpoint_id) ?? 0) + 1)
    },
    free: ({ endpoint_id, id }) => {
      const wasFull = held.size >= capacity.total || roomOf(endpoint_id) === 0
      if (!held.delete(id)) return false
      const left = (counts.get(endpoint_id) ?? 0) - 1
      if (left > 0) counts.set(endpoint_id, left)
      else counts.delete(endpoint_id)
      return wasFull
    },
    learn: (endpoint_id, duration_ms) => {
      const wasFull = roomOf(endpoint_id) === 0
      shares.delete(endpoint_id)
      shares.set(endpoint_id, shareFor(duration_ms))
      for (const oldest of shares.keys()) {
        if (shares.size <= endpointsRemembered) break
        shares.delete(oldest)
      }
      return wasFull && roomOf(endpoint_id) > 0
    }
  }
}
