import { Clock, DateTime, Duration, Effect, Exit, Fiber, Latch, Option, type Scope } from "effect"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { loggedCause } from "../../../ports/kernel/LoggedCause.ts"
import { guard } from "../../../ports/kernel/WorkGuard.ts"
import { DeliverySignal } from "../../../ports/outbox/DeliverySignal.ts"
import { type AttemptResult, type ClaimedDelivery, DeliveryStore } from "../../../ports/outbox/DeliveryStore.ts"
import { makeStoreOutage, waitAfterMillis } from "../../kernel/store/StoreOutage.ts"
import { isWorthwhile, makeBatchPace, waitFor } from "../../kernel/time/BatchPace.ts"
import { makeMonotonic, monotonicMillis } from "../../kernel/time/Monotonic.ts"
import { makeDisableFailing } from "../endpoint/FailingEndpoints.ts"
import { makeDeliveryClaims } from "./DeliveryClaims.ts"
import { makeDeliveryCompleter } from "./DeliveryCompleter.ts"
import { interruptedAt, makeDeliveryExecutor } from "./DeliveryExecutor.ts"
import { type Lease, passedOf } from "./DeliveryLease.ts"
import { makeDeliveryRescuer } from "./DeliveryRescuer.ts"
import { Capacity, type DeliverySlots, makeDeliverySlots } from "./DeliverySlots.ts"
import { silenceMillis } from "./LeaseTakeover.ts"

/** The interval of polls of the store without any hint, milliseconds. */
const pollMillis = 5_000

/** As {@link pollMillis}, while endpoints have more due than they may have under way: the store knows no other due time. */
const backlogPollMillis = 1_000

/** Looks for due times are at least this far apart, milliseconds. */
const lookMillis = 20

/** The interval of polls for failing endpoints when no delivery was given up, milliseconds. */
const disableMillis = 3_600_000

/** Deliveries given up one after the other cause one look for failing endpoints, milliseconds. */
const disableDelayMillis = 1_000

/** How long it may take then to record what was cut off, milliseconds. */
const recordMillis = 500

/** The parts of a worker, made once and used by any number of runs. docs/reliability.md. */
export const makeDeliveryParts = Effect.gen(function* () {
  const rescuer = yield* makeDeliveryRescuer
  return {
    rescuer,
    store: yield* DeliveryStore,
    signal: yield* DeliverySignal,
    claims: yield* makeDeliveryClaims(rescuer),
    attempt: yield* makeDeliveryExecutor,
    disableFailing: yield* makeDisableFailing("dispatcher"),
    capacity: yield* Capacity
  } as const
})

/** See {@link makeDeliveryParts}. */
export type DeliveryParts = Effect.Success<typeof makeDeliveryParts>

/** Looks for failing endpoints whenever a delivery was given up, and every hour. */
const disabling = (parts: DeliveryParts, outage: ReturnType<typeof makeStoreOutage>, exhausted: Latch.Latch) =>
  Effect.gen(function* () {
    for (let failures = 0; ; ) {
      exhausted.closeUnsafe()
      failures = Option.isSome(yield* outage.watch(parts.disableFailing)) ? 0 : failures + 1
      if (failures > 0) yield* Effect.sleep(waitAfterMillis(failures))
      else yield* Effect.andThen(waitFor(exhausted, disableMillis), Effect.sleep(disableDelayMillis))
    }
  })

/** Turns the signal into wake-ups. A signal that breaks is tried again; meanwhile polling does its work. */
const listening = ({ signal }: DeliveryParts, wake: Latch.Latch) => {
  const outage = makeStoreOutage("The delivery signal")
  return Effect.gen(function* () {
    for (let failures = 0; ; ) {
      failures = Option.isSome(yield* outage.watch(signal.wait)) ? 0 : failures + 1
      wake.openUnsafe()
      if (failures > 0) yield* Effect.sleep(waitAfterMillis(failures))
    }
  })
}

export const attemptUnder = ({ attempt, claims }: DeliveryParts, claimed: ClaimedDelivery, lease: Lease) =>
  attempt(claimed, {
    passed: Effect.zipWith(monotonicMillis, Clock.currentTimeMillis, (now, wall) => passedOf(lease, now, wall)),
    storeTime: claims.storeTime
  })

/** Claims what is due and sends each delivery in a fiber of the scope. */
const makeSending = (
  parts: DeliveryParts,
  scope: Scope.Scope,
  slots: DeliverySlots,
  monotonic: () => number,
  hands: {
    readonly offer: (outcome: AttemptResult) => void
    readonly onLost: (claimed: ClaimedDelivery) => void
    readonly onRoom: () => void
  }
) => {
  const learn = ({ attempt, delivery }: AttemptResult): void => {
    if (attempt === null || attempt.duration_ms === null) return
    const exchanged = { answered: attempt.response_status !== null, duration_ms: attempt.duration_ms }
    if (slots.learn(delivery.endpoint_id, exchanged, monotonic())) hands.onRoom()
  }

  const underWay = new Set<ClaimedDelivery>()

  const send = (claimed: ClaimedDelivery, lease: Lease): Effect.Effect<void> => {
    underWay.add(claimed)
    const work = { kind: "webhook endpoint", id: claimed.delivery.endpoint_id } as const
    return Effect.matchCauseEffect(guard(work, attemptUnder(parts, claimed, lease)), {
      onSuccess: (outcome) => {
        underWay.delete(claimed)
        if (Option.isNone(outcome)) return Effect.sync(() => hands.onLost(claimed))
        learn(outcome.value)
        hands.offer(outcome.value)
        return Effect.void
      },
      onFailure: (cause) => {
        underWay.delete(claimed)
        hands.onLost(claimed)
        return Effect.logError(
          `The attempt of delivery ${claimed.delivery.id} broke; its lease will run out`,
          loggedCause(cause)
        )
      }
    })
  }

  /** Claims until nothing more is due, or there is no room. Answers how many deliveries it got. */
  const claimDue = Effect.gen(function* () {
    let total = 0
    for (let asked = slots.ask(monotonic()); asked !== undefined; asked = slots.ask(monotonic())) {
      const { claimed, lease } = yield* parts.claims.claim(asked)
      const deliveries = claimed.map(({ delivery }) => delivery)
      if (slots.take(asked, deliveries, monotonic())) hands.onRoom()
      for (const each of claimed) yield* Effect.forkIn(send(each, lease), scope, { startImmediately: true })
      total += claimed.length
      if (claimed.length < asked.limit) break
    }
    return total
  })

  return { claimDue, underWay } as const
}

