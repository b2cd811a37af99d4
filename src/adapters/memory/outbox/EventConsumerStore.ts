import { DateTime, Duration, Effect, HashMap, Option, Result } from "effect"
import { addTime, instantAt, subtractTime } from "../../../domain/kernel/InstantRange.ts"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { LimitReached } from "../../../domain/kernel/Rejection.ts"
import * as Rule from "../../../domain/kernel/Rule.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { hasFailed, isOver, isParked, newConsumedEvent, waits } from "../../../domain/outbox/ConsumedEvent.ts"
import {
  type ConsumerRecord,
  type EventConsumer,
  isForWorker,
  subjectOf,
  typesAfter
} from "../../../domain/outbox/EventConsumer.ts"
import { realNow } from "../../../ports/kernel/AheadClock.ts"
import { EventConsumerStore, type LeasedEvent } from "../../../ports/outbox/EventConsumerStore.ts"
import { type Change, storeFrom } from "../Memory.ts"
import { get, type KeptConsumedEvent, type State } from "../State.ts"
import { EventHint } from "./EventHint.ts"
import { recordOf } from "./Outbox.ts"

type Store = EventConsumerStore["Service"]

const keptOf = (state: State, name: string): ReadonlyArray<KeptConsumedEvent> =>
  Option.match(HashMap.get(state.consumedEvents, name), {
    onNone: () => [],
    onSome: (kept) => HashMap.toValues(kept).sort((a, b) => a.item.position - b.item.position)
  })

const withKept = (state: State, { item, lease }: KeptConsumedEvent): State => {
  const kept = Option.getOrElse(HashMap.get(state.consumedEvents, item.consumer), () =>
    HashMap.empty<number, KeptConsumedEvent>()
  )
  const next = isOver(item) ? HashMap.remove(kept, item.position) : HashMap.set(kept, item.position, { item, lease })
  return { ...state, consumedEvents: HashMap.set(state.consumedEvents, item.consumer, next) }
}

const register = (
  state: State,
  at: DateTime.Utc,
  { event_types, from, known_types, name }: Parameters<Store["register"]>[0]
): Change<EventConsumer, LimitReached> => {
  const known = HashMap.get(state.eventConsumers, name)
  if (Option.isNone(known) && HashMap.size(state.eventConsumers) >= Limits.consumers) {
    return Result.fail(
      new LimitReached({
        message: `There are ${Limits.consumers} consumers of events, which is the most. Remove one that is not used: almoner consumer delete.`
      })
    )
  }
  const consumer = Option.match(known, {
    onNone: (): EventConsumer => ({
      name,
      event_types,
      since: DateTime.isDateTime(from) ? from : null,
      position: from === "now" ? HashMap.size(state.eventLog) : 0,
      created_at: at,
      updated_at: at
    }),
    onSome: (before): EventConsumer => ({
      ...before,
      event_types: typesAfter(before.event_types, event_types, known_types),
      updated_at: at
    })
  })
  return Result.succeed([consumer, { ...state, eventConsumers: HashMap.set(state.eventConsumers, name, consumer) }])
}

const recordIn = (state: State, consumer: EventConsumer): ConsumerRecord => {
  const { created_at, event_types, name, position, updated_at } = consumer
  const kept = keptOf(state, name)
  const parked = kept.filter(({ item }) => Rule.holds(isParked, item)).length
  const behind = HashMap.size(state.eventLog) - position
  return { name, event_types, behind, waiting: kept.length - parked, parked, created_at, updated_at }
}

const take = (state: State, now: DateTime.Utc, name: string, waiting: number): Change<number, never> => {
  const consumer = Option.getOrUndefined(HashMap.get(state.eventConsumers, name))
  if (consumer === undefined) return Result.succeed([0, state])
  const { event_types, since } = consumer
  let room = waiting - keptOf(state, name).length
  let [next, position, count] = [state, consumer.position, 0]
  while (room > 0 && position < HashMap.size(state.eventLog)) {
    position += 1
    const place = HashMap.getUnsafe(state.eventLog, position)
    const event = Option.getOrThrow(get(state.events, place.organisation_id, place.id))
    if (event_types !== null && !event_types.includes(event.type)) continue
    if (since !== null && DateTime.isLessThan(event.occurred_at, since)) continue
    const { data, id: event_id, organisation_id, type: event_type } = recordOf(event)
    const subject_id = subjectOf(event_id, data)
    const keys = { consumer: name, position, organisation_id, event_id, event_type, subject_id }
    next = withKept(next, { item: newConsumedEvent(keys, now), lease: null })
    room -= 1
    count += 1
  }
  const eventConsumers = HashMap.set(next.eventConsumers, name, { ...consumer, position })
  return Result.succeed([count, { ...next, eventConsumers }])
}

/** Events that no earlier one of their subject holds up. */
const first = (kept: ReadonlyArray<KeptConsumedEvent>): ReadonlyArray<KeptConsumedEvent> => {
  const seen = new Set<string>()
  return kept.filter(({ item: { organisation_id, subject_id } }) => {
    const key = `${organisation_id} ${subject_id}`
    const isFirst = !seen.has(key)
    seen.add(key)
    return isFirst
  })
}

const isDue =
  (now: DateTime.Utc) =>
  ({ item, lease }: KeptConsumedEvent) =>
    Rule.holds(waits, item) &&
    lease === null &&
    item.next_attempt_at !== null &&
    DateTime.isLessThanOrEqualTo(item.next_attempt_at, now)

