import { InvoiceRecord } from "../../../domain/payments/Invoice.ts"
import { SubscriptionRecord } from "../../../domain/payments/Subscription.ts"
import { operationsOf, pageOf } from "../../access/steps/Operation.ts"
import { asks, Subscriptions, takes } from "../Subscriptions.ts"

const subscriptions = operationsOf(Subscriptions)

/** The operations of {@link Subscriptions}. */
export const subscriptionOperations = {
  read: subscriptions.forCaller({
    asks: asks.read,
    takes: takes.read,
    gives: SubscriptionRecord,
    run: (use, id) => use.read(id)
  }),
  list: subscriptions.forCaller({
    asks: asks.list,
    takes: takes.list,
    gives: pageOf(SubscriptionRecord),
    run: (use, asked) => use.list(asked)
  }),
  listInvoices: subscriptions.forCaller({
    asks: asks.listInvoices,
    takes: takes.listInvoices,
    gives: pageOf(InvoiceRecord),
    run: (use, subscription, asked) => use.listInvoices(subscription, asked)
  }),
  cancel: subscriptions.forCaller({
    asks: asks.cancel,
    keyed: true,
    takes: takes.cancel,
    gives: SubscriptionRecord,
    run: (use, id) => use.cancel(id)
  }),
  cancelByDonor: subscriptions.forOperator({
    says: "End a recurring gift that its donor ended in a portal, with the answer that the donor gave",
    example: [
      "sub_01jqz6x8h4e5vb9m2k7ncw3t5d",
      { donor_cancel_reason_code: "cost", donor_cancel_reason: "We give less this year." }
    ],
    asks: asks.cancelByDonor,
    takes: takes.cancelByDonor,
    gives: SubscriptionRecord,
    run: (use, id, answer) => use.cancelByDonor(id, answer)
  })
}
