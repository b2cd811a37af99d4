import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import type { Notification } from "@effect/sql-pg/PgConnection"
import { type Clock, Context, Deferred, type Duration, Effect, Layer, Queue, Schedule } from "effect"
import { Background } from "../../../ports/kernel/Background.ts"
import { isEmbedded } from "./Kind.ts"
import { nameIn, SchemaName } from "./SchemaName.ts"

/** A NOTIFY takes a lock that all commits with one share: however many changes there are, few are sent. */
const notifyEvery = "50 millis"

/** How long a lost listener waits before it tries again; polling covers the time. */
const listenAgainAfter = "1 second"

/** While there is no consumer of events, it is asked this often at most whether there is one, nanoseconds. */
const askAgainNanos = 1_000_000_000n

/** The check that a listener is not cut off: it notifies its own channel, and waits for the message. */
export interface Heartbeat {
  readonly every: Duration.Input
  /** A listener that has not received its own message by then is cut off. */
  readonly within: Duration.Input
}

const standardHeartbeat: Heartbeat = { every: "15 seconds", within: "5 seconds" }

/**
 * Messages between processes: that events were committed, and whether deliveries may be due with them; that charges are
 * due; that notices of processors came, or are to be sent; and that money is to go to recipients.
 */
export type News = "deliveries" | "events" | "charges" | "notices" | "transfers"

/** News that each have a payload of their own, before the sender's name. */
const prefixed = { charges: "charges ", notices: "notices ", transfers: "transfers " } as const

const prefixedNews = ["charges", "notices", "transfers"] as const

const allNews: ReadonlyArray<News> = ["deliveries", "events", ...prefixedNews]

/** A hint within the process, and between the processes of a server. The first that waits makes its process listen. */
export const makeSharedHint = Effect.fnUntraced(function* (news: News) {
  const notifications = yield* Notifications
  const hints = yield* Queue.sliding<void>(1)
  const hint = Effect.asVoid(Queue.offer(hints, undefined))
  yield* notifications.on(news, hint)
  return {
    raise: Effect.andThen(hint, notifications.tell(news)),
    // Whoever waits first hears from then on what others raise, or soon goes on without.
    wait: Effect.andThen(Effect.andThen(notifications.listens, notifications.begun), Queue.take(hints))
  }
})

/** The payload of a message about events alone. Versions that know none take it for a hint of deliveries. */
const ofEvents = "events "

const ofBeats = "beat "

