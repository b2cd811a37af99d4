import { DateTime, Duration, Effect, Option } from "effect"
import fc from "fast-check"
import type { DeliveryId, OrganisationId, WebhookEndpointId } from "../../domain/kernel/Ids.ts"
import { type Attempt, Delivery, listing } from "../../domain/outbox/Delivery.ts"
import { eventTypes } from "../../domain/outbox/Event.ts"
import type { EarlierReplay } from "../../domain/outbox/Replay.ts"
import { DeliveryStore, type Share } from "../../ports/outbox/DeliveryStore.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { claim, claims, fromNow, idsOf, newDelivery } from "./Claims.ts"
import { deliveryRows } from "./DeliveryRows.ts"
import { recordStore } from "./RecordStores.ts"
import { at, deliveryOf, eventOf, freshId, longAgo, newEndpoint, newOrganisation } from "./Records.ts"
import { settlements } from "./Settlements.ts"
import { inTransaction, lawsOf, runsOf, same, type Thoroughness } from "./Suite.ts"
import { trimCheck } from "./Trims.ts"

const { law, must, property } = lawsOf(DeliveryStore)

/** Times before those of other checks' deliveries. */
const before = (millis: number): DateTime.Utc => DateTime.makeUnsafe(Date.UTC(1970, 0, 1) + millis)

/** A stored delivery of an event and to an endpoint of its own. */
const storedDelivery = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Partial<Delivery>) {
  const delivery = yield* deliveryOf(yield* eventOf(organisation_id), yield* newEndpoint(organisation_id), given)
  yield* (yield* DeliveryStore).insert(delivery)
  return delivery
})

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
  trimCheck({
    name: "deliveries",
    must: ["DeliveryStore.trim MUST leave alone those that are pending"],
    port: DeliveryStore,
    trim: ({ trim }, until, limit) => trim(until, limit),
    isOldestFirst: true,
    make: (organisation_id, completed_at) =>
      storedDelivery(organisation_id, { status: "DELIVERED", next_attempt_at: null, completed_at }),
    kept: (organisation_id, created_at) => Effect.all([storedDelivery(organisation_id, { created_at })]),
    isThere: ({ id, organisation_id }) =>
      DeliveryStore.use((store) => Effect.map(store.find(organisation_id, id), Option.isSome))
  }),

  must(
    "the attempts of what is forgotten are, too",
    ["DeliveryStore.trim MUST forget the attempts with their delivery"],
    function* ({ store, id }) {
      const { delivery } = yield* newDelivery(yield* newEndpoint(id))
      const [claimed] = yield* claim({ limit: 1 })
      const delivered: Delivery = {
        ...{ ...delivery, status: "DELIVERED", attempt_count: 1 },
        ...{ next_attempt_at: null, completed_at: before(1) }
      }
      yield* store.settle([{ delivery: delivered, lease_id: claimed?.lease_id ?? "", attempt }])
      const attempts = Effect.map(
        store.find(id, delivery.id),
        Option.map((found) => found.attempts.length)
      )
      same(yield* attempts, Option.some(1))
      const forgets = Effect.repeat(store.trim(before(1), 100), { while: (count) => count > 0 })
      yield* forgets
      same(yield* attempts, Option.none())
      yield* store.insert(delivered)
      same(yield* attempts, Option.some(0))
      yield* forgets
    }
  )
]

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
  })
]

/** A queue of deliveries to one endpoint, with the endpoint's share. */
interface Queue {
  readonly dues: ReadonlyArray<number>
  readonly share: Share | null
}

const share = fc.option(fc.record({ room: fc.nat(4), under_way: fc.nat(5) }))

const tenants = fc.array(
  fc.record({
    share,
    queues: fc.array(fc.record({ share, dues: fc.array(fc.nat(1_000), { maxLength: 5 }) }), {
      minLength: 1,
      maxLength: 3
    })
  }),
  { minLength: 1, maxLength: 3 }
)

/**
 * Merges queues in turns: the next is the one that had fewest turns, among several the one whose next delivery is due
 * first, while it has room.
 */
