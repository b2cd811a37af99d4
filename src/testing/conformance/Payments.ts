import { Effect, Option } from "effect"
import fc from "fast-check"
import type { DonorId, OrganisationId } from "../../domain/kernel/Ids.ts"
import * as Payment from "../../domain/sharing/Payment.ts"
import { PaymentStore } from "../../ports/sharing/PaymentStore.ts"
import { RecommendationSetStore } from "../../ports/sharing/RecommendationSetStore.ts"
import * as Generators from "../Generators.ts"
import { donorReferences } from "./DonorReferences.ts"
import { newDonor, newLink, paymentOf, setOf } from "./MoneyRecords.ts"
import { recordStore } from "./RecordStores.ts"
import { at, freshId, newOrganisation } from "./Records.ts"
import { runsOf, same, type Thoroughness } from "./Suite.ts"

/** A stored set of the organisation, with the links that its payments go to. */
const newSet = Effect.fnUntraced(function* (organisation_id: OrganisationId) {
  const recipient = yield* newOrganisation()
  const links = [yield* newLink(organisation_id, recipient), yield* newLink(organisation_id, recipient)]
  const set = yield* setOf(organisation_id, links)
  yield* Effect.orDie((yield* RecommendationSetStore).insert(set))
  return { set, links }
})

type NewSet = Effect.Success<ReturnType<typeof newSet>>

const pay = Effect.fnUntraced(function* ({ links, set }: NewSet, given: Partial<Payment.Payment> = {}) {
  const payment = yield* paymentOf(set, links, given)
  yield* (yield* PaymentStore).insert(payment)
  return payment
})

/** The payment's transfers, each going to one of the set's links. */
const transfersTo = ({ links }: NewSet, { allocations }: Payment.Payment) =>
  Effect.forEach(
    allocations,
    Effect.fnUntraced(function* (transfer, index) {
      const link = links[index % links.length]
      if (link === undefined) return transfer
      const id = yield* freshId("paymentAllocation")
      const { id: recipient_org_account_link_id, recipient_organisation_id } = link
      return { ...transfer, id, recipient_org_account_link_id, recipient_organisation_id }
    })
  )

/** A payment to no set that is not stored yet. */
const unlinkedPayment = Effect.fnUntraced(function* (organisation_id: OrganisationId, given: Partial<Payment.Payment>) {
  const payment = yield* paymentOf(yield* setOf(organisation_id, []), [], given)
  return { ...payment, recommendation_set_id: null, total_amount_cents: 1 }
})

const amounts = fc.array(
  fc.record({
    payment_status: fc.constantFrom(...Payment.Status.literals),
    total_amount_cents: fc.integer({ min: 1, max: 1_000_000_000 })
  }),
  { maxLength: 12 }
)

/** The laws of {@link PaymentStore}. */
export const payments = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "payments",
    port: PaymentStore,
    arbitrary: Generators.payment,
    schema: Payment.Payment,
    fresh: freshId("payment"),
    parents: Effect.fnUntraced(function* (organisation_id, payment) {
      const donorOr = (named: DonorId | null) =>
        named === null ? Effect.succeed(null) : Effect.map(newDonor(organisation_id), ({ id }) => id)
      const [donor_id, link_donor_id] = [yield* donorOr(payment.donor_id), yield* donorOr(payment.link_donor_id)]
      if (payment.allocations.length === 0) return { donor_id, link_donor_id, recommendation_set_id: null }
      const target = yield* newSet(organisation_id)
      const allocations = yield* transfersTo(target, payment)
      return { recommendation_set_id: target.set.id, donor_id, link_donor_id, allocations }
    }),
    list: {
      spec: Payment.listing,
      few: fc.record({
        payment_method_type: fc.constantFrom("card", "payto"),
        total_amount_cents: fc.integer({ min: 1, max: 3 }),
        donor_id: fc.constant(null),
        link_donor_id: fc.constant(null),
        allocations: fc.constant([])
      })
    }
  })(({ must, property }) => [
    property(
      "a set's payments are summed up, all of them, and no other set's",
      ["PaymentStore.summaryOf MUST be what domain/sharing/Payment sums up of all payments of the set"],
      runsOf(given),
      fc.tuple(amounts, amounts),
      function* (both, { store }) {
        const { links, set } = yield* newSet((yield* newOrganisation()).id)
        const other = yield* setOf(set.organisation_id, links)
        yield* (yield* RecommendationSetStore).insert(other)
        const targets = [set, other]
        for (const [index, target] of targets.entries()) {
          for (const each of both[index] ?? []) yield* pay({ set: target, links: [] }, each)
        }
        const { id: stranger } = yield* newOrganisation()
        for (const [index, target] of targets.entries()) {
          same(yield* store.summaryOf(target.organisation_id, target.id), Payment.summaryOf(both[index] ?? []))
          same(yield* store.summaryOf(stranger, target.id), Payment.summaryOf([]))
        }
      }
    ),

    donorReferences({
      name: "payments",
      port: PaymentStore,
      make: ({ id: donor_id, organisation_id }) =>
        Effect.forEach(Payment.Status.literals, (payment_status) =>
          unlinkedPayment(organisation_id, { donor_id, payment_status })
        )
    }),

    must(
      "payments through a donor's own link go on as another's",
      ["DonorReferences.reassign MUST give every record of from to to and date its change at"],
      function* ({ store, id }) {
        const [from, to, bystander] = yield* Effect.forEach([0, 1, 2], () => newDonor(id))
        if (from === undefined || to === undefined || bystander === undefined) return
        const of = Effect.fnUntraced(function* (given: Partial<Payment.Payment>) {
          return yield* Effect.tap(unlinkedPayment(id, given), store.insert)
        })
        const own = yield* of({ link_donor_id: from.id })
        const both = yield* of({ donor_id: from.id, link_donor_id: from.id })
        const others = yield* of({ donor_id: bystander.id, link_donor_id: bystander.id })
        yield* store.reassign(id, from.id, to.id, at(5))
        const moved = { link_donor_id: to.id, updated_at: at(5) }
        same(yield* store.find(id, own.id), Option.some({ ...own, ...moved }))
        same(yield* store.find(id, both.id), Option.some({ ...both, ...moved, donor_id: to.id }))
        same(yield* store.find(id, others.id), Option.some(others))
      }
    )
  ])
