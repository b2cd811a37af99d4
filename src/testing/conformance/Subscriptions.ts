import { DateTime, Effect, Option } from "effect"
import fc from "fast-check"
import type { OrganisationId } from "../../domain/kernel/Ids.ts"
import { listing, Status, type Subscription } from "../../domain/payments/Subscription.ts"
import { ChargeStore } from "../../ports/payments/ChargeStore.ts"
import { SubscriptionStore } from "../../ports/payments/SubscriptionStore.ts"
import * as Generators from "../Generators.ts"
import { donorReferences } from "./DonorReferences.ts"
import { dueRecords, millis } from "./DueRecords.ts"
import { recordStore } from "./RecordStores.ts"
import { freshSubscriptionId, newDonor, newSubscription, subscriptionOf } from "./SubscriptionRecords.ts"
import { runsOf, same, type Thoroughness } from "./Suite.ts"

/** A recurring gift that is due so many seconds after the present; nobody is handed it when the check has ended. */
const dueIn = Effect.fnUntraced(function* (organisation_id: OrganisationId, seconds: number | null) {
  const now = yield* (yield* ChargeStore).now
  const look_at = seconds === null ? null : DateTime.add(now, { seconds })
  const subscription = yield* newSubscription(organisation_id, { look_at })
  yield* Effect.addFinalizer(() => SubscriptionStore.use((store) => store.update({ ...subscription, look_at: null })))
  return subscription
})

/** The laws of {@link SubscriptionStore}. */
export const subscriptions = (given: Thoroughness = {}) =>
  recordStore({
    ...given,
    name: "recurring gifts",
    port: SubscriptionStore,
    arbitrary: Generators.subscription,
    fresh: freshSubscriptionId,
    parents: Effect.fnUntraced(function* (organisation_id) {
      const { donor_id, integration_id } = yield* subscriptionOf(yield* newDonor(organisation_id))
      return { donor_id, integration_id }
    }),
    idle: { look_at: null },
    list: { spec: listing, few: fc.record({ status: fc.constantFrom(...Status.literals) }) }
  })(({ law }) => [
    law("the lasting ones of a donor are all that have not ended, and no other donor's", function* ({ store, id }) {
      const [donor, other] = [yield* newDonor(id), yield* newDonor(id)]
      const made = yield* Effect.forEach(Status.literals, (status) =>
        Effect.tap(subscriptionOf(donor, { status }), store.insert)
      )
      yield* store.insert(yield* subscriptionOf(other))
      const lasting = made.filter(({ status }) => status !== "CANCELLED").map((each) => each.id)
      same(yield* store.lastingOf(id, donor.id), lasting.toSorted())
    }),

    ...dueRecords(
      {
        name: "recurring gifts",
        must: "SubscriptionStore.claim MUST give one to one worker only for as long as lease, by moving its look_at to the end of it; from then on it is due again.",
        port: SubscriptionStore,
        make: dueIn,
        remaining: Effect.fnUntraced(function* ({ id, organisation_id }: Subscription) {
          const { look_at } = Option.getOrThrow(yield* (yield* SubscriptionStore).find(organisation_id, id))
          return millis(look_at) - millis(yield* (yield* ChargeStore).now)
        })
      },
      Math.min(runsOf(given), 5)
    ),

    donorReferences({
      name: "recurring gifts",
      make: (donor) => Effect.forEach(Status.literals, (status) => subscriptionOf(donor, { status })),
      port: SubscriptionStore
    })
  ])
