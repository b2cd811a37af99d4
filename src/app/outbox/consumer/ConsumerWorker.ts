import { Cause, Data, type DateTime, Duration, Effect, Exit, Fiber, Latch, Option, Result, type Scope } from "effect"
import { Limits } from "../../../domain/kernel/Limits.ts"
import { decide } from "../../../domain/kernel/Machine.ts"
import * as ConsumedEvent from "../../../domain/outbox/ConsumedEvent.ts"
import type { EventRecord } from "../../../domain/outbox/Event.ts"
import { loggedCause } from "../../../ports/kernel/LoggedCause.ts"
import { Tokens } from "../../../ports/kernel/Tokens.ts"
import { Transaction } from "../../../ports/kernel/Transaction.ts"
import { type ClaimedEvent, EventConsumerStore, type LeasedEvent } from "../../../ports/outbox/EventConsumerStore.ts"
import { makeStoreOutage, waitAfterMillis } from "../../kernel/store/StoreOutage.ts"
import { makeBatchPace, waitFor } from "../../kernel/time/BatchPace.ts"
import { makeMonotonic } from "../../kernel/time/Monotonic.ts"
import { followStoreClock } from "../../kernel/time/StoreClock.ts"
import { leaseMillis } from "../delivery/DeliveryLease.ts"
import { type LeaseTakeover, makeLeaseTakeover, silenceMillis } from "../delivery/LeaseTakeover.ts"

/** The attempt that a handler makes. */
export interface HandlerAttempt {
  /** 1 for the first attempt. More where earlier ones failed, or were cut off before their outcome was recorded. */
  readonly number: number
}

/** Handles one event. A failure or a defect is a failed attempt; its message is kept. */
export type Handler<R> = (event: EventRecord, attempt: HandlerAttempt) => Effect.Effect<void, unknown, R>

/** How a consumer's events are handled in this process. */
export interface ConsumerOptions {
  readonly name: string
  /** The types that the handler asked for; every type when null. */
  readonly types: ReadonlyArray<string> | null
  readonly in_flight: number
  /** Whether the handler runs in a transaction of the store, in which its progress is recorded. */
  readonly transactional: boolean
}

/** Digits of a lease's id, base62: unique over all workers without asking any. */
const leaseDigits = 22

/** How often leases are begun anew while handlers run, milliseconds. */
const renewMillis = leaseMillis / 4

/** The interval of polls of the log without any hint, milliseconds: a hint of another process may be lost. */
const lookMillis = 1_000

/** Looks for due times are at least this far apart, milliseconds. */
const leastMillis = 20

/** Expired leases that are recorded with one call. */
const expiredBatch = 256

/** How long it may take then to record what was cut off, milliseconds. */
const recordMillis = 500

/** An event that a worker has under way; the fiber is there once it was forked. */
interface Working {
  readonly held: LeasedEvent
  fiber: Fiber.Fiber<void> | undefined
}

/** The event is leased by another worker by now, or an operator has decided it: nothing of this attempt may stay. */
class LeaseLost extends Data.TaggedError("LeaseLost") {}

const unreadable = new Error("The event's record cannot be read.")

const after = ({ item, lease_id }: LeasedEvent, command: ConsumedEvent.Command): LeasedEvent => ({
  item: Result.getOrThrow(decide(ConsumedEvent.machine, item, command)).state,
  lease_id
})

/** The words of what was thrown, which may be anything: an object without a text, or one that throws when it is asked for it. */
const wordsOf = (thrown: unknown): string => {
  try {
    return String(thrown instanceof Error ? thrown.message || thrown.name : thrown)
  } catch {
    return "What was thrown cannot be written as text."
  }
}

const textOf = (cause: Cause.Cause<unknown>): string =>
  wordsOf(Cause.squash(cause)).toWellFormed().replaceAll("\u0000", "")

/** The parts of the workers of consumers, made once. */
export const makeConsumerParts = Effect.gen(function* () {
  return { store: yield* EventConsumerStore, tokens: yield* Tokens, transaction: yield* Transaction } as const
})

/** See {@link makeConsumerParts}. */
export type ConsumerParts = Effect.Success<typeof makeConsumerParts>

