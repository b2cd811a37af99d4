import { DateTime, Duration, HashMap, Result } from "effect"
import { type Delivery, longestWaitSeconds } from "../../../domain/outbox/Delivery.ts"
import type { Expired } from "../../../ports/outbox/DeliveryStore.ts"
import type { Change } from "../Memory.ts"
import { replace, type State } from "../State.ts"
import { dueMillis, type Held, pendingOf, withLease } from "./DeliveryClaim.ts"

/** Deliveries whose lease has been over for so long. */
export const expired = (
  state: State,
  now: DateTime.Utc,
  { limit, over_millis }: { readonly limit: number; readonly over_millis: number }
): ReadonlyArray<Expired> =>
  pendingOf(state)
    .flatMap(({ delivery, lease }) =>
      lease !== null && DateTime.toEpochMillis(lease.until) <= DateTime.toEpochMillis(now) - over_millis
        ? [{ delivery, lease_id: lease.id, at: now }]
        : []
    )
    .slice(0, limit)

/** Ends leases, as if they had never been. */
export const release = (state: State, lease_ids: ReadonlyArray<string>): State => ({
  ...state,
  pending: HashMap.map(state.pending, (each) =>
    each.lease !== null && lease_ids.includes(each.lease.id) ? { ...each, lease: null } : each
  )
})

/** Brings due times and leases back that lie further ahead than they can. */
export const repair = (state: State, now: DateTime.Utc, lease_millis: number): Change<number, never> => {
  const latest = DateTime.toEpochMillis(now)
  const isAhead = ({ delivery, lease }: Held): boolean =>
    dueMillis(delivery) > latest + longestWaitSeconds(delivery) * 1_000 ||
    (lease !== null && DateTime.toEpochMillis(lease.until) > latest + lease_millis)
  const ahead = pendingOf(state).filter(isAhead)
  const within = ({ delivery }: Held): Delivery => {
    const longest = DateTime.addDuration(now, Duration.seconds(longestWaitSeconds(delivery)))
    const { next_attempt_at } = delivery
    return { ...delivery, next_attempt_at: next_attempt_at === null ? null : DateTime.min(next_attempt_at, longest) }
  }
  const end = DateTime.addDuration(now, lease_millis)
  const repaired: State = {
    ...state,
    deliveries: ahead.reduce((all, held) => replace(all, within(held)), state.deliveries),
    pending: ahead.reduce(
      (all, { delivery, lease }) =>
        lease === null ? all : withLease(all, delivery, { id: lease.id, until: DateTime.min(lease.until, end) }),
      state.pending
    )
  }
  return Result.succeed([ahead.length, repaired])
}
