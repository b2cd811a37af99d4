import { Context, DateTime, Effect, Layer } from "effect"
import { reads, writes } from "../../domain/access/Policy.ts"
import { SubscriptionId } from "../../domain/kernel/Ids.ts"
import { type ListQuery, within } from "../../domain/kernel/Listing.ts"
import * as Invoice from "../../domain/payments/Invoice.ts"
import * as Subscription from "../../domain/payments/Subscription.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { InvoiceStore } from "../../ports/payments/InvoiceStore.ts"
import { SubscriptionStore } from "../../ports/payments/SubscriptionStore.ts"
import { checkedInTime } from "../access/steps/Checked.ts"
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
  listInvoices: reads("subscriptions.list_invoices"),
  cancel: writes("subscriptions.cancel")
}

/**
 * What each use case takes: the service refuses anything else.
 * @example Schema.is(Subscriptions.takes.read[0].schema)(donation_id) // => false
 */
export const takes = {
  read: [subscriptionId],
  list: [query(Subscription.listing)],
  listInvoices: [subscriptionId, query(Invoice.listing)],
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
    const invoices = yield* InvoiceStore
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

    /** A page of its invoices, those that were paid and given up among them. */
    const listInvoices = Effect.fn("Subscriptions.listInvoices")(function* (id: SubscriptionId, query: ListQuery) {
      const { organisation } = yield* permitted(asks.listInvoices)
      yield* store.find(organisation.id, id).pipe(orNotFound(record, id))
      return yield* invoices.list(organisation.id, within(query, "subscription_id", id))
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

    return yield* checkedInTime(asks, takes, { read, list, listInvoices, cancel })
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