/** Handles one event and answers its state afterwards; none where nothing is left to record. */
const makeAttempt = <R>(
  { store, transaction }: ConsumerParts,
  { name, transactional }: ConsumerOptions,
  handler: Handler<R>,
  now: Effect.Effect<DateTime.Utc>
) => {
  const handled = Effect.fnUntraced(function* (held: LeasedEvent) {
    return after(held, { _tag: "Handle", at: yield* now })
  })

  const inTransaction = (held: ClaimedEvent, work: Effect.Effect<void, unknown, R>) =>
    transaction.run(
      Effect.gen(function* () {
        yield* work
        const recorded = yield* store.settle(name, [yield* handled(held)])
        if (recorded.size === 0) return yield* new LeaseLost()
      })
    )

  return Effect.fnUntraced(function* (held: ClaimedEvent) {
    const { attempt_count, interruption_count } = held.item
    const work = Option.match(held.event, {
      onNone: () => Effect.fail(unreadable),
      onSome: (event) => Effect.suspend(() => handler(event, { number: attempt_count + interruption_count + 1 }))
    })
    const exit = yield* Effect.exit(transactional ? inTransaction(held, work) : work)
    if (Exit.isSuccess(exit)) return transactional ? Option.none() : Option.some(yield* handled(held))
    if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
    if (exit.cause.reasons.some((reason) => Cause.isFailReason(reason) && reason.error instanceof LeaseLost)) {
      yield* Effect.logWarning(`Event ${held.item.event_id} of consumer ${name} was taken over; this attempt is undone`)
      return Option.none()
    }
    const failed = after(held, ConsumedEvent.failure(held.item, textOf(exit.cause), yield* now))
    const consequence = failed.item.status === "PARKED" ? "it is parked" : "it is tried again later"
    yield* Effect.logWarning(`Consumer ${name} failed to handle event ${held.item.event_id}; ${consequence}`)
    return Option.some(failed)
  })
}

/** Frees events whose process is gone. `holds` says which ones this worker itself still works on. */
const makeRescue = (
  { store }: ConsumerParts,
  name: string,
  now: Effect.Effect<DateTime.Utc>,
  { expired, storeAnswers }: LeaseTakeover
) =>
  Effect.fnUntraced(function* (holds: (position: number) => boolean) {
    const found = yield* expired((over_millis) => store.expired(name, { limit: expiredBatch, over_millis }))
    storeAnswers()
    const orphans = found.filter(({ item }) => !holds(item.position))
    if (orphans.length === 0) return
    const at = yield* now
    yield* store.settle(
      name,
      orphans.map((held) => after(held, ConsumedEvent.interruption(held.item, at)))
    )
  })

/**
 * Handles everything that is due now, and answers how many attempts that took. Uninterruptible but for the handlers: what is
 * cut off is found by whoever looks next.
 */
export const handleDue = <R>(
  parts: ConsumerParts,
  consuming: ConsumerOptions,
  handler: Handler<R>
): Effect.Effect<number, never, R> =>
  Effect.gen(function* () {
    const { store, tokens } = parts
    const { in_flight: limit, name, types } = consuming
    const { now } = followStoreClock(store.now)
    const attempt = makeAttempt(parts, consuming, handler, now)
    yield* now
    yield* makeRescue(parts, name, now, yield* makeLeaseTakeover)(() => false)
    const leases = new Set<string>()
    const renewing = Effect.forever(
      Effect.andThen(
        Effect.sleep(Duration.millis(renewMillis)),
        Effect.suspend(() => store.renew(name, [...leases], leaseMillis))
      )
    )
    const batch = Effect.gen(function* () {
      yield* store.take(name, Limits.consumerWaiting)
      const lease_id = yield* tokens.base62(leaseDigits)
      leases.add(lease_id)
      const claimed = yield* store.claim({ name, types, lease_id, lease_millis: leaseMillis, limit })
      yield* Effect.forEach(
        claimed,
        (held) => Effect.flatMap(attempt(held), (outcome) => store.settle(name, Option.toArray(outcome))),
        { concurrency: "unbounded", discard: true }
      )
      leases.delete(lease_id)
      return claimed.length
    })
    const all = Effect.gen(function* () {
      let total = 0
      for (let size = yield* batch; size > 0; size = yield* batch) total += size
      return total
    })
    return yield* Effect.raceFirst(all, renewing)
  })

/**
 * Starts a worker of one consumer whose fibers live in the scope, and answers the effect that drains it: nothing more is
 * claimed, then handlers that run end and are recorded, for 8 seconds at most. What is left then is interrupted, and
 * recorded as that.
 */
