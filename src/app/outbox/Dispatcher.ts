import { Context, type DateTime, Effect, Exit, Layer, Option, Scope } from "effect"
import { loggedCause } from "../../ports/kernel/LoggedCause.ts"
import type { Claimed, Settled } from "../../ports/outbox/DeliveryStore.ts"
import { Journal } from "../access/steps/Journal.ts"
import { monotonicMillis } from "../kernel/steps/Monotonic.ts"
import type { Lease } from "./steps/DeliveryLease.ts"
import { makeDeliverySlots } from "./steps/DeliverySlots.ts"
import { attemptUnder, makeDeliveryParts, startDeliveryWorker } from "./steps/DeliveryWorker.ts"

/**
 * Delivers webhooks: claims what is due, signs and sends it, and records what came of it. Any number of processes may run
 * one over the same store. reliability, Events and deliveries; decisions, section 5: Webhook delivery.
 *
 * A store that no other process can have open (the embedded database's locked folder) is told by its composition, before
 * a dispatcher runs, that all leases are over (`DeliveryStore.releaseAll`). Without that the deliveries that were under way
 * when the process died wait for the rest of their lease, 20 seconds at most.
 *
 * @example
 * ```ts
 * const program = Dispatcher.Dispatcher.use(({ deliverDue }) => deliverDue)
 * ```
 */
export class Dispatcher extends Context.Service<Dispatcher>()("almoner/app/Dispatcher", {
  make: Effect.gen(function* () {
    const parts = yield* makeDeliveryParts

    /**
     * Delivers for as long as it is not interrupted; to be forked in a scope. It outlives any outage of the store. When it
     * is interrupted it claims nothing more, lets what is under way end, records that, and gives up after 8 seconds: what
     * is cut off then is recorded as `interrupted`, here or by whoever finds its lease expired.
     */
    const run: Effect.Effect<never> = Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const drain = yield* startDeliveryWorker(parts, scope)
        const close = Effect.andThen(drain, Scope.close(scope, Exit.void))
        return yield* Effect.ensuring(restore(Effect.never), close)
      })
    )

    const attempt = (claimed: Claimed, lease: Lease): Effect.Effect<Option.Option<Settled>> =>
      Effect.matchCauseEffect(attemptUnder(parts, claimed, lease), {
        onSuccess: (outcome) => Effect.succeedSome(outcome),
        onFailure: (cause) =>
          Effect.as(
            Effect.logError(`The attempt of delivery ${claimed.delivery.id} broke`, loggedCause(cause)),
            Option.none()
          )
      })

    /** One claim, its exchanges side by side, and their record. Uninterruptible: an exchange ends within 10 seconds. */
    const deliverBatch = Effect.fnUntraced(function* (due: DateTime.Utc) {
      const slots = makeDeliverySlots(parts.capacity)
      const asked = slots.ask(yield* monotonicMillis)
      if (asked === undefined) return 0
      const { claimed, lease } = yield* parts.claims.claim(asked, due)
      if (claimed.length === 0) return 0
      const outcomes = yield* Effect.forEach(claimed, (each) => attempt(each, lease), { concurrency: "unbounded" })
      yield* parts.store.settle(outcomes.flatMap(Option.toArray))
      return claimed.length
    }, Effect.uninterruptible)

    /**
     * Delivers everything that is due at this moment, records it, and answers how many attempts that took. For hosts with a
     * job runner of their own, in place of {@link run}. An interruption takes effect between batches. Dies when the store
     * is away, and may then be called again.
     */
    const deliverDue: Effect.Effect<number> = Effect.gen(function* () {
      yield* parts.rescuer.rescue(0, () => false)
      const due = yield* parts.store.now
      let total = 0
      for (let size = yield* deliverBatch(due); size > 0; size = yield* deliverBatch(due)) total += size
      yield* parts.disableFailing
      return total
    })

    return { run, deliverDue } as const
  })
}) {
  static readonly layer = Layer.provide(Layer.effect(this, this.make), Journal.layer)
}
