import { DateTime, Effect, Option } from "effect"
import fc from "fast-check"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { compareCodePoints } from "../../domain/kernel/Text.ts"
import { type Delivery, idFor, newDelivery } from "../../domain/outbox/Delivery.ts"
import { type Event, eventTypes, listing } from "../../domain/outbox/Event.ts"
import { DeliveryStore } from "../../ports/outbox/DeliveryStore.ts"
import { Outbox } from "../../ports/outbox/Outbox.ts"
import { WebhookEndpointStore } from "../../ports/outbox/WebhookEndpointStore.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { recordStore } from "./RecordStores.ts"
import { at, endpointOf, eventOf, eventRecordOf, freshId, newEndpoint, queryOf } from "./Records.ts"
import { clearSignal, isRaised } from "./Signals.ts"
import { inTransaction, lawsOf, none, runsOf, same, type Thoroughness, together, transactionOf } from "./Suite.ts"

const { law, must, property } = lawsOf(Outbox)

/** One of them is of a host's own, which the catalogue does not have. */
const typesUsed: ReadonlyArray<string> = [...eventTypes.slice(0, 2), "x.pledge.signed"]

const endpoints = fc.array(
  fc.record({
    event_types: fc.subarray([...typesUsed], { minLength: 1 }),
    is_active: fc.boolean(),
    deleted_at: fc.option(fc.constant(at(1)), { freq: 3 })
  }),
  { maxLength: 5 }
)

const events = fc.array(
  fc.record({
    type: fc.constantFrom(...typesUsed),
    dedupe_key: fc.option(fc.constantFrom("one", "two")),
    occurred_at: fc.nat(5).map(at)
  }),
  { maxLength: 6 }
)

const deliveriesOf = Effect.fnUntraced(function* (organisation_id: OrganisationId) {
  const { data } = yield* (yield* DeliveryStore).list(organisation_id, queryOf())
  return data.toSorted((a, b) => compareCodePoints(a.id, b.id))
})

