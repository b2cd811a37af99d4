import { type DateTime, Effect, Option, Result } from "effect"
import fc from "fast-check"
import { Limits } from "../../domain/kernel/Limits.ts"
import { decide } from "../../domain/kernel/Machine.ts"
import {
  type Attempt,
  type Delivery,
  interruptionError,
  machine,
  nextNumber,
  settlement
} from "../../domain/outbox/Delivery.ts"
import { type AttemptResult, type ClaimedDelivery, DeliveryStore } from "../../ports/outbox/DeliveryStore.ts"
import { WebhookEndpointStore } from "../../ports/outbox/WebhookEndpointStore.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { claim, idsOf, newDelivery } from "./Claims.ts"
import { at, longAgo, newEndpoint, newOrganisation } from "./Records.ts"
import { lawsOf, same } from "./Suite.ts"

const { law, must, property } = lawsOf(DeliveryStore)

const attemptOf = (delivery: Delivery, response_status: number, attempted_at: DateTime.Utc): Attempt => ({
  number: nextNumber(delivery),
  attempted_at,
  response_status,
  response_excerpt: null,
  retry_after: null,
  error: null,
  duration_ms: 12
})

/** The outcome of an attempt with this answer, as the machine decides it. */
const settledOf = (
  { delivery, lease_id }: Pick<ClaimedDelivery, "delivery" | "lease_id">,
  status: number,
  second: number
): AttemptResult & { readonly attempt: Attempt } => {
  const attempt = attemptOf(delivery, status, at(second))
  const decided = decide(machine, delivery, settlement(delivery, attempt, at(second)))
  return { delivery: Result.getOrThrow(decided).state, lease_id, attempt }
}

/** The outcome of an attempt whose worker went away. */
const interruptedOf = (
  { delivery, lease_id }: Pick<ClaimedDelivery, "delivery" | "lease_id">,
  second: number
): AttemptResult => {
  const attempt = {
    ...attemptOf(delivery, 0, at(second)),
    response_status: null,
    duration_ms: null,
    error: interruptionError
  }
  const { state } = Result.getOrThrow(decide(machine, delivery, settlement(delivery, attempt, at(second))))
  return { delivery: state, lease_id, attempt }
}

const claimedOne = Effect.fnUntraced(function* (given: Partial<Delivery> = {}) {
  const { id } = yield* newOrganisation()
  const endpoint = yield* newEndpoint(id)
  yield* newDelivery(endpoint, given)
  const claimed = yield* claim()
  assert.lengthOf(claimed, 1)
  const [first] = claimed
  return first === undefined ? yield* Effect.die("nothing was claimed") : first
})

