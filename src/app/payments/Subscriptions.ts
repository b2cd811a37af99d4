import { Context, DateTime, Effect, Layer } from "effect"
import { reads, writes } from "../../domain/access/Policy.ts"
import { SubscriptionId } from "../../domain/kernel/Ids.ts"
import type { ListQuery } from "../../domain/kernel/Listing.ts"
import * as Subscription from "../../domain/payments/Subscription.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { SubscriptionStore } from "../../ports/payments/SubscriptionStore.ts"
import { checked } from "../access/steps/Checked.ts"
import { id, query } from "../access/steps/Operation.ts"
import { permitted } from "../access/steps/Permission.ts"
import { orNotFound } from "../kernel/steps/RecordChecks.ts"
import { endingFor, makeSubscriptionChange } from "./steps/SubscriptionChange.ts"

const record = "subscription"

const subscriptionId = id(SubscriptionId, record)

/**
 * The scope and plan that each operation requires. money, section 7.
 *
 * @example
 * ```ts
 * Subscriptions.asks.cancel
 * // => { who: "caller", name: "subscriptions.cancel", scope: "WRITE", plan: "FREE" }
 * ```
 */
export const asks = {
  read: reads("subscriptions.read"),
  list: reads("subscriptions.list"),
  cancel: writes("subscriptions.cancel")
}

/**
 * What each use case takes: the service refuses anything else.
 * @example Schema.is(Subscriptions.takes.read[0].schema)(donation_id) // => false
 */
export const takes = {
  read: [subscriptionId],
  list: [query(Subscription.listing)],
  cancel: [subscriptionId]
} as const

/**
 * Shows recurring gifts, and ends them. money, section 7.
 *
 * @example
 * ```ts
 * const program = Subscriptions.Subscriptions.use((subscriptions) => subscriptions.cancel(subscription.id))
 * ```
 */
export class Subscriptions extends Context.Service<Subscriptions>()("almoner/app/Subscriptions", {
  make: Effect.gen(function* () {
    const change = yield* makeSubscriptionChange
    const store = yield* SubscriptionStore
    const transaction = yield* Transaction

    const read = Effect.fn("Subscriptions.read")(function* (id: SubscriptionId) {
      const { organisation } = yield* permitted(asks.read)
      return Subscription.recordOf(yield* store.find(organisation.id, id).pipe(orNotFound(record, id)))
    })

    const list = Effect.fn("Subscriptions.list")(function* (query: ListQuery) {
      const { organisation } = yield* permitted(asks.list)
      const page = yield* store.list(organisation.id, query)
      return { ...page, data: page.data.map(Subscription.recordOf) }
    })

    /**
     * Ends a recurring gift on behalf of staff (`cancellation_requested`): it is charged no more. A charge that is under way
     * settles as it settles. Fails with {@link IllegalTransition} where it ended before.
     */
    const cancel = Effect.fn("Subscriptions.cancel")(function* (id: SubscriptionId) {
      const { organisation } = yield* permitted(asks.cancel)
      const held = yield* store.findForUpdate(organisation.id, id).pipe(orNotFound(record, id))
      const at = yield* DateTime.now
      return Subscription.recordOf(yield* change.end(asks.cancel.name, held, endingFor("cancellation_requested"), at))
    }, transaction.run)

    return checked(asks, takes, { read, list, cancel })
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
