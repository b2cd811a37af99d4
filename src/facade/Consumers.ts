import { DateTime, Effect, Exit, Fiber, Option, Predicate } from "effect"
import { InvalidOption, tryOptions } from "../app/kernel/host/InvalidOption.ts"
import {
  type ConsumerOptions,
  EventHandlers,
  type EventSubscription,
  type Handler
} from "../app/outbox/EventHandlers.ts"
import type { Attempt } from "../client/Attempt.ts"
import type { Event, EventType, HostEventType } from "../client/generated/Records.ts"
import { readInstant } from "../domain/kernel/InstantRange.ts"
import type { LimitReached } from "../domain/kernel/Rejection.ts"
import type { EventRecord } from "../domain/outbox/Event.ts"
import { Background } from "../ports/kernel/Background.ts"
import { AlmonerUnavailable } from "./AlmonerUnavailable.ts"
import type { Application } from "./Application.ts"
import type { TransactionClient } from "./Backend.ts"
import { attempt, makeApi } from "./Face.ts"
import type { Api } from "./FaceTypes.ts"
import type { DeclaredType, EventAmong, NoEvents } from "./HostEvents.ts"
import type { RunApplication } from "./Within.ts"

/** An event of any of some types, as webhooks and lists carry it; `type` tells which `data` it has. */
export type EventOf<T extends EventType = EventType> = Extract<Event, { readonly type: T }>

/** A handler's context, beside its event. */
export interface HandlerContext {
  /** 1 for the first attempt. */
  readonly attempt: number
  /** Aborted when the workers stop and the handler did not end within 8 seconds. */
  readonly signal: AbortSignal
}

/** The context of a handler that runs in a transaction. All of it is of that transaction. */
export interface TransactionalHandling<Events = NoEvents> extends HandlerContext {
  /** The use cases. Their writes commit with the handler's progress, or not at all. */
  readonly almoner: Api<Events>
  /** Runs the host's own statements. In the memory there is no SQL, and it rejects. */
  readonly client: TransactionClient
}

/** A subscription of a handler to events, of all organisations. */
export interface SubscriptionOptions<T extends EventType | HostEventType> {
  /** The name by which the consumer is known after every start, and to operators. */
  readonly name: string
  /** Types of events, of the catalogue or declared by the host; those of every type when absent. */
  readonly types?: ReadonlyArray<T> | undefined
  /**
   * Where a consumer of a new name begins: with the first event that is kept, with what is committed from now on, or with
   * what occurred at an instant and later. `now` when absent. A known one goes on where it is.
   */
  readonly from?: "beginning" | "now" | Date | undefined
  /** Events that this process may have under way at once. 8 when absent, 64 at most. */
  readonly inFlight?: number | undefined
}

/** A handler that is subscribed in this process. */
export interface SubscribedHandler {
  /** Stops handling here, and lets what is under way end. The consumer stays, and nothing that is for it is missed. */
  readonly stop: () => Promise<void>
}

/** The part of `almoner.events` that hands events to the host. */
export interface Subscriptions<Events = NoEvents> {
  /**
   * Hands each event to the handler at least once, those about one record in the order of their commits. A handler that
   * rejects is asked again on the schedule of webhooks; after six attempts the event is parked, and later events of its
   * record wait until an operator has it tried anew or skipped. Answers when the consumer is known, from when on nothing
   * is missed; the handler is called once the workers run.
   *
   * A subscription that cannot be is refused with {@link InvalidOption}, with the name of what is wrong.
   *
   * With `transactional: true` the handler runs in a transaction of Almoner's store, in which its progress is recorded:
   * what it writes there is written exactly once.
   */
  readonly subscribe: {
    <T extends EventType | DeclaredType<Events> = EventType | DeclaredType<Events>>(
      subscription: SubscriptionOptions<T> & { readonly transactional: true },
      handler: (event: EventAmong<Events, T>, handling: TransactionalHandling<Events>) => Promise<unknown> | undefined
    ): Attempt<SubscribedHandler, LimitReached | AlmonerUnavailable>
    <T extends EventType | DeclaredType<Events> = EventType | DeclaredType<Events>>(
      subscription: SubscriptionOptions<T> & { readonly transactional?: false | undefined },
      handler: (event: EventAmong<Events, T>, handling: HandlerContext) => Promise<unknown> | undefined
    ): Attempt<SubscribedHandler, LimitReached | AlmonerUnavailable>
  }
}

interface Given {
  readonly run: RunApplication
  readonly fork: (effect: Effect.Effect<never, never, Application>) => Fiber.Fiber<never, unknown>
  readonly transactionClient: Effect.Effect<TransactionClient | undefined>
}

/** A subscription in this process, and the fiber that works for it. */
interface Subscribed {
  readonly consuming: ConsumerOptions
  readonly handler: Handler<Application>
  fiber: Fiber.Fiber<never, unknown> | undefined
}

type HostHandler = (event: never, handling: never) => unknown

const noSql: TransactionClient = {
  query: () => Promise.reject(new Error("The memory has no SQL. Open Almoner with pglite() or postgres()."))
}

