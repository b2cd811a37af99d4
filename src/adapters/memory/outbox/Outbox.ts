import { DateTime, Effect, HashMap, Option } from "effect"
import type { WebhookEndpointId } from "../../../domain/kernel/Ids.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { type Delivery, idFor, newDelivery } from "../../../domain/outbox/Delivery.ts"
import type { Event, EventRecord } from "../../../domain/outbox/Event.ts"
import { receives } from "../../../domain/outbox/WebhookEndpoint.ts"
import { realNow } from "../../../ports/kernel/AheadClock.ts"
import { DeliverySignal } from "../../../ports/outbox/DeliverySignal.ts"
import { Outbox } from "../../../ports/outbox/Outbox.ts"
import { type ListSource, page } from "../ListPage.ts"
import { storeFrom } from "../Memory.ts"
import { add, get, put, type State, where, withPending } from "../State.ts"
import { EventHint } from "./EventHint.ts"

const listed: ListSource<Event> = {
  table: (state) => state.events,
  columns: (event) => ({ ...event, created_at: event.occurred_at })
}

export const recordOf = ({ body, id, occurred_at, organisation_id, type }: Event): EventRecord => {
  const { data } = JSON.parse(body)
  return { id, type, occurred_at, organisation_id, data, created_at: occurred_at }
}

const dedupeId = (event: Event): string => JSON.stringify([event.type, event.dedupe_key])

/** Whether the organisation has the event's type and dedupe key already. */
export const isRepeated = (state: State, event: Event): boolean =>
  event.dedupe_key !== null && Option.isSome(get(state.dedupe, event.organisation_id, dedupeId(event)))

const subscribers = (state: State, event: Event) =>
  where(state.webhookEndpoints, event.organisation_id, (endpoint) => receives(endpoint, event.type)).toSorted((a, b) =>
    compareCodePoints(a.id, b.id)
  )

const deliveryOf = (
  { id, occurred_at, organisation_id, type }: Event,
  endpoint_id: WebhookEndpointId,
  ordinal: number,
  now: DateTime.Utc
): Delivery =>
  newDelivery({
    id: idFor(id, ordinal),
    organisation_id,
    endpoint_id,
    event_id: id,
    event_type: type,
    created_at: occurred_at,
    // Due at once by the store's clock, too.
    due: DateTime.min(occurred_at, now)
  })

/** The state with an event and its deliveries; unchanged when the event is a repetition. */
export const withEvent = (state: State, event: Event, now: DateTime.Utc): State => {
  if (isRepeated(state, event)) return state
  const { dedupe_key, id, organisation_id } = event
  const deliveries = subscribers(state, event).map((endpoint, index) => deliveryOf(event, endpoint.id, index + 1, now))
  return {
    ...state,
    events: add(state.events, event),
    eventLog: HashMap.set(state.eventLog, HashMap.size(state.eventLog) + 1, { organisation_id, id }),
    dedupe: dedupe_key === null ? state.dedupe : put(state.dedupe, organisation_id, dedupeId(event), id),
    deliveries: deliveries.reduce(add, state.deliveries),
    pending: withPending(state.pending, deliveries)
  }
}

export const layer = storeFrom(Outbox, function* (memory) {
  const signal = yield* DeliverySignal
  const { raise } = yield* EventHint
  return {
    append: (events) =>
      memory.run(
        Effect.gen(function* () {
          const now = yield* realNow
          yield* memory.change((state) => events.reduce((next, event) => withEvent(next, event, now), state))
          yield* memory.afterCommit(Effect.andThen(raise, signal.raise))
        })
      ),
    find: (organisation_id, id) => memory.read((state) => Option.map(get(state.events, organisation_id, id), recordOf)),
    list: (organisation_id, query) =>
      Effect.map(
        Effect.flatten(memory.read((state) => page(listed, state, organisation_id, query))),
        ({ data, has_more }) => ({ data: data.map(recordOf), has_more })
      )
  }
})
