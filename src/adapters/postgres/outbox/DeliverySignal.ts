import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import type { Notification } from "@effect/sql-pg/PgConnection"
import { Deferred, type Duration, Effect, Layer, Queue, Schedule } from "effect"
import { Background } from "../../../ports/kernel/Background.ts"
import { DeliverySignal } from "../../../ports/outbox/DeliverySignal.ts"
import { isEmbedded } from "../connection/Kind.ts"
import { nameIn, SchemaName } from "../connection/SchemaName.ts"

/** A NOTIFY takes a lock that all commits with one share: however many changes there are, few are sent. */
const notifyEvery = "50 millis"

/** How long a lost listener waits before it tries again; polling covers the time. */
const listenAgainAfter = "1 second"

/** How a listener finds out that it is cut off: it tells its own channel something, and waits to hear it. */
export interface Heartbeat {
  readonly every: Duration.Input
  /** A listener that has not heard itself by then is cut off. */
  readonly within: Duration.Input
}

const standardHeartbeat: Heartbeat = { every: "15 seconds", within: "5 seconds" }

const make = Effect.fnUntraced(function* (heartbeat: Heartbeat) {
  const client = yield* PgClient.PgClient
  const channel = nameIn(yield* SchemaName, "almoner_deliveries")
  const raised = yield* Queue.sliding<void>(1)
  const told = yield* Queue.sliding<void>(1)
  // Whoever delivers waits. A process that only writes keeps no connection to listen on.
  const awaited = yield* Deferred.make<void>()
  const begun = yield* Deferred.make<void>()
  const self = randomUUID()
  const beat = `beat ${self}`

  const notify = Effect.gen(function* () {
    yield* Queue.take(told)
    yield* Effect.ignoreCause(client.notify(channel, self))
    yield* Effect.sleep(notifyEvery)
  })

  /** Nobody else's heartbeat is news, and no hint of this process. */
  const hear = (heard: Queue.Queue<void>, { payload }: Notification) => {
    if (payload === beat) return Queue.offer(heard, undefined)
    return payload === self || payload.startsWith("beat ") ? Effect.void : Queue.offer(raised, undefined)
  }

  /** Ends when the listener does not hear what it was told. */
  const untilDeaf = (heard: Queue.Queue<void>) =>
    Effect.gen(function* () {
      yield* Effect.sleep(heartbeat.every)
      yield* Queue.clear(heard)
      yield* Effect.andThen(client.notify(channel, beat), Queue.take(heard)).pipe(Effect.timeout(heartbeat.within))
    }).pipe(Effect.forever)

  /** Hints that were raised while nobody listened are lost, so that a new listener begins with one. */
  const listen = Effect.gen(function* () {
    const notifications = yield* client.listen(channel)
    const heard = yield* Queue.sliding<void>(1)
    yield* Queue.offer(raised, undefined)
    yield* Deferred.succeed(begun, undefined)
    const hearing = Effect.forever(Effect.flatMap(Queue.take(notifications), (told) => hear(heard, told)))
    yield* Effect.raceFirst(hearing, untilDeaf(heard))
  }).pipe(
    Effect.scoped,
    Effect.ignoreCause,
    Effect.ensuring(Deferred.succeed(begun, undefined)),
    Effect.repeat(Schedule.spaced(listenAgainAfter))
  )

  /** Whoever waits first hears from then on what others raise, or soon goes on without. */
  const heeding = Effect.andThen(
    Deferred.succeed(awaited, undefined),
    Effect.timeoutOption(Deferred.await(begun), listenAgainAfter)
  )

  const embedded = yield* isEmbedded
  if (!embedded) {
    const workers = Effect.all([Effect.forever(notify), Effect.andThen(Deferred.await(awaited), listen)], {
      concurrency: "unbounded",
      discard: true
    })
    yield* Effect.forkScoped(Effect.provideService(workers, Background, true))
  }

  return DeliverySignal.of({
    raise: Effect.asVoid(
      embedded
        ? Queue.offer(raised, undefined)
        : Effect.andThen(Queue.offer(raised, undefined), Queue.offer(told, undefined))
    ),
    wait: embedded ? Queue.take(raised) : Effect.andThen(heeding, Queue.take(raised))
  })
})

/** As {@link layer}, with another heartbeat. */
export const layerWith = (heartbeat: Heartbeat): Layer.Layer<DeliverySignal, never, PgClient.PgClient> =>
  Layer.effect(DeliverySignal, make(heartbeat))

/**
 * A signal within the process, and between the processes of a server by LISTEN and NOTIFY. The first that waits makes it
 * listen. A listener that was cut off without a word is replaced.
 */
export const layer: Layer.Layer<DeliverySignal, never, PgClient.PgClient> = layerWith(standardHeartbeat)
