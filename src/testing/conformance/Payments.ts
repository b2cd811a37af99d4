import { Effect, Option } from "effect"
import fc from "fast-check"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import * as Payment from "../../domain/sharing/Payment.ts"
import type { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import { DonorStore } from "../../ports/giving/DonorStore.ts"
import { Transaction } from "../../ports/kernel/Transaction.ts"
import { PaymentStore } from "../../ports/sharing/PaymentStore.ts"
import type { RecipientAccountStore } from "../../ports/sharing/RecipientAccountStore.ts"
import { RecommendationSetStore } from "../../ports/sharing/RecommendationSetStore.ts"
import * as Generators from "../Generators.ts"
import { donorReferences } from "./DonorReferences.ts"
import { holding } from "./Holding.ts"
import { lists } from "./Lists.ts"
import { at, donorOf, newOrganisation } from "./Records.ts"
import { freshPaymentId, newLink, paymentOf, setOf } from "./SetRecords.ts"
import { type Check, forAll, law, must, none, runsOf, same, type Thoroughness } from "./Suite.ts"

/** The ports that the checks use. */
type Needs =
  | PaymentStore
  | RecommendationSetStore
  | RecipientAccountStore
  | IntegrationStore
  | DonorStore
  | OrganisationStore
  | Transaction

const draft = fc
  .tuple(
    Generators.payment,
    fc.record({
      payment_method_type: fc.constantFrom("card", "payto"),
      total_amount_cents: fc.integer({ min: 1, max: 3 }),
      created_at: fc.nat(3).map(at)
    })
  )
  .map(
    ([payment, given]): Payment.Payment => ({
      ...payment,
      ...given,
      donor_id: null,
      link_donor_id: null,
      recommendation_set_id: null
    })
  )

/** A stored set of a new organisation, with the links that its payments go to. */
const newSet = Effect.gen(function* () {
  const [organisation, recipient] = [yield* newOrganisation(), yield* newOrganisation()]
  const links = [yield* newLink(organisation.id, recipient), yield* newLink(organisation.id, recipient)]
  const set = yield* setOf(organisation.id, links)
  yield* Effect.orDie((yield* RecommendationSetStore).insert(set))
  return { set, links }
})

type NewSet = Effect.Success<typeof newSet>

const pay = Effect.fnUntraced(function* ({ links, set }: NewSet, given: Partial<Payment.Payment> = {}) {
  const payment = yield* paymentOf(set, links, given)
  yield* (yield* PaymentStore).insert(payment)
  return payment
})

/** The payment as one to the set, with each transfer going to one of the set's links. */
const paidTo = ({ links, set }: NewSet, given: Payment.Payment): Payment.Payment => ({
  ...given,
  organisation_id: set.organisation_id,
  recommendation_set_id: set.id,
  donor_id: null,
  link_donor_id: null,
  allocations: given.allocations.flatMap((transfer, index) => {
    const link = links[index % links.length]
    if (link === undefined) return []
    const { id, recipient_organisation_id } = link
    return [{ ...transfer, recipient_org_account_link_id: id, recipient_organisation_id }]
  })
})

const amounts = fc.array(
  fc.record({
    payment_status: fc.constantFrom(...Payment.Status.literals),
    total_amount_cents: fc.integer({ min: 1, max: 1_000_000_000 })
  }),
  { maxLength: 12 }
)

/**
 * The laws of {@link PaymentStore}.
 */
export const payments = (given: Thoroughness = {}): ReadonlyArray<Check<Needs>> => [
  must(
    "a payment is read back as it was written, transfers in their order, and after each update",
    ["RecordStore.update MUST write all fields of the record that has the same organisation and id"],
    () =>
      forAll(
        runsOf(given),
        fc.tuple(Generators.payment, Generators.payment),
        Effect.fnUntraced(function* (written) {
          const store = yield* PaymentStore
          const target = yield* newSet
          const id = yield* freshPaymentId
          for (const [index, each] of written.entries()) {
            const payment = { ...paidTo(target, each), id }
            yield* index === 0 ? store.insert(payment) : store.update(payment)
            same(yield* store.find(payment.organisation_id, id), Option.some(payment))
            same(yield* store.findForUpdate(payment.organisation_id, id), Option.some(payment))
          }
        })
      )
  ),

  ...lists<Payment.Payment, Payment.Payment, Needs>(
    {
      name: "payments",
      spec: Payment.listing,
      draft,
      store: Effect.fnUntraced(function* (organisation_id: OrganisationId, drafted) {
        const payment: Payment.Payment = { ...drafted, id: yield* freshPaymentId, organisation_id, allocations: [] }
        yield* (yield* PaymentStore).insert(payment)
        return payment
      }),
      list: (organisation_id, query) => PaymentStore.use((store) => store.list(organisation_id, query)),
      columns: (payment) => payment
    },
    runsOf(given)
  ),

  must(
    "a set's payments are summed up, all of them, and no other set's",
    ["PaymentStore.summaryOf MUST be what domain/sharing/Payment sums up of all payments of the set"],
    () =>
      forAll(
        runsOf(given),
        fc.tuple(amounts, amounts),
        Effect.fnUntraced(function* (both) {
          const store = yield* PaymentStore
          const { links, set } = yield* newSet
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
        })
      )
  ),

  must(
    "no operation sees or changes another organisation's payment",
    ["RecordReader MUST see the named organisation's records only"],
    () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const payment = yield* pay(yield* newSet)
        const { id } = yield* newOrganisation()
        none(yield* store.find(id, payment.id))
        none(yield* store.findForUpdate(id, payment.id))
        yield* store.update({ ...payment, organisation_id: id, failure_code: "taken_over" })
        none(yield* store.find(id, payment.id))
        same(yield* store.find(payment.organisation_id, payment.id), Option.some(payment))
      })
  ),

  holding<Payment.Payment, Needs>({
    name: "a payment with its transfers",
    must: "RecordStore.findForUpdate MUST hold the row against every change until the surrounding transaction ends",
    make: Effect.flatMap(newSet, (target) => pay(target)),
    findForUpdate: ({ id, organisation_id }) => PaymentStore.use((store) => store.findForUpdate(organisation_id, id)),
    update: (payment) => PaymentStore.use((store) => store.update(payment)),
    count: ({ allocations }) => allocations[1]?.retry_count ?? Number.NaN,
    counted: (payment, retry_count) => ({
      ...payment,
      allocations: payment.allocations.map((each, index) => (index === 1 ? { ...each, retry_count } : each))
    })
  }),

  donorReferences<Payment.Payment, Needs>({
    name: "payments",
    store: (donor) =>
      Effect.forEach(Payment.Status.literals, (payment_status) =>
        Effect.gen(function* () {
          const drafted = yield* paymentOf(yield* setOf(donor.organisation_id, []), [], { donor_id: donor.id })
          const payment = { ...drafted, recommendation_set_id: null, total_amount_cents: 1, payment_status }
          yield* (yield* PaymentStore).insert(payment)
          return payment
        })
      ),
    find: ({ id, organisation_id }) => PaymentStore.use((store) => store.find(organisation_id, id)),
    reassign: (...moved) => PaymentStore.use((store) => store.reassign(...moved))
  }),

  must(
    "payments through a donor's own link go on as another's",
    ["DonorReferences.reassign MUST give every record of from to to and date its change at"],
    () =>
      Effect.gen(function* () {
        const store = yield* PaymentStore
        const { id } = yield* newOrganisation()
        const [from, to, bystander] = yield* Effect.forEach([0, 1, 2], () =>
          Effect.tap(donorOf(id), (donor) => DonorStore.use((donors) => donors.insert(donor)))
        )
        if (from === undefined || to === undefined || bystander === undefined) return
        const of = Effect.fnUntraced(function* (given: Partial<Payment.Payment>) {
          const drafted = yield* paymentOf(yield* setOf(id, []), [], given)
          const payment = { ...drafted, recommendation_set_id: null, total_amount_cents: 1 }
          yield* store.insert(payment)
          return payment
        })
        const own = yield* of({ link_donor_id: from.id })
        const both = yield* of({ donor_id: from.id, link_donor_id: from.id })
        const others = yield* of({ donor_id: bystander.id, link_donor_id: bystander.id })
        yield* store.reassign(id, from.id, to.id, at(5))
        const moved = { link_donor_id: to.id, updated_at: at(5) }
        same(yield* store.find(id, own.id), Option.some({ ...own, ...moved }))
        same(yield* store.find(id, both.id), Option.some({ ...both, ...moved, donor_id: to.id }))
        same(yield* store.find(id, others.id), Option.some(others))
      })
  ),

  law("a payment of a transaction that was rolled back is gone, transfers included", () =>
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const transaction = yield* Transaction
      const target = yield* newSet
      const payment = yield* paymentOf(target.set, target.links)
      yield* store.insert(payment).pipe(Effect.andThen(Effect.fail("refused")), transaction.run, Effect.flip)
      none(yield* store.find(payment.organisation_id, payment.id))
      yield* store.insert(payment)
      same(yield* store.find(payment.organisation_id, payment.id), Option.some(payment))
    })
  )
]
