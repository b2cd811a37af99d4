import { Effect, Option } from "effect"
import fc from "fast-check"
import { type Invoice, listing, Status } from "../../domain/payments/Invoice.ts"
import type { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import type { DonorStore } from "../../ports/giving/DonorStore.ts"
import type { Transaction } from "../../ports/kernel/Transaction.ts"
import { InvoiceStore } from "../../ports/payments/InvoiceStore.ts"
import type { SubscriptionStore } from "../../ports/payments/SubscriptionStore.ts"
import * as Generators from "../Generators.ts"
import { holding } from "./Holding.ts"
import { lists } from "./Lists.ts"
import { at, newOrganisation } from "./Records.ts"
import { dayNumber, freshInvoiceId, invoiceOf, newSubscription } from "./SubscriptionRecords.ts"
import { type Check, forAll, law, must, none, runsOf, same, type Thoroughness } from "./Suite.ts"

/** The ports that the checks use. */
type Needs = DonorStore | IntegrationStore | InvoiceStore | OrganisationStore | SubscriptionStore | Transaction

const draft = fc
  .tuple(Generators.invoice, fc.record({ status: fc.constantFrom(...Status.literals), created_at: fc.nat(3).map(at) }))
  .map(([invoice, given]): Invoice => ({ ...invoice, ...given }))

/**
 * The laws of {@link InvoiceStore}.
 */
export const invoices = (given: Thoroughness = {}): ReadonlyArray<Check<Needs>> => [
  must(
    "an invoice is read back as it was written, and after an update, by its own organisation only",
    [
      "RecordReader MUST see the named organisation's records only",
      "RecordStore.update MUST write all fields of the record that has the same organisation and id"
    ],
    () =>
      forAll(
        runsOf(given),
        fc.tuple(Generators.invoice, Generators.invoice),
        Effect.fnUntraced(function* (written) {
          const store = yield* InvoiceStore
          const [{ id: organisation_id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
          const { id: subscription_id } = yield* newSubscription(organisation_id)
          const id = yield* freshInvoiceId
          for (const [index, each] of written.entries()) {
            const record = { ...each, id, organisation_id, subscription_id }
            yield* index === 0 ? store.insert(record) : store.update(record)
            same(yield* store.find(organisation_id, id), Option.some(record))
            same(yield* store.findForUpdate(organisation_id, id), Option.some(record))
            none(yield* store.find(other.id, id))
          }
        })
      )
  ),

  must(
    "a due day of a recurring gift has one invoice; another day and another gift have their own",
    ["InvoiceStore MUST be taken once."],
    () =>
      Effect.gen(function* () {
        const store = yield* InvoiceStore
        const { id } = yield* newOrganisation()
        const [subscription, other] = [yield* newSubscription(id), yield* newSubscription(id)]
        yield* store.insert(yield* invoiceOf(subscription))
        yield* store.insert(yield* invoiceOf(other))
        yield* store.insert(yield* invoiceOf(subscription, { due_on: dayNumber(1) }))
        const taken = yield* Effect.flip(store.insert(yield* invoiceOf(subscription)))
        same([taken._tag, taken.field], ["AlreadyTaken", "due_on"])
      })
  ),

  law("the open ones of a recurring gift are those that may be paid still, by their due days", () =>
    Effect.gen(function* () {
      const store = yield* InvoiceStore
      const { id } = yield* newOrganisation()
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
  ),

  ...lists(
    {
      name: "invoices",
      spec: listing,
      draft,
      store: Effect.fnUntraced(function* (organisation_id, drafted) {
        const { id: subscription_id } = yield* newSubscription(organisation_id)
        const invoice: Invoice = { ...drafted, id: yield* freshInvoiceId, organisation_id, subscription_id }
        yield* Effect.orDie((yield* InvoiceStore).insert(invoice))
        return invoice
      }),
      list: (organisation_id, query) => InvoiceStore.use((store) => store.list(organisation_id, query)),
      columns: (invoice) => invoice
    },
    runsOf(given)
  ),

  holding({
    name: "an invoice",
    must: "RecordStore.findForUpdate MUST hold the row against every change until the surrounding transaction ends",
    make: Effect.gen(function* () {
      const subscription = yield* newSubscription((yield* newOrganisation()).id)
      return yield* Effect.tap(invoiceOf(subscription), (yield* InvoiceStore).insert)
    }).pipe(Effect.orDie),
    findForUpdate: ({ id, organisation_id }) => InvoiceStore.use((store) => store.findForUpdate(organisation_id, id)),
    update: (invoice) => Effect.orDie(InvoiceStore.use((store) => store.update(invoice))),
    count: ({ failures }) => failures,
    counted: (invoice, failures) => ({ ...invoice, failures })
  })
]