const wireOf = ({ created_at, data, id, occurred_at, organisation_id, type }: EventRecord) => ({
  id,
  type,
  occurred_at: DateTime.formatIso(occurred_at),
  organisation_id,
  data,
  created_at: DateTime.formatIso(created_at)
})

type HostSubscription = SubscriptionOptions<EventType | HostEventType> & {
  readonly transactional?: boolean | undefined
}

const where = "events.subscribe"

/** The subscription with the instant of its date. Throws {@link InvalidOption} for a date that is none, and for no handler. */
const instantly = (given: HostSubscription, handler: unknown): EventSubscription => {
  if (!Predicate.isFunction(handler)) throw new InvalidOption("handler", `The handler of ${where} must be a function.`)
  // The rules of a subscription refuse what is none.
  if (!Predicate.isObject(given)) return given as never
  const { from, ...rest } = given
  if (!(from instanceof Date)) return { ...rest, from }
  const message = `The option from of ${where} must be "beginning", "now" or a valid Date.`
  return { ...rest, from: Option.getOrThrowWith(readInstant(from), () => new InvalidOption("from", message)) }
}

const ended = () =>
  new AlmonerUnavailable({
    reason: "no_transaction",
    message: "The handler has ended, and its transaction with it: await every call before the handler's promise ends."
  })

/**
 * The transaction that the effect is in, as a handler is given it, and what ends it for the handler: calls that it left open
 * are waited for, and later ones are refused, since the connection may be somebody else's by then.
 */
const inTransaction = (transactionClient: Given["transactionClient"]) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<Application>()
    const open = new Set<Promise<unknown>>()
    let hasEnded = false
    const tracked = <A>(call: Promise<A>): Promise<A> => {
      open.add(call)
      return call
    }
    const almoner = makeApi((effect) =>
      // The API's failures include this one, and those of one effect do not.
      hasEnded
        ? Promise.resolve(Exit.fail(ended() as never))
        : tracked(Effect.runPromiseExit(Effect.provideContext(effect, context)))
    )
    const client = (yield* transactionClient) ?? noSql
    const query: TransactionClient["query"] = (text, values) => {
      if (hasEnded) return Promise.reject(ended())
      const call = client.query(text, values)
      tracked(call.catch(() => undefined))
      return call
    }
    const settled = Effect.promise(() => {
      hasEnded = true
      return Promise.all(open)
    })
    return { almoner, client: { query }, settled }
  })

/** Keeps the handlers of a host, and hands them events while it is started. */
export const makeConsumers = <Events>({ fork, run, transactionClient }: Given) => {
  const subscribed = new Set<Subscribed>()
  let handling = 0
  let isStarted = false

  const called = (handler: HostHandler, event: EventRecord, given: Omit<TransactionalHandling, "signal">) =>
    Effect.tryPromise({
      try: async (signal) => {
        handling += 1
        try {
          // The types of the event are those of its type's line in the catalogue.
          await handler(wireOf(event) as never, { ...given, signal } as never)
        } finally {
          handling -= 1
        }
      },
      catch: (cause) => cause
    })

  const handlerOf =
    (handler: HostHandler, transactional: boolean): Handler<Application> =>
    (event, { number }) =>
      Effect.gen(function* () {
        const { almoner, client, settled } = yield* inTransaction(transactionClient)
        const given = transactional ? { attempt: number, almoner, client } : { attempt: number }
        yield* Effect.ensuring(called(handler, event, given as Omit<TransactionalHandling, "signal">), settled)
      })

  const start = (each: Subscribed): void => {
    const { consuming, handler } = each
    const running = EventHandlers.use((consumers) => consumers.run(consuming, handler))
    each.fiber ??= fork(Effect.provideService(running, Background, true))
  }

  const stop = async (each: Subscribed): Promise<void> => {
    const { fiber } = each
    each.fiber = undefined
    if (fiber !== undefined) await Effect.runPromise(Fiber.interrupt(fiber))
  }

  const subscribe = (subscription: HostSubscription, handler: HostHandler) =>
    attempt(
      run(
        Effect.gen(function* () {
          const given = yield* tryOptions(where, () => instantly(subscription, handler))
          return yield* EventHandlers.use((consumers) => consumers.register(given, where))
        }).pipe(Effect.catchTag("InvalidOption", Effect.die))
      ).then(
        Exit.map((consuming): SubscribedHandler => {
          const each: Subscribed = { consuming, handler: handlerOf(handler, consuming.transactional), fiber: undefined }
          subscribed.add(each)
          if (isStarted) start(each)
          return {
            stop: () => {
              subscribed.delete(each)
              return stop(each)
            }
          }
        })
      )
    )

  return {
    subscribe: subscribe as Subscriptions<Events>["subscribe"],
    isHandling: () => handling > 0,
    start: () => {
      isStarted = true
      for (const each of subscribed) start(each)
    },
    stop: async () => {
      isStarted = false
      await Promise.all([...subscribed].map(stop))
    },
    /** Handles all that is due now, one consumer after the other. */
    due: Effect.gen(function* () {
      let total = 0
      for (const { consuming, handler } of subscribed) {
        total += yield* EventHandlers.use((consumers) => consumers.due(consuming, handler))
      }
      return total
    })
  } as const
}