const outcomes = (runs: number) => [
  property(
    "an outcome is read back: the delivery as decided, its attempts oldest first",
    [],
    runs,
    fc.tuple(Generators.attempt, Generators.attempt),
    function* ([given, next], { store }) {
      const first = yield* claimedOne()
      const retried = settledOf(first, 500, -3_000_000_000)
      const attempts = [{ ...given, number: 1 }]
      yield* store.settle([{ ...retried, attempt: { ...given, number: 1 } }])
      const { id, organisation_id } = first.delivery
      same(yield* store.find(organisation_id, id), Option.some({ delivery: retried.delivery, attempts }))
      const [again] = yield* claim()
      if (again === undefined) return yield* Effect.die("the retry was not handed out")
      same(again.delivery, retried.delivery)
      const delivered = settledOf(again, 204, 100_001)
      yield* store.settle([{ ...delivered, attempt: { ...next, number: 2 } }])
      const both = [...attempts, { ...next, number: 2 }]
      same(yield* store.find(organisation_id, id), Option.some({ delivery: delivered.delivery, attempts: both }))
      same(idsOf(yield* claim()), [])
    }
  ),

  law("a retry is handed out when it is due, and not before", function* ({ store }) {
    const first = yield* claimedOne()
    const { state } = Result.getOrThrow(decide(machine, first.delivery, { _tag: "Retry", at: yield* store.now }))
    yield* store.settle([{ delivery: state, lease_id: first.lease_id, attempt: null }])
    same(idsOf(yield* claim()), [])
    const { delivery, lease_id } = yield* claimedOne()
    const due = Result.getOrThrow(decide(machine, delivery, { _tag: "Retry", at: longAgo })).state
    yield* store.settle([{ delivery: due, lease_id, attempt: null }])
    same(idsOf(yield* claim()), [delivery.id])
  }),

  law("a delivery that ended without an attempt keeps the attempts it had", function* ({ store }) {
    const { delivery, lease_id } = yield* claimedOne()
    const ended = Result.getOrThrow(decide(machine, delivery, { _tag: "Abandon", at: at(101) })).state
    yield* store.settle([{ delivery: ended, lease_id, attempt: null }])
    same(yield* store.find(delivery.organisation_id, delivery.id), Option.some({ delivery: ended, attempts: [] }))
  }),

  must(
    "an outcome under a lease that is not the delivery's is left alone, others of the same batch are not",
    ["DeliveryStore.settle MUST leave alone every delivery that is no longer held under the lease given"],
    function* ({ store }) {
      const endpoints = yield* WebhookEndpointStore
      const claimed = yield* claimedOne()
      const { delivery, endpoint } = claimed
      const found = store.find(delivery.organisation_id, delivery.id)
      yield* store.settle([{ ...settledOf(claimed, 500, 101), lease_id: "another" }])
      same(yield* found, Option.some({ delivery, attempts: [] }))
      same(yield* endpoints.find(endpoint.organisation_id, endpoint.id), Option.some(endpoint))
      const second = yield* claimedOne()
      const good = settledOf(second, 200, 102)
      yield* store.settle([{ ...settledOf(claimed, 500, 101), lease_id: "another" }, good])
      same(yield* found, Option.some({ delivery, attempts: [] }))
      const { id, organisation_id } = second.delivery
      same(yield* store.find(organisation_id, id), Option.some({ delivery: good.delivery, attempts: [good.attempt] }))
    }
  ),

  must(
    "an outcome is recorded once: afterwards its lease is over",
    ["DeliveryStore.settle MUST leave alone every delivery that is no longer held under the lease given"],
    function* ({ store }) {
      const claimed = yield* claimedOne()
      const { id, organisation_id } = claimed.delivery
      const retried = settledOf(claimed, 500, 101)
      yield* store.settle([retried])
      yield* store.settle([settledOf(claimed, 200, 102)])
      const expected = { delivery: retried.delivery, attempts: [retried.attempt] }
      same(yield* store.find(organisation_id, id), Option.some(expected))
    }
  ),

  must(
    "what the owner ended meanwhile stays ended",
    ["DeliveryStore.settle MUST leave alone every delivery that is no longer held under the lease given"],
    function* ({ store }) {
      const claimed = yield* claimedOne()
      const { endpoint_id, id, organisation_id } = claimed.delivery
      yield* store.abandon(organisation_id, endpoint_id, at(101))
      const before = yield* store.find(organisation_id, id)
      yield* store.settle([settledOf(claimed, 200, 102)])
      same(yield* store.find(organisation_id, id), before)
      same(yield* store.expired({ limit: 10, over_millis: 0 }), [])
    }
  )
]

const failureRuns = (runs: number) => [
  property(
    "an endpoint keeps since when it fails and when a delivery last used up its attempts, until a 2xx",
    [],
    runs,
    fc.array(
      fc.array(fc.constantFrom("failed", "exhausted", "interrupted", "received" as const), {
        minLength: 1,
        maxLength: 3
      }),
      { maxLength: 4 }
    ),
    function* (batches, { store, id }) {
      const endpoints = yield* WebhookEndpointStore
      const endpoint = yield* newEndpoint(id)
      let failing_since: DateTime.Utc | null = null
      let exhausted_at: DateTime.Utc | null = null
      let second = 200
      for (const batch of batches) {
        const settled: Array<AttemptResult> = []
        for (const outcome of batch) {
          second += 1
          const attempt_count = outcome === "exhausted" ? Limits.deliveryAttempts - 1 : 0
          yield* newDelivery(endpoint, { attempt_count })
          const [claimed] = yield* claim()
          if (claimed === undefined) return yield* Effect.die("nothing was claimed")
          if (outcome === "interrupted") {
            settled.push(interruptedOf(claimed, second))
            continue
          }
          settled.push(settledOf(claimed, outcome === "received" ? 200 : 500, second))
          failing_since = outcome === "received" ? null : (failing_since ?? at(second))
          exhausted_at = outcome === "received" ? null : outcome === "exhausted" ? at(second) : exhausted_at
        }
        yield* store.settle(settled)
        const after = Option.getOrThrow(yield* endpoints.find(id, endpoint.id))
        same({ failing_since: after.failing_since, exhausted_at: after.exhausted_at }, { failing_since, exhausted_at })
      }
    }
  )
]

/** The laws of settling deliveries. */
export const settlements = (runs: number) => [...outcomes(runs), ...failureRuns(runs)]