/** The events in order, without repetitions. */
const once = (all: ReadonlyArray<Event>): ReadonlyArray<Event> => {
  const seen = new Set<string>()
  return all.filter(({ dedupe_key, type }) => {
    const key = `${type} ${dedupe_key}`
    if (dedupe_key === null) return true
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** Appends an event before an endpoint is made, after that, and after it is disabled; the endpoint, and the second event. */
const toldBetween = Effect.fnUntraced(function* (organisation_id: OrganisationId) {
  const [outbox, store] = [yield* Outbox, yield* WebhookEndpointStore]
  yield* outbox.append([yield* eventOf(organisation_id)])
  const endpoint = yield* endpointOf(organisation_id)
  yield* store.insert(endpoint)
  const told = yield* eventOf(organisation_id)
  yield* outbox.append([told])
  yield* store.update({ ...endpoint, is_active: false })
  yield* outbox.append([yield* eventOf(organisation_id)])
  return { endpoint, told }
})

const deliveries = (runs: number) => [
  property(
    "each event has one delivery for each endpoint that is active and subscribes, and no repetition is written",
    ["Outbox.append MUST drop an event whose type and dedupe key the organisation has already, without failing"],
    runs,
    fc.tuple(endpoints, events, fc.nat(6)),
    function* ([receivers, given, split], { store: outbox, id, other }) {
      yield* newEndpoint(other, { event_types: [...typesUsed] })
      const stored = yield* Effect.forEach(receivers, (each) => newEndpoint(id, each))
      const all = yield* Effect.forEach(given, (each) => eventOf(id, each))
      yield* outbox.append(all.slice(0, split))
      yield* outbox.append(all.slice(split))
      const live = stored
        .filter(({ deleted_at, is_active }) => is_active && deleted_at === null)
        .toSorted((a, b) => compareCodePoints(a.id, b.id))
      const expected = yield* Effect.forEach(once(all), (event) => {
        const subscribed = live.filter(({ event_types }) => event_types.includes(event.type))
        const { occurred_at: instant } = event
        return Effect.forEach(subscribed, (endpoint, index) =>
          Effect.succeed({
            ...newDelivery({
              id: idFor(event.id, index + 1),
              organisation_id: id,
              endpoint_id: endpoint.id,
              event_id: event.id,
              event_type: event.type,
              created_at: instant,
              due: instant
            }),
            next_attempt_at: null
          })
        )
      })
      const found = yield* deliveriesOf(id)
      same(
        found.map((delivery): Delivery => ({ ...delivery, next_attempt_at: null })),
        expected.flat().toSorted((a, b) => compareCodePoints(a.id, b.id))
      )
      const now = yield* DeliveryStore.use((store) => store.now)
      for (const { created_at, next_attempt_at } of found) {
        assert.isTrue(
          next_attempt_at !== null &&
            DateTime.isLessThanOrEqualTo(next_attempt_at, created_at) &&
            DateTime.isLessThanOrEqualTo(next_attempt_at, now),
          "it is due at once, by the store's clock, too"
        )
      }
      same(yield* deliveriesOf(other), [])
      const kept = (yield* outbox.list(id, queryOf())).data.map((event) => event.id)
      same(
        kept.toSorted(),
        once(all)
          .map((event) => event.id)
          .toSorted()
      )
    }
  ),

  law("an endpoint registered or disabled counts from then on, within a transaction, too", function* ({ id, other }) {
    const store = yield* DeliveryStore
    for (const { endpoint, told } of [yield* toldBetween(id), yield* inTransaction(toldBetween(other))]) {
      const { organisation_id } = endpoint
      same(
        (yield* deliveriesOf(organisation_id)).map(({ event_id }) => event_id),
        [told.id]
      )
      yield* store.abandon(organisation_id, endpoint.id, at(0))
    }
  }),

  law("a key of one organisation is none of another, nor of another type", function* ({ store: outbox, id, other }) {
    const dedupe_key = "once"
    yield* outbox.append([yield* eventOf(id, { dedupe_key })])
    yield* outbox.append([
      yield* eventOf(other, { dedupe_key }),
      yield* eventOf(id, { dedupe_key, type: "donor.merged" })
    ])
    assert.lengthOf((yield* outbox.list(id, queryOf())).data, 2)
    assert.lengthOf((yield* outbox.list(other, queryOf())).data, 1)
  }),

  must(
    "of repetitions at the same moment one is written",
    ["Outbox.append MUST drop an event whose type and dedupe key the organisation has already, without failing"],
    function* ({ store: outbox, id }) {
      yield* newEndpoint(id)
      const append = Effect.flatMap(eventOf(id, { dedupe_key: "once" }), (event) =>
        inTransaction(outbox.append([event]))
      )
      yield* together(5, append)
      assert.lengthOf((yield* outbox.list(id, queryOf())).data, 1)
      assert.lengthOf(yield* deliveriesOf(id), 1)
    }
  )
]

const commits = [
  law("events and deliveries go with the transaction; an undone key is free again", function* ({ store: outbox, id }) {
    yield* newEndpoint(id)
    const event = yield* eventOf(id, { dedupe_key: "once" })
    yield* outbox.append([event]).pipe(Effect.andThen(Effect.fail("refused")), inTransaction, Effect.flip)
    none(yield* outbox.find(id, event.id))
    same(yield* deliveriesOf(id), [])
    yield* inTransaction(outbox.append([event]))
    same(yield* outbox.find(id, event.id), Option.some(eventRecordOf(event)))
    assert.lengthOf(yield* deliveriesOf(id), 1)
  }),

  must(
    "the signal is raised once the transaction committed, and not before, nor when it was rolled back",
    ["Outbox.append MUST raise DeliverySignal once that committed, if it wrote a delivery"],
    function* ({ store: outbox, id }) {
      yield* newEndpoint(id)
      yield* clearSignal
      const [lost, event] = [yield* eventOf(id), yield* eventOf(id)]
      yield* outbox.append([lost]).pipe(Effect.andThen(Effect.fail("refused")), inTransaction, Effect.flip)
      assert.isFalse(yield* isRaised, "after a rollback")
      yield* transactionOf(function* () {
        yield* inTransaction(outbox.append([event]))
        assert.isFalse(yield* isRaised, "before the commit")
      })
      assert.isTrue(yield* isRaised, "after the commit")
    }
  )
]

/** The laws of {@link Outbox}. */
export const outboxes = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "events",
    port: Effect.map(Outbox, (outbox) => ({ ...outbox, insert: (event: Event) => outbox.append([event]) })),
    arbitrary: Generators.event,
    fresh: freshId("event"),
    appended: true,
    found: eventRecordOf,
    list: {
      port: "Outbox",
      spec: listing,
      few: fc.record({ occurred_at: fc.nat(3).map(at) }),
      columns: eventRecordOf,
      shown: eventRecordOf
    }
  })(() => [...deliveries(runsOf(given)), ...commits])
