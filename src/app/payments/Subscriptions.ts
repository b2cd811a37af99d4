import { Effect } from "effect"
import { type OrganisationId, SubscriptionId } from "../../domain/kernel/Ids.ts"
import { type ListQuery, within } from "../../domain/kernel/Listing.ts"
import { Answer, storedAnswer } from "../../domain/payments/DonorCancellation.ts"
import * as Invoice from "../../domain/payments/Invoice.ts"
import { InvoiceRecord } from "../../domain/payments/Invoice.ts"
import * as Subscription from "../../domain/payments/Subscription.ts"
import { SubscriptionRecord } from "../../domain/payments/Subscription.ts"
import { organisationNow } from "../../ports/kernel/AheadClock.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { InvoiceStore } from "../../ports/payments/InvoiceStore.ts"
import { SubscriptionStore } from "../../ports/payments/SubscriptionStore.ts"
import { requireScope, requireStaff } from "../access/caller/CallerContext.ts"
import { id, operationsOf, optionalBody, pageOf, query } from "../access/operation/Operation.ts"
import * as Row from "../access/operation/OperationRow.ts"
import { serviceInOrganisationTime } from "../access/operation/ServiceChecks.ts"
import { Service } from "../kernel/service/Service.ts"
import { orNotFound } from "../kernel/store/RecordChecks.ts"
import { type EndReason, endingFor, makeSubscriptionChange } from "./subscription/SubscriptionOutcome.ts"

const record = "subscription"

const subscriptionId = id(SubscriptionId, record)

const requested = endingFor("cancellation_requested")

const operations = Row.table("subscriptions", {
  read: Row.read("Read a recurring gift", [subscriptionId], SubscriptionRecord),
  list: Row.list("List recurring gifts", Subscription.listing, SubscriptionRecord),
  listInvoices: Row.read(
    "List a recurring gift's invoices",
    [subscriptionId, query(Invoice.listing)],
    pageOf(InvoiceRecord)
  ),
  cancel: Row.change("Cancel a recurring gift", [subscriptionId], SubscriptionRecord),
  cancelByDonor: Row.staffChange(
    "End a recurring gift that its donor ended in a portal, with the answer that the donor gave",
    [subscriptionId, optionalBody(Answer)],
    SubscriptionRecord
  )
})

/** Shows recurring gifts, and ends them. money, section 7. */
export class Subscriptions extends Service<Subscriptions>()("almoner/app/Subscriptions", function* () {
  const invoices = yield* InvoiceStore
  const change = yield* makeSubscriptionChange
  const store = yield* SubscriptionStore
  const transaction = yield* Transaction

  const read = Effect.fn("Subscriptions.read")(function* (id: SubscriptionId) {
    const { organisation } = yield* requireScope(operations.read)
    return Subscription.recordOf(yield* store.find(organisation.id, id).pipe(orNotFound(record, id)))
  })

  const list = Effect.fn("Subscriptions.list")(function* (query: ListQuery) {
    const { organisation } = yield* requireScope(operations.list)
    const page = yield* store.list(organisation.id, query)
    return { ...page, data: page.data.map(Subscription.recordOf) }
  })

  /** A page of its invoices, those that were paid and given up among them. */
  const listInvoices = Effect.fn("Subscriptions.listInvoices")(function* (id: SubscriptionId, query: ListQuery) {
    const { organisation } = yield* requireScope(operations.listInvoices)
    yield* store.find(organisation.id, id).pipe(orNotFound(record, id))
    return yield* invoices.list(organisation.id, within(query, "subscription_id", id))
  })

  const end = Effect.fnUntraced(function* (
    operation: string,
    organisation_id: OrganisationId,
    id: SubscriptionId,
    ending: EndReason
  ) {
    const held = yield* store.findForUpdate(organisation_id, id).pipe(orNotFound(record, id))
    return Subscription.recordOf(yield* change.end(operation, held, ending, yield* organisationNow))
  })

  /**
   * Ends a recurring gift on behalf of staff (`cancellation_requested`): it is charged no more. A charge that is under way
   * settles as it settles. Fails with {@link IllegalTransition} where it ended before.
   */
  const cancel = Effect.fn("Subscriptions.cancel")(function* (id: SubscriptionId) {
    const { organisation } = yield* requireScope(operations.cancel)
    return yield* end(operations.cancel.requires.name, organisation.id, id, requested)
  }, transaction.run)

  /**
   * Ends a recurring gift that its donor ended in the portal, as {@link cancel} does, with the donor's answer where there
   * is one: a portal knows who the donor is, and asks here. Fails with {@link InvalidInput} for words without a reason.
   * money, section 7; service-spec, subscription.* data.
   */
  const cancelByDonor = Effect.fn("Subscriptions.cancelByDonor")(function* (id: SubscriptionId, answer: Answer) {
    const { organisation } = yield* requireStaff(operations.cancelByDonor)
    const ending = { ...requested, ...(yield* Effect.fromResult(storedAnswer(answer))) }
    return yield* end(operations.cancelByDonor.requires.name, organisation.id, id, ending)
  }, transaction.run)

  return yield* serviceInOrganisationTime(operations, { read, list, listInvoices, cancel, cancelByDonor })
}) {}

/** The operations of {@link Subscriptions}. */
export const subscriptionOperations = operationsOf(Subscriptions, operations)
