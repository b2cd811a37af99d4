import { Deferred, Effect, Exit, Predicate, Queue, Schema, Scope, Stream } from "effect"
import { Limits } from "../../domain/kernel/Limits.ts"
import { type EventRecord, eventTypes } from "../../domain/outbox/Event.ts"
import { ConsumerName, From } from "../../domain/outbox/EventConsumer.ts"
import { EventConsumerStore } from "../../ports/outbox/EventConsumerStore.ts"
import { type DeclaredEventTypes, HostEvents } from "../../ports/outbox/HostEvents.ts"
import {
  aBoolean,
  aWholeNumber,
  checkOptions,
  InvalidOption,
  isTexts,
  type OptionRules,
  tryOptions
} from "../kernel/host/InvalidOption.ts"
import { Service } from "../kernel/service/Service.ts"
import {
  type ConsumerOptions,
  type Handler,
  handleDue,
  makeConsumerParts,
  startConsumerWorker
} from "./consumer/ConsumerWorker.ts"

export type { ConsumerOptions, Handler, HandlerAttempt } from "./consumer/ConsumerWorker.ts"

/** A subscription of a handler to events, of all organisations. */
export interface EventSubscription {
  /** The name by which the consumer is known after every start, and to operators. */
  readonly name: string
  /** Types of events; those of every type when absent. */
  readonly types?: ReadonlyArray<string> | undefined
  /**
   * Where a consumer of a new name begins: with the first event that is kept, with what is committed from now on, or with
   * what occurred at an instant and later. `now` when absent. A known one goes on where it is.
   */
  readonly from?: From | undefined
  /** Events that this process may have under way at once; 8 when absent. */
  readonly inFlight?: number | undefined
  /** Whether the handler runs in a transaction with its progress: what it writes there is written exactly once. */
  readonly transactional?: boolean | undefined
}

const isName = Schema.is(ConsumerName)
const isFrom = Schema.is(From)

/** The kinds of values that a subscription has. */
const rules: OptionRules<EventSubscription> = {
  name: { holds: Predicate.isString, expected: "the name of a consumer", required: true },
  types: { holds: isTexts, expected: 'a list of types of events, e.g. ["donor.created"]' },
  from: { holds: isFrom, expected: '"beginning", "now" or an instant' },
  inFlight: aWholeNumber(1, Limits.consumerInFlight),
  transactional: aBoolean
}

const nameText = `name must be letters, digits, ".", "_" and "-", at most ${Limits.consumerNameCharacters}, a letter or digit first.`

const read = (where: string, subscription: EventSubscription, declared: DeclaredEventTypes) => {
  checkOptions(where, rules, subscription, '{ name: "letters" } is the least')
  const { from = "now", inFlight = Limits.consumerInFlightDefault, name, transactional = false, types } = subscription
  if (!isName(name)) throw new InvalidOption("name", nameText)
  const known: ReadonlyArray<string> = [...eventTypes, ...declared.keys()]
  const unknown = types?.find((type) => !known.includes(type))
  if (unknown !== undefined)
    throw new InvalidOption("types", `${unknown} is no type of event: docs/events.md has them all.`)
  if (types?.length === 0) {
    throw new InvalidOption("types", "types must name a type, or be left out for all of them.")
  }
  const event_types = types === undefined ? null : [...new Set(types)]
  const consuming: ConsumerOptions = { name, types: event_types, in_flight: inFlight, transactional }
  return { consuming, from, known }
}

/**
 * Handlers of events in the host's own process, each of a durable consumer: it is handed each event at least once, in the order
 * of each subject's commits, and processes share a consumer by leases. docs/decisions/0052.
 */
export class EventHandlers extends Service<EventHandlers>()("almoner/app/EventHandlers", function* () {
  const parts = yield* makeConsumerParts
  const store = yield* EventConsumerStore
  const declared = yield* HostEvents

  /**
   * Makes the consumer known, durably: from now on nothing that is for it is missed. Nothing is handled yet. A subscription
   * that cannot be, which `where` took, is refused with {@link InvalidOption}, with the name of what is wrong.
   */
  const register = Effect.fn("EventConsumers.register")(function* (
    subscription: EventSubscription,
    where = "EventHandlers.register"
  ) {
    const { consuming, from, known: known_types } = yield* tryOptions(where, () => read(where, subscription, declared))
    yield* store.register({ name: consuming.name, event_types: consuming.types, known_types, from })
    return consuming
  })

  /** Handles events of a registered consumer for as long as it is not interrupted; then handlers that run may end. */
  const run = <R>(consuming: ConsumerOptions, handler: Handler<R>): Effect.Effect<never, never, R> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const interruptible: Handler<R> = (event, attempt) => Effect.interruptible(handler(event, attempt))
        const drain = yield* startConsumerWorker(parts, consuming, interruptible, scope)
        const close = Effect.andThen(drain, Scope.close(scope, Exit.void))
        return yield* Effect.ensuring(restore(Effect.never), close)
      })
    )

  /** {@link register} and {@link run} in one, for programs written with Effect. */
  const subscribe = Effect.fnUntraced(function* <R>(subscription: EventSubscription, handler: Handler<R>) {
    return yield* run(yield* register(subscription, "EventHandlers.subscribe"), handler)
  })

  /**
   * The events as a stream, each handled once the next one is asked for. What was given and not handled when the stream ends
   * is given again, 20 seconds later at the latest. Fails only where the subscription is refused.
   */
  const stream = (subscription: Omit<EventSubscription, "transactional">) =>
    Stream.unwrap(
      Effect.gen(function* () {
        const consuming = yield* register(subscription, "EventHandlers.stream")
        const given = yield* Queue.unbounded<{
          readonly event: EventRecord
          readonly done: Deferred.Deferred<void>
        }>()
        const open = new Set<Deferred.Deferred<void>>()
        const handler = Effect.fnUntraced(function* (event: EventRecord) {
          const done = yield* Deferred.make<void>()
          open.add(done)
          yield* Queue.offer(given, { event, done })
          yield* Deferred.await(done)
          open.delete(done)
        })
        yield* Effect.forkScoped(run(consuming, handler))
        // Nobody asks for more: handlers that wait would keep the worker from ending.
        yield* Effect.addFinalizer(() => Effect.forEach(open, Deferred.interrupt, { discard: true }))
        let last: Deferred.Deferred<void> | undefined
        const next = Effect.gen(function* () {
          if (last !== undefined) yield* Deferred.succeed(last, undefined)
          const { done, event } = yield* Queue.take(given)
          last = done
          return event
        })
        return Stream.fromEffectRepeat(next)
      })
    )

  /** Handles all events of a registered consumer that are due now; the number of attempts. For hosts with job runners. */
  const due = <R>(consuming: ConsumerOptions, handler: Handler<R>): Effect.Effect<number, never, R> =>
    handleDue(parts, consuming, handler)

  return { register, run, subscribe, stream, due } as const
}) {}
