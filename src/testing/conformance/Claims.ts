import { type DateTime, Effect, Option } from "effect"
import fc from "fast-check"
import type { Delivery } from "../../domain/Delivery.ts"
import type { WebhookEndpointId } from "../../domain/Ids.ts"
import { type Claimed, DeliveryStore } from "../../ports/DeliveryStore.ts"
import type { OrganisationStore } from "../../ports/OrganisationStore.ts"
import { Outbox } from "../../ports/Outbox.ts"
import { WebhookEndpointStore } from "../../ports/WebhookEndpointStore.ts"
import { assert } from "./Assert.ts"
import { at, deliveryOf, eventOf, freshId, newEndpoint, newOrganisation } from "./Records.ts"
import { type Check, forAll, law, must, same } from "./Suite.ts"

/** What the checks ask for. */
type Needs = DeliveryStore | OrganisationStore | Outbox | WebhookEndpointStore

/** Claims under a lease of its own that lasts a minute. */
export const claim = Effect.fnUntraced(function* (
  options: {
    readonly now?: DateTime.Utc
    readonly lease_until?: DateTime.Utc
    readonly limit?: number
    readonly per_endpoint?: number
    readonly room?: ReadonlyMap<WebhookEndpointId, number>
  } = {}
) {
  const store = yield* DeliveryStore
  const lease_id = yield* freshId("request")
  return yield* store.claim({
    now: at(100),
    lease_until: at(160),
    limit: 100,
    per_endpoint: 100,
    room: new Map(),
    lease_id,
    ...options
  })
})

/** A pending delivery of an event that nobody but this endpoint is sent. */
export const newDelivery = Effect.fnUntraced(function* (
  endpoint: { readonly id: WebhookEndpointId; readonly organisation_id: Delivery["organisation_id"] },
  given: Partial<Delivery> = {}
) {
  const event = yield* eventOf(endpoint.organisation_id, { type: "donor.merged" })
  yield* (yield* Outbox).append([event])
  const delivery = yield* deliveryOf(event, endpoint, given)
  yield* (yield* DeliveryStore).insert(delivery)
  return { delivery, event }
})

/** The ids of claimed deliveries, in their order. */
export const idsOf = (claimed: ReadonlyArray<Claimed>): Array<string> => claimed.map(({ delivery }) => delivery.id)

const shares = (runs: number) => [
  law("what is due is handed out earliest first, each endpoint within its share, all within the limit", () =>
    forAll(
      runs,
      fc.record({
        queues: fc.array(fc.array(fc.integer({ min: 90, max: 105 }), { maxLength: 5 }), { minLength: 1, maxLength: 4 }),
        rooms: fc.array(fc.option(fc.nat(6)), { minLength: 4, maxLength: 4 }),
        per_endpoint: fc.integer({ min: 1, max: 4 }),
        limit: fc.integer({ min: 1, max: 8 })
      }),
      Effect.fnUntraced(function* ({ limit, per_endpoint, queues, rooms }) {
        const store = yield* DeliveryStore
        const { id } = yield* newOrganisation()
        const room = new Map<WebhookEndpointId, number>()
        const due: Array<{ readonly second: number; readonly id: string }> = []
        const endpoints = yield* Effect.forEach(queues, () => newEndpoint(id))
        for (const [index, endpoint] of endpoints.entries()) {
          const given = rooms[index] ?? null
          const share = given ?? per_endpoint
          if (given !== null) room.set(endpoint.id, given)
          const seconds = new Set(queues[index])
          const made = yield* Effect.forEach(seconds, (second) =>
            Effect.map(newDelivery(endpoint, { next_attempt_at: at(second) }), ({ delivery }) => ({
              second,
              id: delivery.id
            }))
          )
          const ready = made.filter(({ second }) => second <= 100).toSorted((a, b) => a.second - b.second)
          due.push(...ready.slice(0, share))
        }
        const claimed = yield* claim({ per_endpoint, limit, room })
        const seconds = due.map(({ second }) => second).toSorted((a, b) => a - b)
        const known = new Map(due.map((each) => [each.id, each.second]))
        // Where several are due at the same second, any of them may come first.
        same(
          idsOf(claimed).map((each) => known.get(each) ?? -1),
          seconds.slice(0, limit)
        )
        yield* Effect.forEach(endpoints, (endpoint) => store.abandon(id, endpoint.id, at(0)), { discard: true })
      })
    )
  ),

  law("a claimed delivery comes with all that an attempt needs", () =>
    Effect.gen(function* () {
      const organisation = yield* newOrganisation({
        is_sandbox: true,
        webhook_allowed_cidrs: ["127.0.0.0/8", "::1/128"]
      })
      const endpoint = yield* newEndpoint(organisation.id)
      const { delivery, event } = yield* newDelivery(endpoint)
      const claimed = yield* claim()
      const [{ lease_id } = { lease_id: "" }] = claimed
      same(claimed, [
        {
          delivery,
          lease_id,
          body: event.body,
          endpoint,
          is_sandbox: true,
          webhook_allowed_cidrs: ["127.0.0.0/8", "::1/128"]
        }
      ])
      assert.notStrictEqual(lease_id, "")
    })
  ),

  law("a delivery whose endpoint went away meanwhile is handed out, so that its worker can end it", () =>
    Effect.gen(function* () {
      const store = yield* WebhookEndpointStore
      const { id } = yield* newOrganisation()
      const endpoint = yield* newEndpoint(id)
      const { delivery } = yield* newDelivery(endpoint)
      yield* store.update({ ...endpoint, is_active: false, deleted_at: at(1) })
      same(idsOf(yield* claim()), [delivery.id])
    })
  )
]

