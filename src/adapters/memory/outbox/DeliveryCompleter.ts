import { HashMap, Option } from "effect"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { type Attempt, type Delivery, inFlight } from "../../../domain/outbox/Delivery.ts"
import { afterAttempt, inOrder } from "../../../domain/outbox/FailureRun.ts"
import type { Settled } from "../../../ports/outbox/DeliveryStore.ts"
import { attemptsOf, get, pendingKey, put, type State, withPending } from "../State.ts"

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