const claim = (
  state: State,
  now: DateTime.Utc,
  { lease_id, lease_millis, limit, name, types = null }: Parameters<Store["claim"]>[0]
): Change<Effect.Success<ReturnType<Store["claim"]>>, never> => {
  const taken = Option.getOrNull(Option.map(HashMap.get(state.eventConsumers, name), ({ event_types }) => event_types))
  const due = first(keptOf(state, name))
    .filter(isDue(now))
    .filter(({ item }) => isForWorker(item.event_type, types, taken))
    .slice(0, limit)
  const lease = { id: lease_id, until: addTime(now, lease_millis) }
  return Result.succeed([
    due.map(({ item }) => ({
      item,
      lease_id,
      event: Option.map(get(state.events, item.organisation_id, item.event_id), recordOf)
    })),
    due.reduce((next, { item }) => withKept(next, { item, lease }), state)
  ])
}

const settle = (
  state: State,
  name: string,
  outcomes: ReadonlyArray<LeasedEvent>
): Change<ReadonlySet<number>, never> => {
  const held = new Map(keptOf(state, name).map(({ item, lease }) => [item.position, lease?.id]))
  const own = outcomes.filter(({ item, lease_id }) => held.get(item.position) === lease_id)
  return Result.succeed([
    new Set(own.map(({ item }) => item.position)),
    own.reduce((next, { item }) => withKept(next, { item, lease: null }), state)
  ])
}

const untilDue = (state: State, now: DateTime.Utc, name: string): Option.Option<Duration.Duration> => {
  const dues = first(keptOf(state, name)).flatMap(({ item, lease }) => {
    const at = lease?.until ?? (Rule.holds(waits, item) ? item.next_attempt_at : null)
    return at === null ? [] : [DateTime.toEpochMillis(at)]
  })
  if (dues.length === 0) return Option.none()
  return Option.some(Duration.millis(Math.max(0, Math.min(...dues) - DateTime.toEpochMillis(now))))
}

const withLeases = (
  state: State,
  f: (lease: NonNullable<KeptConsumedEvent["lease"]>) => NonNullable<KeptConsumedEvent["lease"]>
): State => ({
  ...state,
  consumedEvents: HashMap.map(state.consumedEvents, (kept) =>
    HashMap.map(kept, (each) => (each.lease === null ? each : { ...each, lease: f(each.lease) }))
  )
})

const without = (state: State, name: string): State => ({
  ...state,
  eventConsumers: HashMap.remove(state.eventConsumers, name),
  consumedEvents: HashMap.remove(state.consumedEvents, name)
})

export const layer = storeFrom(EventConsumerStore, function* (memory) {
  const { hint } = yield* EventHint
  const timed = <A, E>(f: (state: State, now: DateTime.Utc) => Change<A, E>) =>
    Effect.flatMap(realNow, (now) => memory.decide((state) => f(state, now)))
  return {
    now: realNow,
    register: (asked) => timed((state, now) => register(state, now, asked)),
    list: memory.read((state) =>
      HashMap.toValues(state.eventConsumers)
        .map((consumer) => recordIn(state, consumer))
        .sort((a, b) => compareCodePoints(a.name, b.name))
    ),
    find: (name) =>
      memory.read((state) =>
        Option.map(HashMap.get(state.eventConsumers, name), (consumer) => recordIn(state, consumer))
      ),
    remove: (name) =>
      memory.decide((state) => Result.succeed([HashMap.has(state.eventConsumers, name), without(state, name)])),
    take: (name, waiting) => timed((state, now) => take(state, now, name, waiting)),
    claim: (options) => timed((state, now) => claim(state, now, options)),
    renew: (name, lease_ids, lease_millis) =>
      timed((state, now) => {
        const own = keptOf(state, name).filter(({ lease }) => lease !== null && lease_ids.includes(lease.id))
        const until = addTime(now, lease_millis)
        const next = own.reduce(
          (before, { item, lease }) =>
            lease === null ? before : withKept(before, { item, lease: { ...lease, until } }),
          state
        )
        return Result.succeed([undefined, next])
      }),
    expired: (name, { limit, over_millis }) =>
      Effect.flatMap(realNow, (now) => {
        const over = subtractTime(now, Duration.millis(over_millis))
        return memory.read((state) =>
          keptOf(state, name)
            .flatMap(({ item, lease }) =>
              lease !== null && DateTime.isLessThanOrEqualTo(lease.until, over) ? [{ item, lease_id: lease.id }] : []
            )
            .slice(0, limit)
        )
      }),
    settle: (name, outcomes) => memory.decide((state) => settle(state, name, outcomes)),
    waiting: (name, { failed, limit }) =>
      memory.read((state) =>
        keptOf(state, name)
          .map(({ item }) => item)
          .filter((item) => !failed || Rule.holds(hasFailed, item))
          .slice(0, limit)
      ),
    findForUpdate: (name, event_id) =>
      memory.read((state) =>
        Option.fromUndefinedOr(
          keptOf(state, name)
            .map(({ item }) => item)
            .find((item) => item.event_id === event_id)
        )
      ),
    update: (item) => memory.change((state) => withKept(state, { item, lease: null })),
    untilDue: (name) => Effect.flatMap(realNow, (now) => memory.read((state) => untilDue(state, now, name))),
    hint,
    releaseAll: memory.change((state) => withLeases(state, (lease) => ({ ...lease, until: instantAt(0) })))
  }
})
