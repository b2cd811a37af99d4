import { DateTime, Duration, Effect, Option } from "effect"
import fc from "fast-check"
import type { OrganisationId, WebhookEndpointId } from "../../domain/kernel/Ids.ts"
import { Limits } from "../../domain/kernel/Limits.ts"
import type { Delivery } from "../../domain/outbox/Delivery.ts"
import { type ClaimedDelivery, DeliveryStore, type Shares } from "../../ports/outbox/DeliveryStore.ts"
import { Outbox } from "../../ports/outbox/Outbox.ts"
import { WebhookEndpointStore } from "../../ports/outbox/WebhookEndpointStore.ts"
import { assert } from "./Assert.ts"
import { at, deliveryOf, eventOf, freshId, newEndpoint, newOrganisation } from "./Records.ts"
import { lawsOf, same, together } from "./Suite.ts"

const { law, must, property } = lawsOf(DeliveryStore)

/** So many seconds after the store's present time. */
export const fromNow = (seconds: number) =>
  DeliveryStore.use((store) => Effect.map(store.now, (now) => DateTime.addDuration(now, Duration.seconds(seconds))))

/** Asserts that a store told its time. */
const isBetween = (told: DateTime.Utc, before: DateTime.Utc, after: DateTime.Utc) =>
  assert.isTrue(DateTime.between(told, { minimum: before, maximum: after }), DateTime.formatIso(told))

const roomForAll = { known: new Map(), others: 100 }

/** Claims under a lease of its own that lasts a minute. */
export const claim = Effect.fnUntraced(function* (
  options: {
    readonly due?: DateTime.Utc
    readonly lease_millis?: number
    readonly limit?: number
    readonly endpoints?: Shares<WebhookEndpointId>
    readonly organisations?: Shares<OrganisationId>
  } = {}
) {
  const store = yield* DeliveryStore
  const lease_id = yield* freshId("request")
  const before = yield* store.now
  const { at, claimed } = yield* store.claim({
    lease_millis: 60_000,
    limit: 100,
    endpoints: roomForAll,
    organisations: roomForAll,
    lease_id,
    ...options
  })
  isBetween(at, before, yield* store.now)
  return claimed
})

/** A pending delivery of an event that no other endpoint is sent. */
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

export const idsOf = (claimed: ReadonlyArray<ClaimedDelivery>): Array<string> =>
  claimed.map(({ delivery }) => delivery.id)

const handing = [
  law("nothing is handed out before it is due, nor if not due by the moment asked for", function* ({ id }) {
    const endpoint = yield* newEndpoint(id)
    const past = yield* fromNow(-3_600)
    const late = yield* newDelivery(endpoint, { next_attempt_at: past })
    yield* newDelivery(endpoint, { next_attempt_at: yield* fromNow(3_600) })
    same(idsOf(yield* claim({ due: DateTime.subtract(past, { milliseconds: 1 }) })), [])
    same(idsOf(yield* claim({ due: past })), [late.delivery.id])
    const { delivery } = yield* newDelivery(endpoint, { next_attempt_at: past })
    same(idsOf(yield* claim({ due: yield* fromNow(7_200) })), [delivery.id])
  }),

  law("a claimed delivery comes with all that an attempt needs", function* () {
    const organisation = yield* newOrganisation({ is_sandbox: true, webhook_allowed_cidrs: ["127.0.0.0/8", "::1/128"] })
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
  }),

  law("a delivery whose endpoint went away meanwhile is handed out, so that its worker can end it", function* ({ id }) {
    const store = yield* WebhookEndpointStore
    const endpoint = yield* newEndpoint(id)
    const { delivery } = yield* newDelivery(endpoint)
    const gone = { ...endpoint, is_active: false, deleted_at: at(1), failing_since: at(2), exhausted_at: at(3) }
    yield* store.update(gone)
    same(
      (yield* claim()).map((each) => [each.delivery, each.endpoint]),
      [[delivery, gone]]
    )
  })
]

/** Asserts how long it is until the next moment to look, give or take the time that the steps took. */
const isAbout = (seconds: number) =>
  Effect.map(
    DeliveryStore.use(({ untilDue }) => untilDue),
    (until) => {
      const found = Option.map(until, Duration.toSeconds)
      // The store's time goes on between the calls, and either call may have rounded it to milliseconds.
      assert.isTrue(
        Option.exists(found, (each) => each <= seconds + 0.001 && each > seconds - 60),
        `${seconds}: ${Option.getOrNull(found)}`
      )
    }
  )

