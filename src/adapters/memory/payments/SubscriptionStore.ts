import { Effect, HashMap, Layer } from "effect"
import type { SubscriptionId } from "../../../domain/kernel/Ids.ts"
import { holds } from "../../../domain/kernel/Rule.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { lastingRule, type Subscription } from "../../../domain/payments/Subscription.ts"
import { SubscriptionStore } from "../../../ports/payments/SubscriptionStore.ts"
import { type Leasable, leasedInTurn, nextDues, pollMillis } from "../FairQueue.ts"
import { makeDonorReferences } from "../giving/DonorReferences.ts"
import { Memory } from "../Memory.ts"
import { makeRecords, type RecordTable } from "../Records.ts"
import { records, replace, type State } from "../State.ts"

const subscriptions: RecordTable<Subscription> = {
  table: (state) => state.subscriptions,
  with: (state, subscriptions) => ({ ...state, subscriptions }),
  columns: (subscription) => subscription
}

const all = (state: State): ReadonlyArray<Subscription> =>
  HashMap.toValues(state.subscriptions).flatMap((table) => HashMap.toValues(table))

const awaiting: Leasable<Subscription> = {
  all,
  millisOf: pollMillis,
  leased: (subscription, look_at) => ({ ...subscription, look_at }),
  written: (state, subscription) => ({ ...state, subscriptions: replace(state.subscriptions, subscription) })
}

/** Recurring gifts in memory. The store's clock is Effect's. */
export const layer = Layer.effect(
  SubscriptionStore,
  Effect.map(Memory, (memory) =>
    SubscriptionStore.of({
      ...makeRecords<Subscription, SubscriptionId>(memory, subscriptions),
      ...makeDonorReferences(memory, subscriptions),
      lastingOf: (organisation_id, donor_id) =>
        memory.read((state) =>
          Array.from(records(state.subscriptions, organisation_id))
            .filter((each) => each.donor_id === donor_id && holds(lastingRule, each))
            .map(({ id }) => id)
            .toSorted(compareCodePoints)
        ),
      claim: (limit, lease, only) =>
        Effect.map(leasedInTurn(memory, awaiting, { lease, limit, only }), (claimed) =>
          claimed.map(({ id, organisation_id }) => ({ organisation_id, id }))
        ),
      ...nextDues(memory, awaiting)
    })
  )
)
