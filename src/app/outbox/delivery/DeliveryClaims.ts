import { type DateTime, Effect, Exit } from "effect"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { type ClaimedDelivery, DeliveryStore } from "../../../ports/outbox/DeliveryStore.ts"
import { makeStoreClock } from "../../kernel/time/StoreClock.ts"
import { type Lease, leaseMillis, makeLeaseTimes } from "./DeliveryLease.ts"
import type { DeliveryRescuer } from "./DeliveryRescuer.ts"
import type { ClaimLimits } from "./DeliverySlots.ts"

/** Digits of a lease's id, base62: unique over all workers without asking any. */
const leaseDigits = 22

/** Leases deliveries that are due. The rescuer learns of claims without an answer, and of a clock that went back. */
export const makeDeliveryClaims = Effect.fnUntraced(function* (rescuer: DeliveryRescuer) {
  const store = yield* DeliveryStore
  const tokens = yield* Tokens
  const clock = makeStoreClock()
  const { begin, isLate, monotonic } = yield* makeLeaseTimes

  const learn = (lease: Lease, at: DateTime.Utc): void => {
    if (clock.learn({ at, asked: lease.asked, answered: monotonic() })) rescuer.clockWentBack()
  }

  /** The deliveries of a late claim that are still its own, under a lease that begins anew; none when that is late, too. */
  const renewed = Effect.fnUntraced(function* (lease_id: string, claimed: ReadonlyArray<ClaimedDelivery>) {
    const lease = yield* begin
    const { at, ids } = yield* store.renew(lease_id, leaseMillis)
    learn(lease, at)
    if (isLate(lease)) {
      yield* store.release([lease_id])
      return { claimed: [], lease }
    }
    return { claimed: claimed.filter(({ delivery }) => ids.has(delivery.id)), lease }
  })

  /** Leases what is due. A claim that fails may have leased all the same: that is handed back later. */
  const claim = Effect.fnUntraced(function* (asked: ClaimLimits, due?: DateTime.Utc) {
    const lease_id = yield* tokens.base62(leaseDigits)
    return yield* Effect.gen(function* () {
      const lease = yield* begin
      const options = { ...asked, lease_id, lease_millis: leaseMillis }
      const { at, claimed } = yield* store.claim(due === undefined ? options : { ...options, due })
      learn(lease, at)
      return claimed.length > 0 && isLate(lease) ? yield* renewed(lease_id, claimed) : { claimed, lease }
    }).pipe(Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Effect.sync(() => rescuer.lose(lease_id)))))
  })

  return { claim, storeTime: () => clock.at(monotonic()) } as const
})