/** The deliveries whose lease is over, without the moment. */
const expiredNow = DeliveryStore.use((store) =>
  Effect.map(store.expired({ limit: 10, over_millis: 0 }), (found) =>
    found.map(({ delivery, lease_id }) => ({ delivery, lease_id }))
  )
)

const leases = [
  must(
    "workers that claim at the same moment share out what is due",
    ["DeliveryStore.claim MUST give a delivery to one worker only, until lease_millis have passed"],
    function* ({ id }) {
      const endpoints = yield* Effect.forEach(["a", "b", "c"], () => newEndpoint(id))
      const made = yield* Effect.forEach([...endpoints, ...endpoints, ...endpoints, ...endpoints], (endpoint) =>
        newDelivery(endpoint)
      )
      const claims = yield* together(6, claim({ limit: 4 }))
      const rest = yield* claim()
      same([...claims.flatMap(idsOf), ...idsOf(rest)].toSorted(), made.map(({ delivery }) => delivery.id).toSorted())
    }
  ),

  must(
    "a held delivery is not handed out again, not even after its lease; then it is found expired",
    [
      "DeliveryStore.claim MUST give a delivery to one worker only, until lease_millis have passed",
      "DeliveryStore.claim MUST NOT hand out one whose lease ran out before settle recorded that"
    ],
    function* ({ store, id }) {
      const endpoint = yield* newEndpoint(id)
      const { delivery } = yield* newDelivery(endpoint)
      const [held] = yield* claim({ lease_millis: 60_000 })
      assert.isDefined(held)
      same(idsOf(yield* claim()), [])
      same(yield* expiredNow, [])
      yield* store.abandon(id, endpoint.id, at(0))
      const { delivery: second } = yield* newDelivery(endpoint, { attempt_count: 1 })
      // A lease that ended a while ago.
      const [brief] = yield* claim({ lease_millis: -45_000 })
      same(yield* expiredNow, [{ delivery: second, lease_id: brief?.lease_id ?? "" }])
      for (const [over_millis, count] of [
        [40_000, 1],
        [60_000, 0]
      ] as const) {
        assert.lengthOf(yield* store.expired({ limit: 10, over_millis }), count)
      }
      same(idsOf(yield* claim()), [])
      assert.notStrictEqual(second.id, delivery.id)
    }
  ),

  must(
    "a lease begins anew where it stands, and for nobody else",
    ["DeliveryStore.renew MUST NOT touch what another worker holds"],
    function* ({ store, id }) {
      const endpoint = yield* newEndpoint(id)
      const { delivery } = yield* newDelivery(endpoint)
      const [mine] = yield* claim({ lease_millis: 0 })
      yield* newDelivery(endpoint)
      const [other] = yield* claim({ lease_millis: 0 })
      if (mine === undefined || other === undefined) return yield* Effect.die("both were claimed")
      const before = yield* store.now
      const { at: told, ids } = yield* store.renew(mine.lease_id, 60_000)
      same([...ids], [delivery.id])
      isBetween(told, before, yield* store.now)
      same(
        (yield* expiredNow).map(({ lease_id }) => lease_id),
        [other.lease_id]
      )
      same((yield* store.renew("nobody's", 60_000)).ids.size, 0)
    }
  ),

  law("a lease of no time is over at once", function* ({ id }) {
    const endpoint = yield* newEndpoint(id)
    // Time may pass between a claim and a look, but not between each of many.
    for (let count = 1; count <= 8; count++) {
      yield* newDelivery(endpoint)
      yield* claim({ lease_millis: 0 })
      assert.lengthOf(yield* expiredNow, count)
    }
  }),

  law("what is handed back is as it was, and is handed out again", function* ({ store, id }) {
    const endpoint = yield* newEndpoint(id)
    const { delivery } = yield* newDelivery(endpoint)
    const [first] = yield* claim()
    yield* store.release(["nobody's"])
    same(idsOf(yield* claim()), [])
    yield* store.release(["nobody's", first?.lease_id ?? ""])
    same(yield* store.find(id, delivery.id), Option.some({ delivery, attempts: [] }))
    const [again] = yield* claim()
    same(again?.delivery, delivery)
    if (again === undefined) return
    yield* store.settle([{ delivery: again.delivery, lease_id: again.lease_id, attempt: null }])
    same(yield* store.find(id, delivery.id), Option.some({ delivery, attempts: [] }))
    same(idsOf(yield* claim()), [delivery.id])
  }),

  law("no more expired deliveries than asked for are answered", function* ({ store, id }) {
    const endpoint = yield* newEndpoint(id)
    yield* Effect.forEach([1, 2, 3], () => newDelivery(endpoint))
    yield* claim({ lease_millis: 0 })
    assert.lengthOf(yield* store.expired({ limit: 2, over_millis: 0 }), 2)
    assert.lengthOf(yield* store.expired({ limit: 10, over_millis: 0 }), 3)
  }),

  law("releasing ends all leases at once, so that the deliveries are found expired", function* ({ store, id }) {
    const endpoint = yield* newEndpoint(id)
    const made = [yield* newDelivery(endpoint), yield* newDelivery(endpoint)]
    yield* claim({ lease_millis: 1e9 })
    const free = yield* newDelivery(endpoint)
    yield* store.releaseAll
    const expired = yield* store.expired({ limit: 10, over_millis: 0 })
    same(expired.map(({ delivery }) => delivery.id).toSorted(), made.map(({ delivery }) => delivery.id).toSorted())
    same(idsOf(yield* claim()), [free.delivery.id])
  }),

  law("the next moment to look is when a delivery is due or a lease ends, the first", function* ({ store, id }) {
    const endpoint = yield* newEndpoint(id)
    assert.isTrue(Option.isNone(yield* store.untilDue), "something is pending already")
    yield* newDelivery(endpoint, { next_attempt_at: yield* fromNow(3_600) })
    yield* isAbout(3_600)
    yield* newDelivery(endpoint, { next_attempt_at: yield* fromNow(600) })
    yield* isAbout(600)
    yield* newDelivery(endpoint)
    same(Option.map(yield* store.untilDue, Duration.toSeconds), Option.some(0))
    const [held] = yield* claim({ lease_millis: 120_000 })
    yield* isAbout(120)
    for (const seconds of [300, 210]) {
      yield* store.renew(held?.lease_id ?? "", seconds * 1_000)
      yield* isAbout(seconds)
    }
    yield* store.abandon(id, endpoint.id, at(120))
    assert.isTrue(Option.isNone(yield* store.untilDue))
  })
]

