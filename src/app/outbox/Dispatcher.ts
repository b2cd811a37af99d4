import { Context, type DateTime, Effect, Exit, Layer, Option, Scope } from "effect"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { loggedCause } from "../../ports/kernel/LoggedCause.ts"
import type { AttemptResult, ClaimedDelivery, Shares } from "../../ports/outbox/DeliveryStore.ts"
import { ChangeLog } from "../access/change/Change.ts"
import { monotonicMillis } from "../kernel/time/Monotonic.ts"
import type { Lease } from "./delivery/DeliveryLease.ts"
import { makeDeliverySlots } from "./delivery/DeliverySlots.ts"
import { attemptUnder, makeDeliveryParts, startDeliveryWorker } from "./delivery/DeliveryWorker.ts"
import { SandboxDelivery } from "./sandbox/SandboxWork.ts"

/**
 * Delivers webhooks: claims what is due, signs and sends it, and records what came of it. Any number of processes may run
 * one over the same store. reliability, Events and deliveries; decisions, section 5: Webhook delivery.
 *
 * A store that no other process can have open (the embedded database's locked folder) is told by its composition, before
 * a dispatcher runs, that all leases are over (`DeliveryStore.releaseAll`). Without that the deliveries that were under way
 * when the process died wait for the rest of their lease, 20 seconds at most.
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

    /** Room for deliveries of one organisation, and for nobody else's. */
    const alone = (organisation_id: OrganisationId): Shares<OrganisationId> => ({
      known: new Map([[organisation_id, { room: parts.capacity.perOrganisation, under_way: 0 }]]),
      others: 0
    })

    const attempt = (claimed: ClaimedDelivery, lease: Lease): Effect.Effect<Option.Option<AttemptResult>> =>
      Effect.matchCauseEffect(attemptUnder(parts, claimed, lease), {
        onSuccess: (outcome) => Effect.succeedSome(outcome),
        onFailure: (cause) =>
          Effect.as(
            Effect.logError(`The attempt of delivery ${claimed.delivery.id} broke`, loggedCause(cause)),
            Option.none()
          )
      })

    const none = { claimed: 0, attempted: 0 } as const

    /** One claim, its exchanges side by side, and their record. Uninterruptible: an exchange ends within 10 seconds. */
    const deliverBatch = Effect.fnUntraced(function* (due: DateTime.Utc, only?: OrganisationId) {
      const slots = makeDeliverySlots(parts.capacity)
      const all = slots.ask(yield* monotonicMillis)
      if (all === undefined) return none
      const asked = only === undefined ? all : { ...all, organisations: alone(only) }
      const { claimed, lease } = yield* parts.claims.claim(asked, due)
      if (claimed.length === 0) return none
      const outcomes = yield* Effect.forEach(claimed, (each) => attempt(each, lease), { concurrency: "unbounded" })
      const settled = outcomes.flatMap(Option.toArray)
      yield* parts.store.settle(settled)
      return { claimed: claimed.length, attempted: settled.length }
    }, Effect.uninterruptible)

    /**
     * Delivers everything that is due at this moment, records it, and answers how many attempts that took; one that broke here
     * is none, and is made anew when its lease is over. For hosts with a
     * job runner of their own, in place of {@link run}. An interruption takes effect between batches. Dies when the store
     * is away, and may then be called again.
     */
    const deliverDue: Effect.Effect<number> = Effect.gen(function* () {
      yield* parts.rescuer.rescue(0, () => false)
      const due = yield* parts.store.now
      let total = 0
      for (let batch = yield* deliverBatch(due); batch.claimed > 0; batch = yield* deliverBatch(due)) {
        total += batch.attempted
      }
      yield* parts.disableFailing
      return total
    })

    /** As {@link deliverDue}, of one organisation alone: what others' workers have under way is theirs. */
    const deliverDueOf = Effect.fnUntraced(function* (organisation_id: OrganisationId, isOver: Effect.Effect<boolean>) {
      const due = yield* parts.store.now
      const batch = deliverBatch(due, organisation_id)
      let total = 0
      while (!(yield* isOver)) {
        const { attempted, claimed } = yield* batch
        if (claimed === 0) break
        total += attempted
      }
      return total
    })

    return { run, deliverDue, deliverDueOf } as const
  })
}) {
  static readonly layer = Layer.provide(Layer.effect(this, this.make), ChangeLog.layer)
}

/** Has a sandbox whose clock is moved send its own webhooks in between. */
export const sandboxDelivery = Layer.effect(
  SandboxDelivery,
  Effect.map(Dispatcher, ({ deliverDueOf }) => deliverDueOf)
).pipe(Layer.provide(Dispatcher.layer))
