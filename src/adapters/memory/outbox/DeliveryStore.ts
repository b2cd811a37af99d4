import { DateTime, Duration, Effect, HashMap, Option, Result } from "effect"
import type { OrganisationId } from "../../../domain/kernel/Ids.ts"
import { addTime, instantAt, subtractTime } from "../../../domain/kernel/InstantRange.ts"
import { decide } from "../../../domain/kernel/Machine.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { type Attempt, type Delivery, inFlight, longestWaitSeconds, machine } from "../../../domain/outbox/Delivery.ts"
import { afterAttempt, inOrder } from "../../../domain/outbox/FailureRun.ts"
import * as WebhookEndpoint from "../../../domain/outbox/WebhookEndpoint.ts"
import { realNow } from "../../../ports/kernel/AheadClock.ts"
import { type AttemptResult, DeliveryStore, type ExpiredLease } from "../../../ports/outbox/DeliveryStore.ts"
import { type ListSource, page } from "../ListPage.ts"
import { type Change, storeOf } from "../Memory.ts"
import {
  add,
  attemptsOf,
  every,
  get,
  pendingKey,
  put,
  remove,
  replace,
  type State,
  type Table,
  where,
  withPending
} from "../State.ts"
import { claim, dueMillis, type LeasedDelivery, pendingOf, renew, withLease } from "./DeliveryClaim.ts"

/** Deliveries whose lease has been over for so long. */
const expired = (
  state: State,
  now: DateTime.Utc,
  { limit, over_millis }: { readonly limit: number; readonly over_millis: number }
): ReadonlyArray<ExpiredLease> =>
  pendingOf(state)
    .flatMap(({ delivery, lease }) =>
      lease !== null && DateTime.toEpochMillis(lease.until) <= DateTime.toEpochMillis(now) - over_millis
        ? [{ delivery, lease_id: lease.id, at: now }]
        : []
    )
    .slice(0, limit)

/** Ends leases, as if they had never been. */
const release = (state: State, lease_ids: ReadonlyArray<string>): State => ({
  ...state,
  pending: HashMap.map(state.pending, (each) =>
    each.lease !== null && lease_ids.includes(each.lease.id) ? { ...each, lease: null } : each
  )
})