const clocks = (runs: number) => [
  property(
    "due times and leases that lie further ahead than they can are brought back, the others left alone",
    [],
    runs,
    fc.array(
      fc.record({
        attempt_count: fc.nat(Limits.deliveryAttempts - 1),
        interruption_count: fc.nat(Limits.deliveryInterruptions - 1),
        wait: fc.integer({ min: -10_000, max: 200_000 })
      }),
      { minLength: 1, maxLength: 6 }
    ),
    function* (drafts, { store, id }) {
      const endpoint = yield* newEndpoint(id)
      const longest = ({ attempt_count, interruption_count }: (typeof drafts)[number]): number => {
        const delays = Limits.deliveryDelaysSeconds
        return Math.max(
          delays[attempt_count] ?? 0,
          interruption_count === 0 ? 0 : (delays[interruption_count - 1] ?? 0)
        )
      }
      const made = yield* Effect.forEach(
        // Waits close to the limit are left out: the time between the calls would decide them.
        drafts.filter((draft) => Math.abs(draft.wait - longest(draft)) > 60),
        Effect.fnUntraced(function* ({ wait, ...counts }) {
          const { delivery } = yield* newDelivery(endpoint, { ...counts, next_attempt_at: yield* fromNow(wait) })
          return { delivery, wait, longest: longest({ wait, ...counts }) }
        })
      )
      same(yield* store.repair(60_000), made.filter(({ longest, wait }) => wait > longest).length)
      const now = DateTime.toEpochMillis(yield* store.now)
      for (const { delivery, longest, wait } of made) {
        const found = Option.getOrThrow(yield* store.find(id, delivery.id)).delivery
        if (wait <= longest) same(found, delivery)
        else {
          const left = (DateTime.toEpochMillis(found.next_attempt_at ?? at(0)) - now) / 1_000
          assert.isTrue(left <= longest && left > longest - 60, `${left} of ${longest}`)
        }
      }
      yield* store.abandon(id, endpoint.id, at(0))
      yield* newDelivery(endpoint)
      yield* claim({ lease_millis: 1e9 })
      yield* store.repair(120_000)
      yield* isAbout(120)
    }
  ),

  law("nothing that can be read is set aside, and nothing comes back from there", function* ({ store, id }) {
    const endpoint = yield* newEndpoint(id)
    yield* newDelivery(endpoint)
    yield* claim()
    same(yield* store.setAside(10), [])
    same(yield* store.putBack, 0)
  })
]

/** The laws of handing out deliveries. */
export const claims = (runs: number) => [...handing, ...leases, ...clocks(runs)]
