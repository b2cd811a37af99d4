import { Effect } from "effect"
import type { DeliveryId } from "../../../domain/kernel/Ids.ts"
import { DeliveryStore } from "../../../ports/outbox/DeliveryStore.ts"
import { interruptedAt } from "./DeliveryExecutor.ts"
import { leaseMillis, makeLeaseTimes } from "./DeliveryLease.ts"
import { makeLeaseTakeover } from "./LeaseTakeover.ts"

/** Expired leases that are recorded with one call, beside those that the worker itself still holds. */
const expiredBatch = 256

/** The time of repairs after the store's clock was set back, milliseconds: until all work under way has ended. */
const repairMillis = 3 * leaseMillis

/** Leases of claims without an answer that are remembered until the store said that nothing is held under them. */
const lostLeases = 256

/** For how long a claim without an answer may still come into effect after the store answers again, milliseconds. */
const lostMillis = 3 * leaseMillis

/**
 * The rescuer of deliveries that nobody works on any more: those whose lease ran out, those of claims without an
 * answer, and those that a clock which was set back put off. docs/decisions/0028.
 */
export const makeDeliveryRescuer = Effect.gen(function* () {
  const store = yield* DeliveryStore
  const { isLate, monotonic } = yield* makeLeaseTimes
  const { expired, starts, storeAnswers, storeWasAway, storeWasSilent } = yield* makeLeaseTakeover
  /** Leases of claims whose answer never came, and when to forget them; null until the store was reached since. */
  const lost = new Map<string, number | null>()
  let repairUntil = Number.POSITIVE_INFINITY

  /** Learns of a claim whose answer never came. */
  const lose = (lease_id: string): void => {
    lost.set(lease_id, null)
    const [oldest] = lost.keys()
    if (lost.size > lostLeases && oldest !== undefined) lost.delete(oldest)
  }

  /** Learns that the store's clock was set back. */
  const clockWentBack = (): void => {
    repairUntil = monotonic() + repairMillis
  }

  /** Hands back what claims without an answer have leased: at once, and again when none can come into effect any more. */
  const releaseLost = Effect.gen(function* () {
    const now = monotonic()
    const due = [...lost].filter(([, until]) => until === null || until < now)
    if (due.length === 0) return
    yield* store.release(due.map(([lease_id]) => lease_id))
    for (const [lease_id, until] of due) {
      if (until === null) lost.set(lease_id, now + lostMillis)
      else lost.delete(lease_id)
    }
  })

  /** Brings due times back after the store's clock was set back, which may have been before this worker began. */
  const repair = Effect.gen(function* () {
    if (monotonic() > repairUntil) return
    const repaired = yield* store.repair(leaseMillis)
    if (repairUntil === Number.POSITIVE_INFINITY) repairUntil = Number.NEGATIVE_INFINITY
    if (repaired > 0)
      yield* Effect.logWarning(`The store's clock was set back; ${repaired} due times and leases were brought back`)
  })

  /**
   * Records attempts whose lease ran out. What the worker itself still holds is left to it: after an outage its outcome is
   * known, and only waits to be recorded.
   */
  const rescue = Effect.fnUntraced(function* (held: number, holds: (id: DeliveryId) => boolean) {
    const begun = { asked: monotonic() }
    yield* releaseLost
    yield* repair
    if (isLate(begun)) storeWasSilent()
    for (let isMore = true; isMore; ) {
      const found = yield* expired((over_millis) => store.expired({ limit: expiredBatch + held, over_millis }))
      const orphans = found.filter(({ delivery }) => !holds(delivery.id))
      if (orphans.length > 0) yield* store.settle(orphans.map((each) => interruptedAt(each)))
      isMore = orphans.length >= expiredBatch
    }
    storeAnswers()
  })

  return { rescue, lose, clockWentBack, starts, storeWasAway, storeWasSilent } as const
})

/** See {@link makeDeliveryRescuer}. */
export type DeliveryRescuer = Effect.Success<typeof makeDeliveryRescuer>
