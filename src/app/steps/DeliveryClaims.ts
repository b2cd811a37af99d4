import { DateTime, Duration, Effect } from "effect"
import type { DeliveryId, WebhookEndpointId } from "../../domain/Ids.ts"
import { Limits } from "../../domain/Limits.ts"
import { DeliveryStore } from "../../ports/DeliveryStore.ts"
import { Tokens } from "../../ports/Tokens.ts"
import { interruptedAt } from "./DeliveryAttempts.ts"

/** Digits of a lease's id, base62: unique over all workers without asking any. */
const leaseDigits = 22

/** Expired leases that are recorded with one call, beside those that the worker itself still holds. */
const expiredBatch = 256

/** Makes the two ways in which a worker comes by deliveries: a claim, and the leases that others let run out. */
export const makeDeliveryClaims = Effect.gen(function* () {
  const store = yield* DeliveryStore
  const tokens = yield* Tokens

  /** Leases what is due at `due`, for a full lease from here on. */
  const claim = Effect.fnUntraced(function* (options: {
    readonly due: DateTime.Utc
    readonly limit: number
    readonly perEndpoint: number
    readonly room: ReadonlyMap<WebhookEndpointId, number>
  }) {
    // Counted from before the call: a slow answer shortens the lease, and never stretches it.
    const lease_until = DateTime.addDuration(yield* DateTime.now, Duration.seconds(Limits.deliveryLeaseSeconds))
    const claimed = yield* store.claim({
      now: options.due,
      lease_id: yield* tokens.base62(leaseDigits),
      lease_until,
      limit: options.limit,
      per_endpoint: options.perEndpoint,
      room: options.room
    })
    return { claimed, lease_until }
  })

  /**
   * Records attempts whose lease ran out. What the worker itself still holds is left to it: after an outage its outcome is
   * known, and only waits to be recorded.
   */
  const recover = Effect.fnUntraced(function* (held: number, holds: (id: DeliveryId) => boolean) {
    for (let isMore = true; isMore; ) {
      const now = yield* DateTime.now
      const expired = yield* store.expired(now, expiredBatch + held)
      const lost = expired.filter(({ delivery }) => !holds(delivery.id))
      if (lost.length > 0) yield* store.settle(lost.map((each) => interruptedAt(each, now)))
      isMore = lost.length >= expiredBatch
    }
  })

  return { claim, recover } as const
})
