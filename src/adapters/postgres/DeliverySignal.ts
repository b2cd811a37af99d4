import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Queue, Schedule } from "effect"
import { DeliverySignal } from "../../ports/DeliverySignal.ts"
import { isEmbedded } from "./Kind.ts"

const channel = "almoner_deliveries"

/** A NOTIFY takes a lock that all commits with one share: however many changes there are, few are sent. */
const notifyEvery = "50 millis"

/** How long a lost listener waits before it tries again; polling covers the time. */
const listenAgainAfter = "1 second"

const make = Effect.gen(function* () {
  const client = yield* PgClient.PgClient
  const raised = yield* Queue.sliding<void>(1)
  const told = yield* Queue.sliding<void>(1)
  const self = randomUUID()

  const notify = Effect.gen(function* () {
    yield* Queue.take(told)
    yield* Effect.ignoreCause(client.notify(channel, self))
    yield* Effect.sleep(notifyEvery)
  })

  /** What was raised while nobody listened is not known: a new listener begins with a hint. */
  const listen = Effect.gen(function* () {
    const notifications = yield* client.listen(channel)
    yield* Queue.offer(raised, undefined)
    yield* Queue.take(notifications).pipe(
      Effect.flatMap(({ payload }) => (payload === self ? Effect.void : Queue.offer(raised, undefined))),
      Effect.forever
    )
  }).pipe(Effect.scoped, Effect.ignoreCause, Effect.repeat(Schedule.spaced(listenAgainAfter)))

  const embedded = yield* isEmbedded
  if (!embedded) {
    yield* Effect.forkScoped(Effect.forever(notify))
    yield* Effect.forkScoped(listen)
  }

  return DeliverySignal.of({
    raise: Effect.asVoid(
      embedded
        ? Queue.offer(raised, undefined)
        : Effect.andThen(Queue.offer(raised, undefined), Queue.offer(told, undefined))
    ),
    wait: Queue.take(raised)
  })
})

/** A signal within the process, and between the processes of a server by LISTEN and NOTIFY. */
export const layer: Layer.Layer<DeliverySignal, never, PgClient.PgClient> = Layer.effect(DeliverySignal, make)