const inTurns = (
  lines: ReadonlyArray<{ readonly share: Share; readonly line: ReadonlyArray<number> }>
): Array<{ readonly due: number; readonly place: number }> => {
  const turns: Array<{ readonly due: number; readonly place: number }> = []
  const given = lines.map(() => 0)
  for (;;) {
    const next = lines
      .map(({ line, share }, index) => ({
        index,
        due: line[given[index] ?? 0],
        place: share.under_way + (given[index] ?? 0) + 1
      }))
      .flatMap(({ due, ...each }) =>
        due === undefined || (given[each.index] ?? 0) >= (lines[each.index]?.share.room ?? 0) ? [] : [{ due, ...each }]
      )
      .toSorted((a, b) => a.place - b.place || a.due - b.due)[0]
    if (next === undefined) return turns
    given[next.index] = (given[next.index] ?? 0) + 1
    turns.push({ due: next.due, place: next.place })
  }
}

/** The law of the order in which queues take turns. */
const turns = (runs: number) => [
  property(
    "what is due is handed out in turns: of organisations, and within them of endpoints, each within its room",
    ["DeliveryStore.claim MUST hand out the first by place within the organisation, then by due time"],
    runs,
    fc.record({
      tenants,
      perEndpoint: fc.integer({ min: 1, max: 4 }),
      perOrganisation: fc.integer({ min: 1, max: 8 }),
      limit: fc.integer({ min: 1, max: 12 })
    }),
    function* ({ limit, perEndpoint, perOrganisation, tenants }) {
      const endpoints = new Map<WebhookEndpointId, Share>()
      const organisations = new Map<OrganisationId, Share>()
      const dueOf = new Map<string, number>()
      // No two are due at the same time, so that there is one order.
      const taken = new Set<number>()
      const once = ({ dues }: Queue) =>
        dues.filter((due) => !taken.has(due) && taken.add(due)).toSorted((a, b) => a - b)
      const lines: Array<{ share: Share; line: Array<number> }> = []
      for (const tenant of tenants) {
        const { id } = yield* newOrganisation()
        if (tenant.share !== null) organisations.set(id, tenant.share)
        const queues: Array<{ share: Share; line: ReadonlyArray<number> }> = []
        for (const queue of tenant.queues) {
          const endpoint = yield* newEndpoint(id)
          if (queue.share !== null) endpoints.set(endpoint.id, queue.share)
          const line = once(queue)
          queues.push({ share: queue.share ?? { room: perEndpoint, under_way: 0 }, line })
          for (const due of line) {
            const next_attempt_at = DateTime.addDuration(longAgo, Duration.seconds(due))
            const { delivery } = yield* newDelivery(endpoint, { next_attempt_at })
            dueOf.set(delivery.id, due)
          }
        }
        lines.push({
          share: tenant.share ?? { room: perOrganisation, under_way: 0 },
          line: inTurns(queues).map(({ due }) => due)
        })
      }
      const claimed = yield* claim({
        limit,
        endpoints: { known: endpoints, others: perEndpoint },
        organisations: { known: organisations, others: perOrganisation }
      })
      same(
        idsOf(claimed).map((id) => dueOf.get(id) ?? -1),
        inTurns(lines)
          .map(({ due }) => due)
          .slice(0, limit)
      )
    }
  )
]

/** The laws of {@link DeliveryStore}. */
export const deliveries = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "deliveries",
    port: DeliveryStore,
    arbitrary: Generators.delivery,
    schema: Delivery,
    fresh: freshId("delivery"),
    parents: (organisation_id) => Effect.map(newEndpoint(organisation_id), ({ id }) => ({ endpoint_id: id })),
    appended: true,
    found: (delivery) => ({ delivery, attempts: [] }),
    list: {
      port: "DeliveryStore",
      spec: listing(eventTypes),
      few: fc.record({ event_type: fc.constantFrom("donor.created", "donor.updated") })
    }
  })(({ must, property }) => [
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

    ...ending,
    ...turns(runsOf(given)),
    ...claims(runsOf(given)),
    ...settlements(runsOf(given)),
    ...trims,
    ...deliveryRows
  ])
