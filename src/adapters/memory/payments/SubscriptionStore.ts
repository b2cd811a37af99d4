import { DateTime, Effect, HashMap, Layer, Result } from "effect"
import type { SubscriptionId } from "../../../domain/kernel/Ids.ts"
import { holds } from "../../../domain/kernel/Rule.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { lasting, type Subscription } from "../../../domain/payments/Subscription.ts"
import { realNow } from "../../../ports/kernel/AheadClock.ts"
import { SubscriptionStore } from "../../../ports/payments/SubscriptionStore.ts"
import { makeDonorReferences } from "../giving/DonorReferences.ts"
import { dueInTurn, lookMillis, timesOf, untilDue } from "../InTurn.ts"
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

/** Recurring gifts in memory. The store's clock is Effect's. */
export const layer = Layer.effect(
  SubscriptionStore,
  Effect.map(Memory, (memory) => {
    const soonest = (only?: string) =>
      Effect.flatMap(realNow, (now) =>
        memory.read((state) => untilDue(all(state), lookMillis, timesOf(state, now), only))
      )
    return SubscriptionStore.of({
      ...makeRecords<Subscription, SubscriptionId>(memory, subscriptions),
      ...makeDonorReferences(memory, subscriptions),
      lastingOf: (organisation_id, donor_id) =>
        memory.read((state) =>
          Array.from(records(state.subscriptions, organisation_id))
            .filter((each) => each.donor_id === donor_id && holds(lasting, each))
            .map(({ id }) => id)
            .toSorted(compareCodePoints)
        ),
      claim: (limit, lease, only) =>
        Effect.flatMap(realNow, (now) =>
          memory.decide((state) => {
            const times = timesOf(state, now)
            const claimed = dueInTurn(all(state), lookMillis, { limit, only, times })
            const leased = (each: Subscription) => ({
              ...each,
              look_at: DateTime.addDuration(times.of(each.organisation_id), lease)
            })
            const table = claimed.reduce((next, each) => replace(next, leased(each)), state.subscriptions)
            return Result.succeed([
              claimed.map(({ id, organisation_id }) => ({ organisation_id, id })),
              { ...state, subscriptions: table }
            ])
          })
        ),
      nextDue: soonest(),
      nextDueOf: soonest
    })
  })
)
