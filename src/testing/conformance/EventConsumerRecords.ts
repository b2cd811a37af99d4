import { type DateTime, Effect, Random, Result } from "effect"
import { eventCore } from "../../domain/giving/Donor.ts"
import type { DonorId, OrganisationId } from "../../domain/kernel/Ids.ts"
import { decide } from "../../domain/kernel/Machine.ts"
import * as ConsumedEvent from "../../domain/outbox/ConsumedEvent.ts"
import * as Event from "../../domain/outbox/Event.ts"
import type { From } from "../../domain/outbox/EventConsumer.ts"
import { EventConsumerStore, type LeasedEvent } from "../../ports/outbox/EventConsumerStore.ts"
import { Outbox } from "../../ports/outbox/Outbox.ts"
import { at, donorOf, freshDonorId, freshEventId, newOrganisation } from "./Records.ts"

export const leaseMillis = 60_000
export const enough = 1_000_000

export const types = ["donor.created", "donor.updated"] as const

export const eventAbout = Effect.fnUntraced(function* (
  organisation_id: OrganisationId,
  donor_id: DonorId,
  given: { readonly type?: (typeof types)[number]; readonly occurred_at?: DateTime.Utc } = {}
) {
  const core = eventCore({ ...(yield* donorOf(organisation_id)), id: donor_id })
  const made = Event.make({
    id: yield* freshEventId,
    organisation_id,
    type: "donor.created",
    occurred_at: given.occurred_at ?? at(0),
    dedupe_key: donor_id,
    data: core
  })
  const event: Event.Event = { ...made, type: given.type ?? "donor.created" }
  return event
})

export const freshName = Effect.map(Random.nextIntBetween(0, 1e15), (n) => `consumer-${n}`)

/** A consumer that is gone when the check ends. */
export const consumerFrom = Effect.fnUntraced(function* (from: From, event_types: ReadonlyArray<string> | null = null) {
  const store = yield* EventConsumerStore
  const name = yield* freshName
  const registered = Effect.orDie(store.register({ name, event_types, from }))
  yield* Effect.acquireRelease(registered, () => store.remove(name))
  return name
})

/** The events that the consumer takes of one organisation, without handling them. */
export const takenOf = Effect.fnUntraced(function* (name: string, organisation_id: OrganisationId) {
  const store = yield* EventConsumerStore
  yield* store.take(name, enough)
  const items = yield* store.waiting(name, { limit: enough, failed: false })
  return items.filter((item) => item.organisation_id === organisation_id)
})

export const idsOf = (items: ReadonlyArray<{ readonly event_id: string }>) => items.map(({ event_id }) => event_id)

export const claimOf = Effect.fnUntraced(function* (name: string, limit = 100, lease_millis = leaseMillis) {
  const lease_id = `lease-${yield* Random.nextIntBetween(0, 1e15)}`
  return yield* (yield* EventConsumerStore).claim({ name, lease_id, lease_millis, limit })
})

/** The one event that is due, claimed. */
export const heldOf = Effect.fnUntraced(function* (name: string, lease_millis?: number) {
  const [held] = yield* claimOf(name, 1, lease_millis)
  return held ?? (yield* Effect.die("nothing was claimed"))
})

export const decideEvent = ({ item, lease_id }: LeasedEvent, command: ConsumedEvent.Command): LeasedEvent => ({
  item: Result.getOrThrow(decide(ConsumedEvent.machine, item, command)).state,
  lease_id
})

/** A consumer that has taken one event. */
export const oneTaken = Effect.gen(function* () {
  const [outbox, store] = [yield* Outbox, yield* EventConsumerStore]
  const { id } = yield* newOrganisation()
  const name = yield* consumerFrom("now")
  const event = yield* eventAbout(id, yield* freshDonorId)
  yield* outbox.append([event])
  yield* store.take(name, enough)
  return { name, event }
})
