import { Effect, type Latch, Option, Queue } from "effect"
import type { AttemptResult, DeliveryStore } from "../../../ports/outbox/DeliveryStore.ts"
import { type StoreOutage, waitAfterMillis } from "../../kernel/store/StoreOutage.ts"
import { isWorthwhile, makeBatchPace } from "../../kernel/time/BatchPace.ts"

/** Tries of one outcome on a store that answers otherwise, before its lease is left to run out. */
const triesOfOne = 5

export interface DeliveryCompleter {
  /** Keeps an outcome until it is recorded. */
  readonly offer: (outcome: AttemptResult) => void
  /** Records outcomes as they come, all that are there with one call. Never ends. */
  readonly run: Effect.Effect<never>
}

/**
 * Makes a completer. What cannot be recorded while the store is away is kept. An outcome that the store refuses while it
 * answers reads holds up neither the others of its batch nor those after it. `onEnd` gets what is recorded or given up.
 * Once `stop` is open nothing waits for company.
 */
export const makeDeliveryCompleter = Effect.fnUntraced(function* (
  store: DeliveryStore["Service"],
  outage: StoreOutage,
  stop: Latch.Latch,
  onEnd: (outcomes: ReadonlyArray<AttemptResult>) => void
) {
  const queue = yield* Queue.unbounded<AttemptResult>()
  const pace = makeBatchPace(stop)

  const giveUp = ([outcome]: ReadonlyArray<AttemptResult>) =>
    Effect.logError(`The outcome of delivery ${outcome?.delivery.id} cannot be recorded; its lease will run out`)

  const settle = Effect.fnUntraced(function* (batch: ReadonlyArray<AttemptResult>): Effect.fn.Return<void> {
    let refusals = 0
    for (let failures = 1; Option.isNone(yield* outage.watch(store.settle(batch))); failures++) {
      yield* Effect.sleep(waitAfterMillis(failures))
      const answersReads = Option.isSome(yield* outage.watch(store.now))
      refusals = answersReads ? refusals + 1 : 0
      if (answersReads && batch.length > 1) {
        const middle = Math.ceil(batch.length / 2)
        yield* settle(batch.slice(0, middle))
        return yield* settle(batch.slice(middle))
      }
      if (refusals >= triesOfOne) {
        yield* giveUp(batch)
        break
      }
    }
    onEnd(batch)
  })

  const gathered = Effect.fnUntraced(function* (first: ReadonlyArray<AttemptResult>) {
    // Exchanges that ended in the same turn of the loop are recorded together.
    yield* Effect.yieldNow
    yield* settle([...first, ...(yield* Queue.clear(queue))])
  })

  const run = Effect.gen(function* () {
    const first = yield* Queue.takeAll(queue)
    yield* pace(isWorthwhile(first.length), gathered(first))
  }).pipe(Effect.forever)

  const completer: DeliveryCompleter = { offer: (outcome) => Queue.offerUnsafe(queue, outcome), run }
  return completer
})
