import { Effect, HashMap, Layer } from "effect"
import { type CheckoutLink, isExpired } from "../../../domain/giving/CheckoutLink.ts"
import type { CheckoutLinkId } from "../../../domain/kernel/Ids.ts"
import { CheckoutLinkStore } from "../../../ports/giving/CheckoutLinkStore.ts"
import { makeExpirable } from "../ExpirableRecords.ts"
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

const all = (state: State): ReadonlyArray<CheckoutLink> =>
  HashMap.toValues(state.checkoutLinks).flatMap((links) => HashMap.toValues(links))

/** Checkout links in memory. */
export const layer = Layer.effect(
  CheckoutLinkStore,
  Effect.map(Memory, (memory) =>
    CheckoutLinkStore.of({
      ...makeRecords<CheckoutLink, CheckoutLinkId>(memory, checkoutLinks),
      ...makeDonorReferences(memory, checkoutLinks),
      expirable: makeExpirable(memory, all, isExpired)
    })
  )
)
