import { DateTime, Effect, Option } from "effect"
import type { Attempt, Delivery } from "../../domain/outbox/Delivery.ts"
import { DeliveryStore } from "../../ports/outbox/DeliveryStore.ts"
import { claim, newDelivery } from "./Claims.ts"
import { deliveryOf, eventOf, newEndpoint } from "./Records.ts"
import { lawsOf, same } from "./Suite.ts"

const { must } = lawsOf(DeliveryStore)

/** Times before those of other checks' deliveries. */
const before = (seconds: number): DateTime.Utc => DateTime.makeUnsafe(Date.UTC(1970, 0, 1) + seconds * 1_000)

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
export const trims = [
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
      const ended = (second: number) =>
        make({ status: "DELIVERED", next_attempt_at: null, completed_at: before(second) })
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
