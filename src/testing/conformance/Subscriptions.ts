import { Effect } from "effect"
import fc from "fast-check"
import * as Invoice from "../../domain/payments/Invoice.ts"
import * as Mandate from "../../domain/payments/Mandate.ts"
import * as Subscription from "../../domain/payments/Subscription.ts"
import { ChargeStore } from "../../ports/payments/ChargeStore.ts"
import { InvoiceStore } from "../../ports/payments/InvoiceStore.ts"
import { MandateStore } from "../../ports/payments/MandateStore.ts"
import { SubscriptionStore } from "../../ports/payments/SubscriptionStore.ts"
import * as Generators from "../Generators.ts"
import { donorReferences } from "./DonorReferences.ts"
import { dueBy, dueRecords } from "./DueRecords.ts"
import { dayNumber, invoiceOf, mandateOf, newDonor, newSubscription, subscriptionOf } from "./MoneyRecords.ts"
import { recordStore } from "./RecordStores.ts"
import { freshId, newOrganisation } from "./Records.ts"
import { byId, runsOf, same, type Thoroughness } from "./Suite.ts"

/** Recurring gifts, and the present that they are due by. */
const giftStore = Effect.map(Effect.all([SubscriptionStore, ChargeStore]), ([gifts, { now }]) => ({ ...gifts, now }))

/** The laws of {@link SubscriptionStore}. */
export const subscriptions = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "recurring gifts",
    port: SubscriptionStore,
    arbitrary: Generators.subscription,
    schema: Subscription.Subscription,
    fresh: freshId("subscription"),
    parents: Effect.fnUntraced(function* (organisation_id) {
      const { donor_id, integration_id } = yield* subscriptionOf(yield* newDonor(organisation_id))
      return { donor_id, integration_id }
    }),
    idle: { look_at: null },
    list: { spec: Subscription.listing, few: fc.record({ status: fc.constantFrom(...Subscription.Status.literals) }) }
  })(({ law }) => [
    law("the lasting ones of a donor are all that have not ended, and no other donor's", function* ({ store, id }) {
      const [donor, other] = [yield* newDonor(id), yield* newDonor(id)]
      const made = yield* Effect.forEach(Subscription.Status.literals, (status) =>
        Effect.tap(subscriptionOf(donor, { status }), store.insert)
      )
      yield* store.insert(yield* subscriptionOf(other))
      const lasting = made.filter(({ status }) => status !== "CANCELLED").map((each) => each.id)
      same(yield* store.lastingOf((yield* newOrganisation()).id, other.id), [])
      same(yield* store.lastingOf(id, donor.id), lasting.toSorted())
    }),

    ...dueRecords(
      {
        name: "recurring gifts",
        must: "SubscriptionStore.claim MUST give one to one worker only for as long as lease, by moving its look_at to the end of it; from then on it is due again.",
        port: giftStore,
        make: dueBy(giftStore, "look_at", newSubscription),
        find: ({ id, organisation_id }: Subscription.Subscription) =>
          SubscriptionStore.use((store) => store.find(organisation_id, id)),
        field: "look_at"
      },
      Math.min(runsOf(given), 5)
    ),

    donorReferences({
      name: "recurring gifts",
      make: (donor) => Effect.forEach(Subscription.Status.literals, (status) => subscriptionOf(donor, { status })),
      port: SubscriptionStore
    })
  ])

/** The laws of {@link MandateStore}. */
export const mandates = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "mandates",
    port: MandateStore,
    arbitrary: Generators.mandate,
    schema: Mandate.Mandate,
    fresh: freshId("mandate"),
    parents: (organisation_id) => Effect.map(newSubscription(organisation_id), ({ id }) => ({ subscription_id: id })),
    list: { spec: Mandate.listing, few: fc.record({ status: fc.constantFrom(...Mandate.Status.literals) }) }
  })(({ must }) => [
    must(
      "mandates of all organisations are found by their reference at the processor of their account, revoked or not",
      ["MandateStore.ofReference MUST find those that are revoked, too."],
      function* ({ store }) {
        const reference = yield* freshId("request")
        const kept = yield* Effect.forEach(
          Mandate.Status.literals,
          Effect.fnUntraced(function* (status) {
            const { id: organisation_id } = yield* newOrganisation()
            const [named, other] = [yield* newSubscription(organisation_id), yield* newSubscription(organisation_id)]
            const mandate: Mandate.Mandate = { ...mandateOf(named), status, reference }
            yield* store.insert(mandate)
            yield* store.insert({ ...mandateOf(other), reference: null })
            return mandate
          })
        )
        const found = yield* store.ofReference("test", reference)
        same(byId(found), byId(kept))
        same(yield* store.ofReference("other", reference), [])
        same(yield* store.ofReference("test", `${reference}x`), [])
      }
    )
  ])

/** The laws of {@link InvoiceStore}. */
export const invoices = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "invoices",
    port: InvoiceStore,
    arbitrary: Generators.invoice,
    schema: Invoice.Invoice,
    fresh: freshId("invoice"),
    parents: (organisation_id) => Effect.map(newSubscription(organisation_id), ({ id }) => ({ subscription_id: id })),
    unique: [
      {
        field: "due_on",
        must: "InvoiceStore MUST be taken once.",
        value: { due_on: dayNumber(0) },
        within: ({ subscription_id }) => ({ subscription_id })
      }
    ],
    list: { spec: Invoice.listing, few: fc.record({ status: fc.constantFrom(...Invoice.Status.literals) }) }
  })(({ law }) => [
    law("a recurring gift's open ones are those that may be paid still, by their due days", function* ({ store, id }) {
      const [subscription, other] = [yield* newSubscription(id), yield* newSubscription(id)]
      const due = yield* Effect.forEach([2, 5, 9], (day) => invoiceOf(subscription, { due_on: dayNumber(day) }))
      for (const index of [1, 0, 2]) yield* Effect.forEach(due.slice(index, index + 1), store.insert)
      yield* store.insert(yield* invoiceOf(subscription, { due_on: dayNumber(3), status: "PAID" }))
      yield* store.insert(yield* invoiceOf(subscription, { due_on: dayNumber(4), status: "FAILED" }))
      yield* store.insert(yield* invoiceOf(other, { due_on: dayNumber(6) }))
      same(yield* store.openOf((yield* newOrganisation()).id, other.id), [])
      same(yield* store.openOf(id, subscription.id), due)
    })
  ])