const leases = [
  must(
    "workers that claim at the same moment share out what is due",
    ["DeliveryStore.claim MUST give a delivery to one worker only, until lease_until"],
    () =>
      Effect.gen(function* () {
        const { id } = yield* newOrganisation()
        const endpoints = yield* Effect.forEach(["a", "b", "c"], () => newEndpoint(id))
        const made = yield* Effect.forEach([...endpoints, ...endpoints, ...endpoints, ...endpoints], (endpoint) =>
          newDelivery(endpoint)
        )
        const claims = yield* Effect.all(
          Array.from({ length: 6 }, () => claim({ limit: 4 })),
          { concurrency: "unbounded" }
        )
        const rest = yield* claim()
        same([...claims.flatMap(idsOf), ...idsOf(rest)].toSorted(), made.map(({ delivery }) => delivery.id).toSorted())
      })
  ),

  must(
    "a held delivery is not handed out again, not even after its lease; then it is found expired",
    [
      "DeliveryStore.claim MUST give a delivery to one worker only, until lease_until",
      "DeliveryStore.claim MUST NOT hand out one whose lease ran out before settle recorded that"
    ],
    () =>
      Effect.gen(function* () {
        const store = yield* DeliveryStore
        const { id } = yield* newOrganisation()
        const { delivery } = yield* newDelivery(yield* newEndpoint(id))
        const [claimed] = yield* claim({ lease_until: at(160) })
        assert.isDefined(claimed)
        same(idsOf(yield* claim({ now: at(130) })), [])
        same(yield* store.expired(at(159), 10), [])
        const lease_id = claimed?.lease_id ?? ""
        same(yield* store.expired(at(160), 10), [{ delivery, lease_id }])
        same(idsOf(yield* claim({ now: at(1000) })), [])
      })
  ),

  law("no more expired deliveries than asked for are answered", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const { id } = yield* newOrganisation()
      const endpoint = yield* newEndpoint(id)
      yield* Effect.forEach([1, 2, 3], () => newDelivery(endpoint))
      yield* claim()
      assert.lengthOf(yield* store.expired(at(160), 2), 2)
      assert.lengthOf(yield* store.expired(at(160), 10), 3)
    })
  ),

  law("releasing ends all leases at once, so that the deliveries are found expired", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const { id } = yield* newOrganisation()
      const endpoint = yield* newEndpoint(id)
      const made = [yield* newDelivery(endpoint), yield* newDelivery(endpoint)]
      yield* claim({ lease_until: at(100_000) })
      const free = yield* newDelivery(endpoint)
      yield* store.releaseAll
      const expired = yield* store.expired(at(101), 10)
      same(expired.map(({ delivery }) => delivery.id).toSorted(), made.map(({ delivery }) => delivery.id).toSorted())
      same(idsOf(yield* claim()), [free.delivery.id])
    })
  ),

  law("the next moment to look is when a delivery is due or a lease ends, whichever is first", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const { id } = yield* newOrganisation()
      const endpoint = yield* newEndpoint(id)
      assert.isTrue(Option.isNone(yield* store.nextDue), "something is pending already")
      yield* newDelivery(endpoint, { next_attempt_at: at(300) })
      same(yield* store.nextDue, Option.some(at(300)))
      yield* newDelivery(endpoint, { next_attempt_at: at(50) })
      same(yield* store.nextDue, Option.some(at(50)))
      yield* claim({ lease_until: at(160) })
      same(yield* store.nextDue, Option.some(at(160)))
      yield* store.abandon(id, endpoint.id, at(120))
      assert.isTrue(Option.isNone(yield* store.nextDue))
    })
  )
]

/** The laws of handing out deliveries. */
export const claims = (runs: number): ReadonlyArray<Check<Needs>> => [...shares(runs), ...leases]
