import { Context } from "effect"
import type { DeliveryId, OrganisationId, WebhookEndpointId } from "../../../domain/kernel/Ids.ts"
import type { Delivery } from "../../../domain/outbox/Delivery.ts"
import type { Share, Shares } from "../../../ports/outbox/DeliveryStore.ts"
import { type ExchangeOutcome, makeEndpointHealth } from "./EndpointHealth.ts"

/** How many deliveries a worker holds at most, from the claim to the record of the outcome. */
export interface DeliveryCapacity {
  readonly total: number
  /** Of the total, those that only endpoints with nothing under way are given. */
  readonly kept: number
  /** For all endpoints of one organisation together. */
  readonly perOrganisation: number
  /** For one endpoint that nothing is known of. */
  readonly perNewEndpoint: number
  /** For one endpoint that answers quickly: what is claimed with one statement, and recorded with one, grows with it. */
  readonly perFastEndpoint: number
}

/** How many deliveries a worker may hold; an operator may set it. */
export const Capacity = Context.Reference<DeliveryCapacity>("almoner/app/DeliverySlots/Capacity", {
  defaultValue: () => ({ total: 512, kept: 64, perOrganisation: 256, perNewEndpoint: 4, perFastEndpoint: 64 })
})

/** Most deliveries that one claim asks for. */
const claimBatch = 256

export interface ClaimLimits {
  readonly limit: number
  readonly endpoints: Shares<WebhookEndpointId>
  readonly organisations: Shares<OrganisationId>
}

type Placed = Pick<Delivery, "id" | "endpoint_id" | "organisation_id">

/** The deliveries that a worker holds, from their claim until their outcome is recorded. Times are monotonic milliseconds. */
export interface DeliverySlots {
  size(): number
  /** The limits of a claim made now; undefined when all places are taken. */
  ask(now: number): ClaimLimits | undefined
  /** Takes places for what a claim brought. True when a place that it left none of came free while it ran. */
  take(asked: ClaimLimits, claimed: ReadonlyArray<Placed>, now: number): boolean
  holds(id: DeliveryId): boolean
  /** Gives a place back. True when something may have waited for it. */
  free(delivery: Placed, now: number): boolean
  /** Learns how an exchange went. True when something may have waited for the room that its endpoint has now. */
  learn(endpoint_id: WebhookEndpointId, exchanged: ExchangeOutcome, now: number): boolean
}

const counter = <Id>() => {
  const counts = new Map<Id, number>()
  const of = (id: Id): number => counts.get(id) ?? 0
  return {
    of,
    ids: () => counts.keys(),
    add: (id: Id): void => void counts.set(id, of(id) + 1),
    subtract: (id: Id): void => {
      const left = of(id) - 1
      if (left > 0) counts.set(id, left)
      else counts.delete(id)
    }
  }
}

/** The shares of a claim, less what it brought. */
const leftOf = <Id>({ known, others }: Shares<Id>) => {
  const left = new Map([...known].map(([id, { room }]) => [id, room]))
  return {
    take: (id: Id): void => void left.set(id, (left.get(id) ?? others) - 1),
    /** Those that might have had more. */
    none: (): ReadonlyArray<Id> => [...left].filter(([, room]) => room <= 0).map(([id]) => id)
  }
}

export const makeDeliverySlots = (capacity: DeliveryCapacity): DeliverySlots => {
  const health = makeEndpointHealth({ first: capacity.perNewEndpoint, fast: capacity.perFastEndpoint })
  const held = new Set<DeliveryId>()
  const byEndpoint = counter<WebhookEndpointId>()
  const byOrganisation = counter<OrganisationId>()

  const endpointRoom = (id: WebhookEndpointId, now: number): number => health.room(id, byEndpoint.of(id), now)
  const organisationRoom = (id: OrganisationId): number => Math.max(0, capacity.perOrganisation - byOrganisation.of(id))
  const generalRoom = (): number => Math.max(0, capacity.total - capacity.kept - held.size)

  /** How many more an endpoint may have: one of the kept places where the general ones are taken and it has none under way. */
  const shareOf = (id: WebhookEndpointId, now: number): number => {
    const room = endpointRoom(id, now)
    return generalRoom() > 0 ? room : Math.min(room, byEndpoint.of(id) === 0 ? 1 : 0)
  }

  const endpointShares = (now: number): Shares<WebhookEndpointId> => {
    const others = generalRoom() > 0 ? capacity.perNewEndpoint : 1
    const known = new Map<WebhookEndpointId, Share>()
    for (const id of new Set([...byEndpoint.ids(), ...health.known()])) {
      const under_way = byEndpoint.of(id)
      const room = shareOf(id, now)
      if (under_way > 0 || room !== others) known.set(id, { room, under_way })
    }
    return { known, others }
  }

  const organisationShares = (): Shares<OrganisationId> => ({
    known: new Map(
      [...byOrganisation.ids()].map((id) => [id, { room: organisationRoom(id), under_way: byOrganisation.of(id) }])
    ),
    others: capacity.perOrganisation
  })

  const hasRoom = ({ endpoint_id, organisation_id }: Placed, now: number): boolean =>
    generalRoom() > 0 && endpointRoom(endpoint_id, now) > 0 && organisationRoom(organisation_id) > 0

  return {
    size: () => held.size,
    ask: (now) => {
      const general = generalRoom()
      const limit = Math.min(claimBatch, general > 0 ? general : capacity.total - held.size)
      if (limit <= 0) return undefined
      return { limit, endpoints: endpointShares(now), organisations: organisationShares() }
    },
    take: (asked, claimed, now) => {
      const endpointsLeft = leftOf(asked.endpoints)
      const organisationsLeft = leftOf(asked.organisations)
      for (const { endpoint_id, id, organisation_id } of claimed) {
        endpointsLeft.take(endpoint_id)
        organisationsLeft.take(organisation_id)
        held.add(id)
        health.begin(endpoint_id, byEndpoint.of(endpoint_id), now)
        byEndpoint.add(endpoint_id)
        byOrganisation.add(organisation_id)
      }
      return (
        endpointsLeft.none().some((id) => shareOf(id, now) > 0) ||
        (generalRoom() > 0 && organisationsLeft.none().some((id) => organisationRoom(id) > 0))
      )
    },
    holds: (id) => held.has(id),
    free: (delivery, now) => {
      const hadRoom = hasRoom(delivery, now)
      if (!held.delete(delivery.id)) return false
      byEndpoint.subtract(delivery.endpoint_id)
      byOrganisation.subtract(delivery.organisation_id)
      return !hadRoom
    },
    learn: (endpoint_id, exchanged, now) => {
      const hadRoom = endpointRoom(endpoint_id, now) > 0
      health.end(endpoint_id, exchanged, now)
      return !hadRoom && endpointRoom(endpoint_id, now) > 0
    }
  }
}
