import { DateTime, Duration, Effect, Option } from "effect"
import fc from "fast-check"
import { listing, Status, type Subscription } from "../../domain/payments/Subscription.ts"
import { ChargeStore } from "../../ports/payments/ChargeStore.ts"
import { SubscriptionStore } from "../../ports/payments/SubscriptionStore.ts"
import * as Generators from "../Generators.ts"
import { assert } from "./Assert.ts"
import { donorReferences } from "./DonorReferences.ts"
import { recordStore } from "./RecordStores.ts"
import { newOrganisation } from "./Records.ts"
import { freshSubscriptionId, newDonor, newSubscription, subscriptionOf } from "./SubscriptionRecords.ts"
import { law, must, same, suite, type Thoroughness } from "./Suite.ts"

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

const claims = [
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
export const subscriptions = (given: Thoroughness = {}) =>
  suite([
    ...recordStore({
      ...given,
      name: "recurring gifts",
      port: SubscriptionStore,
      arbitrary: Generators.subscription,
      fresh: freshSubscriptionId,
      parents: Effect.fnUntraced(function* (organisation_id) {
        const { donor_id, integration_id } = yield* subscriptionOf(yield* newDonor(organisation_id))
        return { donor_id, integration_id, look_at: null }
      }),
      list: { spec: listing, few: fc.record({ status: fc.constantFrom(...Status.literals) }) }
    }),
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

    donorReferences({
      name: "recurring gifts",
      make: (donor) => Effect.forEach(Status.literals, (status) => subscriptionOf(donor, { status })),
      port: SubscriptionStore
    })
  ])
