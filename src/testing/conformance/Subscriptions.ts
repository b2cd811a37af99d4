import { DateTime, Duration, Effect, Option } from "effect"
import fc from "fast-check"
import { listing, Status, type Subscription } from "../../domain/payments/Subscription.ts"
import type { IntegrationStore } from "../../ports/access/IntegrationStore.ts"
import type { OrganisationStore } from "../../ports/access/OrganisationStore.ts"
import type { DonorStore } from "../../ports/giving/DonorStore.ts"
import type { Transaction } from "../../ports/kernel/Transaction.ts"
import { ChargeStore } from "../../ports/payments/ChargeStore.ts"
import { SubscriptionStore } from "../../ports/payments/SubscriptionStore.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { donorReferences } from "./DonorReferences.ts"
import { holding } from "./Holding.ts"
import { lists } from "./Lists.ts"
import { at, newOrganisation } from "./Records.ts"
import { freshSubscriptionId, newDonor, newSubscription, subscriptionOf } from "./SubscriptionRecords.ts"
import { type Check, forAll, law, must, none, runsOf, same, type Thoroughness } from "./Suite.ts"

/** The ports that the checks use. */
type Needs = ChargeStore | DonorStore | IntegrationStore | OrganisationStore | SubscriptionStore | Transaction

const draft = fc
  .tuple(
    Generators.subscription,
    fc.record({ status: fc.constantFrom(...Status.literals), created_at: fc.nat(3).map(at) })
  )
  .map(([subscription, given]): Subscription => ({ ...subscription, ...given, look_at: null }))

const lease = Duration.days(1)

/** A recurring gift of each organisation's turn, due so many minutes ago; forgotten when the check ends. */
const dueAgo = Effect.fnUntraced(function* (
  { id }: { readonly id: Subscription["organisation_id"] },
  minutes: number | null
) {
  const now = yield* (yield* ChargeStore).now
  const look_at = minutes === null ? null : DateTime.subtract(now, { minutes })
  const subscription = yield* newSubscription(id, { look_at })
  yield* Effect.addFinalizer(() => SubscriptionStore.use((store) => store.update({ ...subscription, look_at: null })))
  return subscription
})

const claims: ReadonlyArray<Check<Needs>> = [
  must(
    "what is due is handed out once, the longest due first, the organisations in turn, until its lease ends",
    [
      "SubscriptionStore.claim MUST give one to one worker only for as long as lease, by moving its look_at to the end of it; from then on it is due again."
    ],
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* SubscriptionStore
          const [one, other] = [yield* newOrganisation(), yield* newOrganisation()]
          const [first, second] = [yield* dueAgo(one, 9), yield* dueAgo(one, 8)]
          const third = yield* dueAgo(other, 1)
          yield* dueAgo(other, null)
          yield* dueAgo(other, -60)
          const due = yield* store.nextDue
          assert.isTrue(Option.exists(due, (wait) => Duration.toMillis(wait) === 0))
          const ids = (found: ReadonlyArray<{ readonly id: string }>) => found.map(({ id }) => id)
          same(ids(yield* store.claim(2, lease)), [first.id, third.id])
          same(ids(yield* store.claim(5, lease)), [second.id])
          same(yield* store.claim(5, lease), [])
          const held = Option.getOrThrow(yield* store.find(one.id, first.id))
          const now = yield* (yield* ChargeStore).now
          assert.isTrue(held.look_at !== null && DateTime.isGreaterThan(held.look_at, now))
          yield* store.update({ ...held, look_at: first.look_at })
          same(ids(yield* store.claim(5, lease)), [first.id])
        })
      )
  )
]

/**
 * The laws of {@link SubscriptionStore}.
 */
export const subscriptions = (given: Thoroughness = {}): ReadonlyArray<Check<Needs>> => [
  must(
    "a recurring gift is read back as it was written, and after an update, by its own organisation only",
    [
      "RecordReader MUST see the named organisation's records only",
      "RecordStore.update MUST write all fields of the record that has the same organisation and id"
    ],
    () =>
      forAll(
        runsOf(given),
        fc.tuple(Generators.subscription, Generators.subscription),
        Effect.fnUntraced(function* (written) {
          const store = yield* SubscriptionStore
          const [{ id: organisation_id }, other] = [yield* newOrganisation(), yield* newOrganisation()]
          const { donor_id, id, integration_id } = yield* subscriptionOf(yield* newDonor(organisation_id))
          for (const [index, each] of written.entries()) {
            const record = { ...each, id, organisation_id, donor_id, integration_id, look_at: null }
            yield* index === 0 ? store.insert(record) : store.update(record)
            same(yield* store.find(organisation_id, id), Option.some(record))
            same(yield* store.findForUpdate(organisation_id, id), Option.some(record))
            none(yield* store.find(other.id, id))
          }
        })
      )
  ),

  law("the lasting ones of a donor are all that have not ended, and no other donor's", () =>
    Effect.gen(function* () {
      const store = yield* SubscriptionStore
      const { id } = yield* newOrganisation()
      const [donor, other] = [yield* newDonor(id), yield* newDonor(id)]
      const made = yield* Effect.forEach(Status.literals, (status) =>
        Effect.tap(subscriptionOf(donor, { status }), store.insert)
      )
      yield* store.insert(yield* subscriptionOf(other))
      const lasting = made.filter(({ status }) => status !== "CANCELLED").map((each) => each.id)
      same(yield* store.lastingOf(id, donor.id), lasting.toSorted())
    })
  ),

  ...claims,

  ...lists(
    {
      name: "subscriptions",
      spec: listing,
      draft,
      store: Effect.fnUntraced(function* (organisation_id, drafted) {
        const { donor_id, integration_id } = yield* subscriptionOf(yield* newDonor(organisation_id))
        const id = yield* freshSubscriptionId
        const subscription: Subscription = { ...drafted, id, organisation_id, donor_id, integration_id }
        yield* (yield* SubscriptionStore).insert(subscription)
        return subscription
      }),
      list: (organisation_id, query) => SubscriptionStore.use((store) => store.list(organisation_id, query)),
      columns: (subscription) => subscription
    },
    runsOf(given)
  ),

  donorReferences({
    name: "recurring gifts",
    store: (donor) =>
      Effect.forEach(Status.literals, (status) =>
        Effect.flatMap(SubscriptionStore, (store) => Effect.tap(subscriptionOf(donor, { status }), store.insert))
      ),
    find: ({ id, organisation_id }) => SubscriptionStore.use((store) => store.find(organisation_id, id)),
    reassign: (...merge) => SubscriptionStore.use((store) => store.reassign(...merge))
  }),

  holding({
    name: "a recurring gift",
    must: "RecordStore.findForUpdate MUST hold the row against every change until the surrounding transaction ends",
    make: Effect.gen(function* () {
      return yield* newSubscription((yield* newOrganisation()).id, { last_paid_invoice_id: "0" })
    }),
    findForUpdate: ({ id, organisation_id }) =>
      SubscriptionStore.use((store) => store.findForUpdate(organisation_id, id)),
    update: (subscription) => SubscriptionStore.use((store) => store.update(subscription)),
    count: ({ last_paid_invoice_id }) => Number(last_paid_invoice_id),
    counted: (subscription, count) => ({ ...subscription, last_paid_invoice_id: `${count}` })
  })
]