/**
 * Starts a worker whose fibers live in the scope, and answers the effect that drains it: no more claims, then what is
 * under way ends and is recorded, for 8 seconds at most. What is left then is recorded as interrupted, and cut off with the
 * scope.
 */
export const startDeliveryWorker = Effect.fnUntraced(function* (parts: DeliveryParts, scope: Scope.Scope) {
  const slots = makeDeliverySlots(parts.capacity)
  const monotonic = yield* makeMonotonic
  const outage = makeStoreOutage("The deliveries' store")
  const [wake, stop, freed, exhausted] = [
    yield* Latch.make(),
    yield* Latch.make(),
    yield* Latch.make(),
    yield* Latch.make()
  ]
  const pace = makeBatchPace(stop)
  parts.rescuer.starts()
  let lookAtMillis = Number.NEGATIVE_INFINITY

  const end = ({ attempt, delivery }: AttemptResult) => {
    if (slots.free(delivery, monotonic())) wake.openUnsafe()
    if (attempt !== null && delivery.status === "FAILED") exhausted.openUnsafe()
    if (delivery.next_attempt_at === null) return
    const wait = DateTime.toEpochMillis(delivery.next_attempt_at) - DateTime.toEpochMillis(parts.claims.storeTime())
    const due = monotonic() + wait
    if (due >= lookAtMillis) return
    lookAtMillis = due
    wake.openUnsafe()
  }

  const completer = yield* makeDeliveryCompleter(parts.store, outage, stop, (outcomes) => {
    for (const outcome of outcomes) end(outcome)
    freed.openUnsafe()
  })

  const { claimDue, underWay } = makeSending(parts, scope, slots, monotonic, {
    offer: completer.offer,
    onLost: ({ delivery }) => {
      if (slots.free(delivery, monotonic())) wake.openUnsafe()
      freed.openUnsafe()
    },
    onRoom: () => wake.openUnsafe()
  })

  /** Plans the next poll of the store, although no hint says that anything is due. */
  const planLook = Effect.gen(function* () {
    const wait = Option.match(yield* parts.store.untilDue, {
      onNone: () => pollMillis,
      onSome: (until) =>
        Duration.toMillis(until) <= 0
          ? backlogPollMillis
          : Math.min(pollMillis, Math.max(lookMillis, Duration.toMillis(until)))
    })
    lookAtMillis = monotonic() + wait
  })

  const round = Effect.gen(function* () {
    if (monotonic() < lookAtMillis) return yield* claimDue
    yield* parts.rescuer.rescue(slots.size(), slots.holds)
    const size = yield* claimDue
    yield* planLook
    return size
  })

  /** One round; a signal that comes during it is for the next one. */
  const attentive = Effect.suspend(() => {
    wake.closeUnsafe()
    return round
  })

  const claiming = Effect.gen(function* () {
    let failures = 0
    let size = 0
    let answeredAt = monotonic()
    while (!stop.isOpen()) {
      // With nothing under way, a claim that finds nothing costs nobody anything.
      const isIdle = size === 0 && slots.size() === 0
      const done = yield* pace(isIdle || isWorthwhile(size), outage.watch(attentive))
      failures = Option.isSome(done) ? 0 : failures + 1
      if (failures > 0) parts.rescuer.storeWasAway()
      else if (monotonic() - answeredAt >= silenceMillis) parts.rescuer.storeWasSilent()
      answeredAt = monotonic()
      size = Option.getOrElse(done, () => 0)
      yield* failures > 0 ? waitFor(stop, waitAfterMillis(failures)) : waitFor(wake, lookAtMillis - monotonic())
    }
  })

  yield* Effect.forkIn(listening(parts, wake), scope)
  yield* Effect.forkIn(completer.run, scope)
  yield* Effect.forkIn(disabling(parts, outage, exhausted), scope)
  const claimer = yield* Effect.forkIn(claiming, scope)

  const emptied = Effect.gen(function* () {
    yield* Fiber.await(claimer)
    while (slots.size() > 0) {
      freed.closeUnsafe()
      yield* freed.await
    }
  })

  return Effect.gen(function* () {
    stop.openUnsafe()
    wake.openUnsafe()
    const drained = yield* Effect.timeoutOption(emptied, Limits.drainMillis)
    // A claim that the store has not answered may be all that is left: whatever it leases is free again in time.
    if (Option.isSome(drained) || slots.size() === 0) return
    // Whoever begins next need not wait for leases of which it is known that nobody has them.
    const at = parts.claims.storeTime()
    const cutOff = [...underWay].map((claimed) => interruptedAt({ ...claimed, at }))
    const recorded = yield* Effect.timeoutOption(Effect.exit(parts.store.settle(cutOff)), recordMillis)
    const isRecorded = Option.exists(recorded, Exit.isSuccess)
    yield* Effect.logWarning(
      `${slots.size()} deliveries were cut off by the stop; ${isRecorded ? "they are sent again" : "their leases will run out"}`
    )
  })
})