const make = Effect.fnUntraced(function* (heartbeat: Heartbeat) {
  const client = yield* PgClient.PgClient
  const channel = nameIn(yield* SchemaName, "almoner_deliveries")
  const told = yield* Queue.sliding<void>(1)
  const untold = new Set<News>()
  const heard: Record<News, Array<Effect.Effect<void>>> = {
    deliveries: [],
    events: [],
    charges: [],
    notices: [],
    transfers: []
  }
  // Whoever works waits. A process that only writes keeps no connection to listen on.
  const awaited = yield* Deferred.make<void>()
  const begun = yield* Deferred.make<void>()
  const self = randomUUID()
  const beat = `${ofBeats}${self}`
  const nanos = Effect.clockWith((clock: Clock.Clock) => Effect.sync(() => clock.monotonicTimeNanosUnsafe()))
  let askFrom = 0n

  /** Notifies of events where there is a consumer: an installation without any sends nothing. */
  const notifyConsumers = Effect.gen(function* () {
    const now = yield* nanos
    if (now < askFrom) return
    const sent = yield* client`
      SELECT pg_notify(${channel}::text, ${`${ofEvents}${self}`}::text) WHERE EXISTS (SELECT FROM event_consumers)`
    askFrom = sent.length > 0 ? 0n : now + askAgainNanos
  })

  const notify = Effect.gen(function* () {
    yield* Queue.take(told)
    const news = new Set(untold)
    untold.clear()
    if (news.has("deliveries")) yield* Effect.ignoreCause(client.notify(channel, self))
    else if (news.has("events")) yield* Effect.ignoreCause(notifyConsumers)
    for (const each of prefixedNews) {
      if (news.has(each)) yield* Effect.ignoreCause(client.notify(channel, `${prefixed[each]}${self}`))
    }
    yield* Effect.sleep(notifyEvery)
  })

  const spread = (news: ReadonlyArray<News>) =>
    Effect.forEach(
      news.flatMap((each) => heard[each]),
      (then) => then,
      { discard: true }
    )

  /** Nobody else's heartbeat is news, and nothing of this process is. */
  const hear = (beats: Queue.Queue<void>, { payload }: Notification): Effect.Effect<unknown> => {
    if (payload === beat) return Queue.offer(beats, undefined)
    if (payload.startsWith(ofBeats) || payload.endsWith(self)) return Effect.void
    const own = prefixedNews.find((news) => payload.startsWith(prefixed[news]))
    if (own !== undefined) return spread([own])
    return spread(payload.startsWith(ofEvents) ? ["events"] : ["deliveries", "events"])
  }

  /** Ends when the listener does not receive its own message. */
  const untilDeaf = (beats: Queue.Queue<void>) =>
    Effect.gen(function* () {
      yield* Effect.sleep(heartbeat.every)
      yield* Queue.clear(beats)
      yield* Effect.andThen(client.notify(channel, beat), Queue.take(beats)).pipe(Effect.timeout(heartbeat.within))
    }).pipe(Effect.forever)

  /** Messages that were sent while nobody listened are lost, so that a new listener begins with a hint of everything. */
  const listen = Effect.gen(function* () {
    const notifications = yield* client.listen(channel)
    const beats = yield* Queue.sliding<void>(1)
    yield* spread(allNews)
    yield* Deferred.succeed(begun, undefined)
    const hearing = Effect.forever(Effect.flatMap(Queue.take(notifications), (news) => hear(beats, news)))
    yield* Effect.raceFirst(hearing, untilDeaf(beats))
  }).pipe(
    Effect.scoped,
    Effect.ignoreCause,
    Effect.ensuring(Deferred.succeed(begun, undefined)),
    Effect.repeat(Schedule.spaced(listenAgainAfter))
  )

  const embedded = yield* isEmbedded
  if (!embedded) {
    const workers = Effect.all([Effect.forever(notify), Effect.andThen(Deferred.await(awaited), listen)], {
      concurrency: "unbounded",
      discard: true
    })
    yield* Effect.forkScoped(Effect.provideService(workers, Background, true))
  }

  const tell = (news: News) =>
    Effect.suspend(() => {
      untold.add(news)
      return Effect.asVoid(Queue.offer(told, undefined))
    })

  return {
    /** Notifies the other processes, soon, and seldom however often it is asked to. */
    tell: (news: News): Effect.Effect<void> => (embedded ? Effect.void : tell(news)),
    /** Has something done whenever another process notifies of this, once this one {@link listens}. */
    on: (news: News, then: Effect.Effect<void>): Effect.Effect<void> => Effect.sync(() => heard[news].push(then)),
    /** Has this process listen from now on. The first listener, and each after one that was cut off, begins with a hint. */
    listens: embedded ? Effect.void : Effect.asVoid(Deferred.succeed(awaited, undefined)),
    /** Waits until it does, or for a second: then it goes on without. */
    begun: embedded ? Effect.void : Effect.asVoid(Effect.timeoutOption(Deferred.await(begun), listenAgainAfter))
  } as const
})

/**
 * Messages between the processes of one database, on one channel of LISTEN and NOTIFY, and so on one session of each
 * process that listens. A hint, and no more: polling is the backstop. A listener that was cut off without a word is
 * replaced.
 */
export class Notifications extends Context.Service<Notifications, Effect.Success<ReturnType<typeof make>>>()(
  "almoner/adapters/postgres/Notifications"
) {
  /** As {@link Notifications.layer}, with another heartbeat. */
  static readonly layerWith = (heartbeat: Heartbeat): Layer.Layer<Notifications, never, PgClient.PgClient> =>
    Layer.effect(Notifications, make(heartbeat))

  static readonly layer = Notifications.layerWith(standardHeartbeat)
}
