import { Context } from "effect"
import type { Delivery } from "../../domain/Delivery.ts"
import type { DeliveryId, WebhookEndpointId } from "../../domain/Ids.ts"

/** How many exchanges a worker has under way at most. */
export interface DeliveryCapacity {
  readonly total: number
  /** To one endpoint. */
  readonly perEndpoint: number
  /** To one endpoint that answered slowly or not at all: a few of those must not use up the total. */
  readonly perSlowEndpoint: number
}

/** What a worker may have under way; an operator may set it. */
export const Capacity = Context.Reference<DeliveryCapacity>("almoner/app/steps/DeliverySlots/Capacity", {
  defaultValue: () => ({ total: 256, perEndpoint: 32, perSlowEndpoint: 4 })
})

/** An endpoint whose last exchange took this long is slow, milliseconds. */
const slowMillis = 1_000

/** Slow endpoints that are remembered; the longest known is forgotten first. */
const slowEndpoints = 128

/** What a worker holds: from the claim of a delivery until its outcome is recorded. */
export interface DeliverySlots {
  /** How many are taken. */
  size(): number
  /** How many more may be claimed. */
  room(): number
  /** What is under way for each endpoint, as a claim with the share `perEndpoint` is to see it. */
  inFlight(): ReadonlyMap<WebhookEndpointId, number>
  holds(id: DeliveryId): boolean
  take(delivery: Delivery): void
  /** Gives a slot back. True when something may have waited for it. */
  free(delivery: Delivery): boolean
  /** Learns how long an endpoint took, milliseconds. */
  learn(endpoint_id: WebhookEndpointId, duration_ms: number): void
}

/** Empty slots. */
export const makeDeliverySlots = (capacity: DeliveryCapacity): DeliverySlots => {
  const held = new Set<DeliveryId>()
  const counts = new Map<WebhookEndpointId, number>()
  const slow = new Set<WebhookEndpointId>()
  const handicap = Math.max(0, capacity.perEndpoint - capacity.perSlowEndpoint)

  const used = (id: WebhookEndpointId): number => (counts.get(id) ?? 0) + (slow.has(id) ? handicap : 0)

  const forgetOldest = () => {
    for (const oldest of slow) {
      if (slow.size <= slowEndpoints) return
      slow.delete(oldest)
    }
  }

  return {
    size: () => held.size,
    room: () => capacity.total - held.size,
    inFlight: () => {
      if (slow.size === 0) return counts
      const seen = new Map(counts)
      for (const id of slow) seen.set(id, used(id))
      return seen
    },
    holds: (id) => held.has(id),
    take: ({ endpoint_id, id }) => {
      held.add(id)
      counts.set(endpoint_id, (counts.get(endpoint_id) ?? 0) + 1)
    },
    free: ({ endpoint_id, id }) => {
      const wasFull = held.size >= capacity.total || used(endpoint_id) >= capacity.perEndpoint
      if (!held.delete(id)) return false
      const left = (counts.get(endpoint_id) ?? 0) - 1
      if (left > 0) counts.set(endpoint_id, left)
      else counts.delete(endpoint_id)
      return wasFull
    },
    learn: (endpoint_id, duration_ms) => {
      const isSlow = duration_ms >= slowMillis
      if (isSlow === slow.has(endpoint_id)) return
      if (isSlow) slow.add(endpoint_id)
      else slow.delete(endpoint_id)
      forgetOldest()
    }
  }
}