/** Brings due times and leases back that lie further ahead than they can. */
const repair = (state: State, now: DateTime.Utc, lease_millis: number): Change<number, never> => {
  const latest = DateTime.toEpochMillis(now)
  const isAhead = ({ delivery, lease }: LeasedDelivery): boolean =>
    dueMillis(delivery) > latest + longestWaitSeconds(delivery) * 1_000 ||
    (lease !== null && DateTime.toEpochMillis(lease.until) > latest + lease_millis)
  const ahead = pendingOf(state).filter(isAhead)
  const within = ({ delivery }: LeasedDelivery): Delivery => {
    const longest = addTime(now, Duration.seconds(longestWaitSeconds(delivery)))
    const { next_attempt_at } = delivery
    return { ...delivery, next_attempt_at: next_attempt_at === null ? null : DateTime.min(next_attempt_at, longest) }
  }
  const end = addTime(now, lease_millis)
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

const withAttempt = (state: State, { id, organisation_id }: Delivery, attempt: Attempt): State["attempts"] =>
  put(state.attempts, organisation_id, id, [...attemptsOf(state, organisation_id, id), attempt])

const settleOne = (state: State, outcome: AttemptResult): State => {
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
const settle = (state: State, outcomes: ReadonlyArray<AttemptResult>): State =>
  inOrder(outcomes).reduce(settleOne, state)

const endedMillis = ({ completed_at }: Delivery): number =>
  completed_at === null ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(completed_at)

/** Forgets what ended at or before an instant, the oldest first, with its attempts, and answers how many. */
const trim = (state: State, before: DateTime.Utc, limit: number): Change<number, never> => {
  const old = every(state.deliveries)
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

const listed: ListSource<Delivery> = { table: (state) => state.deliveries }

const inserted = (state: State, delivery: Delivery): State => ({
  ...state,
  deliveries: add(state.deliveries, delivery),
  pending: Rule.holds(inFlight, delivery) ? withPending(state.pending, [delivery]) : state.pending
})

const abandonOne = (state: State, delivery: Delivery, at: DateTime.Utc): State =>
  Result.match(decide(machine, delivery, { _tag: "Abandon", at }), {
    onFailure: () => state,
    onSuccess: ({ state: ended }) => ({
      ...state,
      deliveries: replace(state.deliveries, ended),
      pending: HashMap.remove(state.pending, pendingKey(ended))
    })
  })

const millis = DateTime.toEpochMillis

const earlier = (at: DateTime.Utc | null, by_millis: number): DateTime.Utc | null =>
  at === null ? null : subtractTime(at, { milliseconds: by_millis })

/** Has the time of an organisation's deliveries pass at once. */
const broughtForward = (state: State, organisation_id: OrganisationId, by_millis: number): State => {
  const waiting = pendingOf(state).filter(
    ({ delivery, lease }) => lease === null && delivery.organisation_id === organisation_id
  )
  const failing = where(state.webhookEndpoints, organisation_id, ({ failing_since }) => failing_since !== null)
  return {
    ...state,
    deliveries: waiting.reduce(
      (table, { delivery }) =>
        replace(table, { ...delivery, next_attempt_at: earlier(delivery.next_attempt_at, by_millis) }),
      state.deliveries
    ),
    webhookEndpoints: failing.reduce(
      (table, endpoint) =>
        replace(table, {
          ...endpoint,
          failing_since: earlier(endpoint.failing_since, by_millis),
          exhausted_at: earlier(endpoint.exhausted_at, by_millis)
        }),
      state.webhookEndpoints
    )
  }
}

export const layer = storeOf(DeliveryStore, (memory) => {
  const soonest = (isMeant: (delivery: Delivery) => boolean) =>
    Effect.flatMap(realNow, (now) =>
      memory.read((state) => {
        const instants = pendingOf(state)
          .filter(({ delivery }) => isMeant(delivery))
          .map(({ delivery, lease }) => (lease === null ? dueMillis(delivery) : millis(lease.until)))
        const first = instants.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
        return Number.isFinite(first) ? Option.some(Duration.millis(Math.max(0, first - millis(now)))) : Option.none()
      })
    )
  return {
    insert: (delivery) => memory.change((state) => inserted(state, delivery)),
    find: (organisation_id, id) =>
      memory.read((state) =>
        Option.map(get(state.deliveries, organisation_id, id), (delivery) => ({
          delivery,
          attempts: attemptsOf(state, organisation_id, id)
        }))
      ),
    list: (organisation_id, query) =>
      Effect.flatten(memory.read((state) => page(listed, state, organisation_id, query))),
    replaysOf: (organisation_id, events) =>
      memory.read((state) =>
        where(
          state.deliveries,
          organisation_id,
          ({ event_id, replay_of }) => replay_of !== null && events.includes(event_id)
        ).map(({ endpoint_id, event_id, status }) => ({ event_id, endpoint_id, status }))
      ),
    now: realNow,
    claim: (options) => Effect.flatMap(realNow, (now) => memory.decide((state) => claim(state, now, options))),
    renew: (lease_id, lease_millis) =>
      Effect.flatMap(realNow, (now) => memory.decide((state) => renew(state, now, lease_id, lease_millis))),
    release: (lease_ids) => memory.change((state) => release(state, lease_ids)),
    expired: (options) => Effect.flatMap(realNow, (now) => memory.read((state) => expired(state, now, options))),
    settle: (outcomes) => memory.change((state) => settle(state, outcomes)),
    untilDue: soonest(() => true),
    untilDueOf: (organisation_id) => soonest((delivery) => delivery.organisation_id === organisation_id),
    bringForward: (organisation_id, by_millis) =>
      memory.change((state) => broughtForward(state, organisation_id, by_millis)),
    repair: (lease_millis) =>
      Effect.flatMap(realNow, (now) => memory.decide((state) => repair(state, now, lease_millis))),
    // A record in memory is one that was checked when it was made.
    setAside: () => Effect.succeed([]),
    putBack: Effect.succeed(0),
    abandon: (organisation_id, endpoint_id, at) =>
      memory.change((state) =>
        pendingOf(state)
          .map(({ delivery }) => delivery)
          .filter((each) => each.organisation_id === organisation_id && each.endpoint_id === endpoint_id)
          .reduce((next, delivery) => abandonOne(next, delivery, at), state)
      ),
    trim: (before, limit) => memory.decide((state) => trim(state, before, limit)),
    failing: memory.read((state) =>
      every(state.webhookEndpoints).filter((endpoint) => Rule.holds(WebhookEndpoint.failingRule, endpoint))
    ),
    releaseAll: memory.changeTable("pending", (pending) =>
      HashMap.map(pending, (each) =>
        each.lease === null ? each : { ...each, lease: { ...each.lease, until: instantAt(0) } }
      )
    )
  }
})