export const startConsumerWorker = Effect.fnUntraced(function* <R>(
  parts: ConsumerParts,
  consuming: ConsumerOptions,
  handler: Handler<R>,
  scope: Scope.Scope
) {
  const { store, tokens } = parts
  const { in_flight, name, types } = consuming
  const monotonic = yield* makeMonotonic
  const outage = makeStoreOutage(`The store of consumer ${name}`)
  const [wake, stop, freed] = [yield* Latch.make(), yield* Latch.make(), yield* Latch.make()]
  const pace = makeBatchPace(stop)
  const { now } = followStoreClock(store.now)
  const context = yield* Effect.context<R>()
  const made = makeAttempt(parts, consuming, handler, now)
  const attempt = (held: ClaimedEvent) => Effect.provideContext(made(held), context)
  const takeOver = yield* makeLeaseTakeover
  const rescue = makeRescue(parts, name, now, takeOver)
  const underWay = new Map<number, Working>()
  let lookAtMillis = Number.NEGATIVE_INFINITY
  let wasHinted = true
  let wasOverdue = false

  const record = Effect.fnUntraced(function* (outcome: LeasedEvent) {
    for (let failures = 0; Option.isNone(yield* outage.watch(store.settle(name, [outcome]))); ) {
      failures += 1
      yield* Effect.sleep(Duration.millis(waitAfterMillis(failures)))
    }
  })

  const handle = (held: ClaimedEvent) =>
    Effect.flatMap(attempt(held), (outcome) => (Option.isSome(outcome) ? record(outcome.value) : Effect.void)).pipe(
      Effect.catchCause((cause) =>
        Cause.hasInterruptsOnly(cause)
          ? Effect.void
          : Effect.logError(`The attempt of event ${held.item.event_id} broke`, loggedCause(cause))
      ),
      Effect.ensuring(
        Effect.sync(() => {
          underWay.delete(held.item.position)
          freed.openUnsafe()
          wake.openUnsafe()
        })
      )
    )

  /** Claims as long as there is room and something is due. Answers how many it got. */
  const claimDue = Effect.gen(function* () {
    let total = 0
    for (let limit = in_flight - underWay.size; limit > 0; limit = in_flight - underWay.size) {
      const lease_id = yield* tokens.base62(leaseDigits)
      const claimed = yield* store.claim({ name, types, lease_id, lease_millis: leaseMillis, limit })
      for (const held of claimed) {
        const working: Working = { held, fiber: undefined }
        underWay.set(held.item.position, working)
        working.fiber = yield* Effect.forkIn(handle(held), scope)
      }
      total += claimed.length
      if (claimed.length < limit) break
    }
    return total
  })

  const round = Effect.gen(function* () {
    // Known before anything is handled: an outcome is recorded through outages, and its time is asked of nobody then.
    yield* now
    const isLook = monotonic() >= lookAtMillis
    if (isLook) yield* rescue((position) => underWay.has(position))
    if (isLook || wasHinted) {
      wasHinted = false
      yield* store.take(name, Limits.consumerWaiting)
    }
    const size = yield* claimDue
    const due = underWay.size < in_flight ? yield* store.untilDue(name) : Option.none<Duration.Duration>()
    const wait = Option.match(due, { onNone: () => lookMillis, onSome: Duration.toMillis })
    // The rest of the overdue events are leased by others, whose leases are over and not taken over yet.
    const isOverdue = wait <= 0
    lookAtMillis =
      monotonic() + (isOverdue && wasOverdue ? lookMillis : Math.min(lookMillis, Math.max(leastMillis, wait)))
    wasOverdue = isOverdue
    return size
  })

  const claiming = Effect.gen(function* () {
    takeOver.starts()
    let answeredAt = monotonic()
    for (let failures = 0; !stop.isOpen(); ) {
      wake.closeUnsafe()
      const done = yield* pace(false, outage.watch(round))
      failures = Option.isSome(done) ? 0 : failures + 1
      if (failures > 0) takeOver.storeWasAway()
      else if (monotonic() - answeredAt >= silenceMillis) takeOver.storeWasSilent()
      answeredAt = monotonic()
      yield* failures > 0 ? waitFor(stop, waitAfterMillis(failures)) : waitFor(wake, lookAtMillis - monotonic())
    }
  })

  const listening = Effect.gen(function* () {
    const hinted = yield* store.hint
    yield* hinted
    wasHinted = true
    wake.openUnsafe()
  }).pipe(Effect.forever)

  const renewing = Effect.gen(function* () {
    yield* Effect.sleep(Duration.millis(renewMillis))
    const leases = new Set([...underWay.values()].map(({ held }) => held.lease_id))
    if (leases.size > 0) yield* outage.watch(store.renew(name, [...leases], leaseMillis))
  }).pipe(Effect.forever)

  yield* Effect.forkIn(listening, scope)
  yield* Effect.forkIn(renewing, scope)
  const claimer = yield* Effect.forkIn(claiming, scope)

  const emptied = Effect.gen(function* () {
    yield* Fiber.await(claimer)
    while (underWay.size > 0) {
      freed.closeUnsafe()
      if (underWay.size > 0) yield* freed.await
    }
  })

  return Effect.gen(function* () {
    stop.openUnsafe()
    wake.openUnsafe()
    if (Option.isSome(yield* Effect.timeoutOption(emptied, Limits.drainMillis))) return
    const left = [...underWay.values()]
    // A claim that the store has not answered is all that is left: whatever it leases is free again in time.
    if (left.length === 0) return
    yield* Effect.timeoutOption(Fiber.interruptAll(left.flatMap(({ fiber }) => fiber ?? [])), recordMillis)
    const at = yield* now
    const cutOff = left.map(({ held }) => after(held, ConsumedEvent.interruption(held.item, at)))
    const recorded = yield* Effect.timeoutOption(Effect.exit(store.settle(name, cutOff)), recordMillis)
    const isRecorded = Option.exists(recorded, Exit.isSuccess)
    yield* Effect.logWarning(
      `${left.length} events of consumer ${name} were cut off by the stop; ${isRecorded ? "they are handled again" : "their leases will run out"}`
    )
  })
})
