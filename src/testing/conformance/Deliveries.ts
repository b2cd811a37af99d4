import { DateTime, Duration, Effect, Option } from "effect"
import fc from "fast-check"
import { type DeliveryId, WebhookEndpointId } from "../../domain/kernel/Ids.ts"
import { type Attempt, type Delivery, listing } from "../../domain/outbox/Delivery.ts"
import { eventTypes } from "../../domain/outbox/Event.ts"
import type { EarlierReplay } from "../../domain/outbox/Replay.ts"
import { DeliveryStore } from "../../ports/outbox/DeliveryStore.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { claim, claims, fromNow, idsOf, newDelivery } from "./Claims.ts"
import { turns } from "./ClaimTurns.ts"
import { deliveryRows } from "./DeliveryRows.ts"
import { type ListSubject, lists } from "./Lists.ts"
import { at, deliveryOf, eventOf, freshId, newEndpoint, newOrganisation } from "./Records.ts"
import { settlements } from "./Settlements.ts"
import { inTransaction, lawsOf, none, runsOf, same, suite, type Thoroughness } from "./Suite.ts"

const { law, must, property } = lawsOf(DeliveryStore)

/** Times before those of other checks' deliveries. */
const before = (millis: number): DateTime.Utc => DateTime.makeUnsafe(Date.UTC(1970, 0, 1) + millis)

const attempt: Attempt = {
  number: 1,
  attempted_at: before(1),
  response_status: 204,
  response_excerpt: null,
  retry_after: null,
  error: null,
  duration_ms: 12
}

/** The laws of what the cleaner asks of deliveries. */
const trims = [
  must(
    "what ended so long ago is forgotten with its attempts, the oldest first, and nothing that is pending",
    [
      "DeliveryStore.trim MUST leave alone those that are pending",
      "DeliveryStore.trim MUST forget the attempts with their delivery"
    ],
    function* ({ store, id }) {
      const endpoint = yield* newEndpoint(id)
      const event = yield* eventOf(id)
      const make = Effect.fnUntraced(function* (given: Partial<Delivery>) {
        return yield* Effect.tap(deliveryOf(event, endpoint, given), store.insert)
      })
      const ended = (moment: number) =>
        make({ status: "DELIVERED", next_attempt_at: null, completed_at: before(moment) })
      // Records of other checks.
      while ((yield* store.trim(before(0), 1_000)) > 0) {}
      const { delivery: attempted } = yield* newDelivery(endpoint)
      const [claimed] = yield* claim({ limit: 1 })
      const lease_id = claimed?.lease_id ?? ""
      const delivered: Delivery = {
        ...{ ...attempted, status: "DELIVERED", attempt_count: 1 },
        ...{ next_attempt_at: null, completed_at: before(1) }
      }
      yield* store.settle([{ delivery: delivered, lease_id, attempt: attempt }])
      const all = [attempted, yield* ended(3), yield* ended(2), yield* make({ created_at: before(0) })]
      const attempts = Effect.map(store.find(id, attempted.id), (found) =>
        Option.getOrUndefined(Option.map(found, (each) => each.attempts.length))
      )
      const known = Effect.forEach(all, (each) => Effect.map(store.find(id, each.id), Option.isSome))
      same([yield* known, yield* attempts], [[true, true, true, true], 1])
      same([yield* store.trim(before(0), 9), yield* store.trim(before(2), 1)], [0, 1])
      same(yield* known, [false, true, true, true])
      yield* store.insert(delivered)
      same(yield* attempts, 0)
      const counts = yield* Effect.all([store.trim(before(2), 9), store.trim(before(2), 9)], { concurrency: 2 })
      same([counts[0] + counts[1], yield* known], [2, [false, true, false, true]])
      same([yield* store.trim(before(9), 9), yield* known], [1, [false, false, false, true]])
    }
  )
]

const endpointIds = ["whe_01jcf5wq8wf9rvqkhkpzt4e5ma", "whe_01jcf5wq8wf9rvqkhkpzt4e5mb"].map((id) =>
  WebhookEndpointId.make(id)
)

const subject: ListSubject<Delivery, Delivery, DeliveryStore> = {
  name: "deliveries",
  port: "DeliveryStore",
  spec: listing(eventTypes),
  draft: fc
    .tuple(
      Generators.delivery,
      fc.record({
        created_at: fc.nat(3).map(at),
        event_type: fc.constantFrom("donor.created", "donor.updated"),
        endpoint_id: fc.constantFrom(...endpointIds)
      })
    )
    .map(([delivery, given]) => ({ ...delivery, ...given })),
  store: Effect.fnUntraced(function* (organisation_id, given) {
    const [delivery, store] = [{ ...given, id: yield* freshId("delivery"), organisation_id }, yield* DeliveryStore]
    yield* store.insert(delivery)
    yield* Effect.addFinalizer(() => store.abandon(organisation_id, given.endpoint_id, at(9)))
    return delivery
  }),
  list: (organisation_id, query) => DeliveryStore.use((store) => store.list(organisation_id, query)),
  columns: (delivery) => delivery
}

/** Replays as comparable lines: they are found in any order. */
const inOrder = (replays: ReadonlyArray<EarlierReplay>): ReadonlyArray<string> =>
  replays.map(({ endpoint_id, event_id, status }) => `${event_id} ${endpoint_id} ${status}`).sort()

