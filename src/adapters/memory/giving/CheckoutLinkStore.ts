import { DateTime, Effect, HashMap, Layer, Order } from "effect"
import { type CheckoutLink, isExpired } from "../../../domain/giving/CheckoutLink.ts"
import type { CheckoutLinkId } from "../../../domain/kernel/Ids.ts"
import { compareCodePoints } from "../../../domain/kernel/Text.ts"
import { CheckoutLinkStore } from "../../../ports/giving/CheckoutLinkStore.ts"
import { Memory } from "../Memory.ts"
import { makeRecords, type RecordTable } from "../Records.ts"
import type { State } from "../State.ts"
import { bookedUnder } from "./BookedUnder.ts"
import { makeDonorReferences } from "./DonorReferences.ts"

const checkoutLinks: RecordTable<CheckoutLink> = {
  table: (state) => state.checkoutLinks,
  with: (state, table) => ({ ...state, checkoutLinks: table }),
  columns: (link) => link,
  archivable: true,
  shown: bookedUnder
}

const expiryMillis = ({ expires_at }: CheckoutLink): number =>
  expires_at === null ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(expires_at)

const earliestFirst = (a: CheckoutLink, b: CheckoutLink): number =>
  Order.Number(expiryMillis(a), expiryMillis(b)) || compareCodePoints(a.id, b.id)

const expirableOf = (state: State, now: DateTime.Utc): ReadonlyArray<CheckoutLink> =>
  HashMap.toValues(state.checkoutLinks)
    .flatMap((links) => HashMap.toValues(links))
    .filter((link) => isExpired(link, now))
    .sort(earliestFirst)

/** Checkout links in memory. */
export const layer = Layer.effect(
  CheckoutLinkStore,
  Effect.map(Memory, (memory) =>
    CheckoutLinkStore.of({
      ...makeRecords<CheckoutLink, CheckoutLinkId>(memory, checkoutLinks),
      ...makeDonorReferences(memory, checkoutLinks),
      expirable: (now, limit, except, only) =>
        memory.read((state) =>
          expirableOf(state, now)
            .filter(({ id }) => !except.some((each) => each === id))
            .filter(({ organisation_id }) => only === undefined || organisation_id === only)
            .slice(0, limit)
            .map((each) => ({
              id: each.id,
              organisation_id: each.organisation_id,
              expired_millis: expiryMillis(each)
            }))
        )
    })
  )
)
