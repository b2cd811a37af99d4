import { DateTime, HashMap, Option, Result } from "effect"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { type Attempt, type Delivery, inFlight } from "../../../domain/outbox/Delivery.ts"
import { afterAttempt, inOrder } from "../../../domain/outbox/FailureRun.ts"
import type { Settled } from "../../../ports/outbox/DeliveryStore.ts"
import type { Change } from "../Memory.ts"
import { attemptsOf, get, pendingKey, put, remove, type State, type Table, withPending } from "../State.ts"

const withAttempt = (state: State, { id, organisation_id }: Delivery, attempt: Attempt): State["attempts"] =>
  put(state.attempts, organisation_id, id, [...attemptsOf(state, organisation_id, id), attempt])

const settleOne = (state: State, outcome: Settled): State => {
  const { attempt, delivery, lease_id } = outcome
  const { endpoint_id, id, organisation_id } = delivery
  const held = HashMap.get(state.pending, pendingKey(delivery))
  if (Option.isNone(held) || held.value.lease?.id !== lease_id) {
    return state
  }
  return {
    ...state,
    deliveries: put(state.deliveries, organisation_id, id, delivery),
    attempts: attempt === null ? state.attempts : withAttempt(state, delivery, attempt),
    pending: Rule.holds(inFlight, delivery)
      ? withPending(state.pending, [delivery])
      : HashMap.remove(state.pending, pendingKey(delivery)),
    webhookEndpoints: Option.match(get(state.webhookEndpoints, organisation_id, endpoint_id), {
      onNone: () => state.webhookEndpoints,
      onSome: (endpoint) =>
        put(state.webhookEndpoints, organisation_id, endpoint_id, { ...endpoint, ...afterAttempt(endpoint, outcome) })
    })
  }
}

/** Records outcomes in the order of their attempts, each only while its lease stands. */
export const settle = (state: State, outcomes: ReadonlyArray<Settled>): State =>
  inOrder(outcomes).reduce(settleOne, state)

const endedMillis = ({ completed_at }: Delivery): number =>
  completed_at === null ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(completed_at)

/** Forgets what ended at or before an instant, the oldest first, with its attempts, and answers how many. */
export const trim = (state: State, before: DateTime.Utc, limit: number): Change<number, never> => {
  const old = HashMap.toValues(state.deliveries)
    .flatMap((table) => HashMap.toValues(table))
    .filter((delivery) => endedMillis(delivery) <= DateTime.toEpochMillis(before))
    .sort((a, b) => endedMillis(a) - endedMillis(b))
    .slice(0, limit)
  const without = <A>(table: Table<A>): Table<A> =>
    old.reduce((rest, { id, organisation_id }) => remove(rest, organisation_id, id), table)
  return Result.succeed([
    old.length,
    { ...state, deliveries: without(state.deliveries), attempts: without(state.attempts) }
  ])
}