const ending = [
  law("abandoning ends that endpoint's pending deliveries, with the transaction", function* ({ store, id, other }) {
    const [mine, kept] = [yield* newEndpoint(id), yield* newEndpoint(id)]
    const event = yield* eventOf(id)
    const pending = yield* deliveryOf(event, mine)
    const done = yield* deliveryOf(event, mine, { status: "DELIVERED", next_attempt_at: null, completed_at: at(1) })
    const elsewhere = yield* deliveryOf(event, kept)
    yield* Effect.forEach([pending, done, elsewhere], store.insert)
    const found = (id: DeliveryId) =>
      Effect.map(store.find(event.organisation_id, id), (found) => Option.getOrThrow(found).delivery)
    yield* store.abandon(other, mine.id, at(5))
    yield* store.abandon(id, mine.id, at(5)).pipe(Effect.andThen(Effect.fail("refused")), inTransaction, Effect.flip)
    same(yield* found(pending.id), pending)
    yield* store.abandon(id, mine.id, at(6))
    const failed = { status: "FAILED" as const, next_attempt_at: null, updated_at: at(6), completed_at: at(6) }
    same(yield* found(pending.id), { ...pending, ...failed })
    same(yield* found(done.id), done)
    same(yield* found(elsewhere.id), elsewhere)
  }),

  law("what is inserted in a transaction that was rolled back is never handed out", function* ({ store, id }) {
    const delivery = yield* deliveryOf(yield* eventOf(id), yield* newEndpoint(id))
    yield* store.insert(delivery).pipe(Effect.andThen(Effect.fail("refused")), inTransaction, Effect.flip)
    none(yield* store.find(id, delivery.id))
    assert.isTrue(Option.isNone(yield* store.untilDue))
  })
]

/** The laws of {@link DeliveryStore}. */
export const deliveries = (given: Thoroughness = {}) =>
  suite([
    must(
      "what waits for its next attempt is brought forward, for one organisation, and nothing that is under way",
      ["DeliveryStore.bringForward MUST leave alone what is under way."],
      function* ({ store }) {
        const [one, other] = [yield* newOrganisation(), yield* newOrganisation()]
        const [endpoint, others] = [yield* newEndpoint(one.id), yield* newEndpoint(other.id)]
        const held = yield* newDelivery(endpoint, { next_attempt_at: yield* fromNow(-60) })
        same(idsOf(yield* claim()), [held.delivery.id])
        const waiting = yield* newDelivery(endpoint, { next_attempt_at: yield* fromNow(3_600) })
        const elsewhere = yield* newDelivery(others, { next_attempt_at: yield* fromNow(3_600) })
        const until = Effect.map(store.untilDueOf(one.id), (left) => Duration.toSeconds(Option.getOrThrow(left)))
        const later = { next_attempt_at: yield* fromNow(90_000) }
        const { delivery: far } = yield* newDelivery(endpoint, later)
        assert.isAtMost(yield* until, 60, "the lease of what is under way")
        yield* store.bringForward((yield* newOrganisation()).id, 1_800_000)
        yield* store.bringForward(one.id, 3_600_000)
        same(yield* until, 0)
        same(
          Option.map(yield* store.find(one.id, far.id), ({ delivery }) => delivery.next_attempt_at),
          Option.some(DateTime.subtract(later.next_attempt_at, { hours: 1 }))
        )
        same(idsOf(yield* claim()), [waiting.delivery.id])
        assert.isAtLeast(Duration.toSeconds(Option.getOrThrow(yield* store.untilDueOf(other.id))), 3_000)
        yield* store.bringForward(other.id, 3_600_000)
        same(idsOf(yield* claim()), [elsewhere.delivery.id])
      }
    ),

    property(
      "a delivery is read back as it was written, by its own organisation only",
      [],
      runsOf(given),
      Generators.delivery,
      function* (given, { store, id: organisation_id, other }) {
        const endpoint = yield* newEndpoint(organisation_id)
        const delivery = { ...given, id: yield* freshId("delivery"), organisation_id, endpoint_id: endpoint.id }
        yield* store.insert(delivery)
        same(yield* store.find(organisation_id, delivery.id), Option.some({ delivery, attempts: [] }))
        none(yield* store.find(other, delivery.id))
      }
    ),

    property(
      "the replays of events are found, whatever became of them, and no other delivery",
      ["DeliveryStore.replaysOf MUST leave out deliveries that events made themselves, and other organisations'"],
      runsOf(given),
      fc.array(fc.tuple(fc.nat(2), fc.boolean(), fc.boolean(), Generators.delivery), { maxLength: 8 }),
      function* (drafts, { store }) {
        const [ours, theirs] = [yield* newOrganisation(), yield* newOrganisation()]
        const endpoints = new Map([
          [ours.id, yield* newEndpoint(ours.id)],
          [theirs.id, yield* newEndpoint(theirs.id)]
        ])
        const events = [yield* freshId("event"), yield* freshId("event"), yield* freshId("event")]
        const expected: Array<EarlierReplay> = []
        for (const [event, isReplay, isOurs, draft] of drafts) {
          const organisation_id = isOurs ? ours.id : theirs.id
          const endpoint_id = endpoints.get(organisation_id)?.id ?? draft.endpoint_id
          const event_id = events[event] ?? draft.event_id
          const id = yield* freshId("delivery")
          const replay_of = isReplay ? yield* freshId("delivery") : null
          yield* store.insert({ ...draft, id, organisation_id, endpoint_id, event_id, replay_of })
          if (isReplay && isOurs && event < 2) expected.push({ event_id, endpoint_id, status: draft.status })
        }
        same(inOrder(yield* store.replaysOf(ours.id, events.slice(0, 2))), inOrder(expected))
        same(yield* store.replaysOf(ours.id, []), [])
      }
    ),

    ...lists(subject, runsOf(given)),
    ...ending,
    ...turns(runsOf(given)),
    ...claims(runsOf(given)),
    ...settlements(runsOf(given)),
    ...trims,
    ...deliveryRows
  ])
