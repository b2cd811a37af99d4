import { Effect } from "effect"
import fc from "fast-check"
import { listing, Status } from "../../domain/payments/Invoice.ts"
import { InvoiceStore } from "../../ports/payments/InvoiceStore.ts"
import * as Generators from "../Generators.ts"
import { recordStore } from "./RecordStores.ts"
import { dayNumber, freshInvoiceId, invoiceOf, newSubscription } from "./SubscriptionRecords.ts"
import { same, type Thoroughness } from "./Suite.ts"

/** The laws of {@link InvoiceStore}. */
export const invoices = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "invoices",
    port: InvoiceStore,
    arbitrary: Generators.invoice,
    fresh: freshInvoiceId,
    parents: (organisation_id) => Effect.map(newSubscription(organisation_id), ({ id }) => ({ subscription_id: id })),
    unique: [
      {
        field: "due_on",
        must: "InvoiceStore MUST be taken once.",
        value: { due_on: dayNumber(0) },
        within: ({ subscription_id }) => ({ subscription_id })
      }
    ],
    list: { spec: listing, few: fc.record({ status: fc.constantFrom(...Status.literals) }) }
  })(({ law }) => [
    law("a recurring gift's open ones are those that may be paid still, by their due days", function* ({ store, id }) {
      const [subscription, other] = [yield* newSubscription(id), yield* newSubscription(id)]
      const days = [5, 2, 9]
      for (const day of days) yield* store.insert(yield* invoiceOf(subscription, { due_on: dayNumber(day) }))
      yield* store.insert(yield* invoiceOf(subscription, { due_on: dayNumber(3), status: "PAID" }))
      yield* store.insert(yield* invoiceOf(subscription, { due_on: dayNumber(4), status: "FAILED" }))
      yield* store.insert(yield* invoiceOf(other, { due_on: dayNumber(6) }))
      const open = yield* store.openOf(id, subscription.id)
      same(
        open.map(({ due_on }) => due_on),
        [2, 5, 9].map(dayNumber)
      )
    })
  ])
